import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { StageGroup } from './timeline-groups.ts';
import { SEARCH_MIN, searchTimeline } from './timeline-search.ts';
import { useGrowingTexts } from './timeline-store.ts';

/** A search through the timeline, and which of its matches the reader is at. */
export interface TimelineSearch {
  readonly wanted: string;
  readonly setWanted: (text: string) => void;
  readonly matches: readonly TimelineItemFragment[];
  /** Index of the match that the reader is at; -1 before the first step. */
  readonly at: number;
  readonly step: (by: 1 | -1) => void;
}

/** `go` brings a match into view. */
export function useTimelineSearch(
  groups: readonly StageGroup[],
  go: (item: TimelineItemFragment) => void,
): TimelineSearch {
  const [wanted, setText] = useState('');
  const texts = useGrowingTexts(wanted.trim().length >= SEARCH_MIN);
  // The match is remembered by itself: others may come before it while the session goes on.
  const [current, setCurrent] = useState<string | null>(null);
  const asked = useDeferredValue(wanted);
  const matches = useMemo(() => searchTimeline(groups, { texts }, asked), [groups, texts, asked]);
  const at = matches.findIndex(({ id }) => id === current);
  const setWanted = useCallback((text: string) => {
    setText(text);
    setCurrent(null);
  }, []);
  const step = useCallback(
    (by: 1 | -1) => {
      // Who types and presses Enter at once does not wait for the deferred search.
      const found = asked === wanted ? matches : searchTimeline(groups, { texts }, wanted);
      if (found.length === 0) return;
      const from = at < 0 && by < 0 ? 0 : at;
      const next = found[(from + by + found.length) % found.length]!;
      setCurrent(next.id);
      go(next);
    },
    [asked, wanted, matches, groups, texts, at, go],
  );
  return { wanted, setWanted, matches, at, step };
}
