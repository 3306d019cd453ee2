import { type RefObject, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { isShown, rangesOf } from './text-ranges.ts';
import type { StageGroup } from './timeline-groups.ts';
import { SEARCH_MIN, type SearchMatch, searchTimeline } from './timeline-search.ts';
import { useGrowingTexts } from './timeline-store.ts';

/** A search through the page, and the viewer's current match. */
export interface TimelineSearch {
  readonly wanted: string;
  readonly setWanted: (text: string) => void;
  readonly matches: readonly SearchMatch[];
  /** Index of the current match; -1 before the first step. */
  readonly at: number;
  readonly step: (by: 1 | -1) => void;
}

// Limit of the matches outside the timeline.
const MOST_PLACES = 500;

/**
 * Searches the page. `timeline` holds the rows, only those in view are in the DOM; `goToMatch` scrolls to a
 * match.
 */
export function useTimelineSearch(
  groups: readonly StageGroup[],
  timeline: RefObject<HTMLElement | null>,
  go: (match: SearchMatch) => void,
): TimelineSearch {
  const [wanted, setText] = useState('');
  const texts = useGrowingTexts(wanted.trim().length >= SEARCH_MIN);
  // The current match is stored by key, because new matches may appear before it.
  const [current, setCurrent] = useState<string | null>(null);
  const asked = useDeferredValue(wanted);
  const search = useCallback(
    (text: string) => around(timeline.current, searchTimeline(groups, { texts }, text), text.trim()),
    [groups, texts, timeline],
  );
  const matches = useMemo(() => search(asked), [search, asked]);
  const at = matches.findIndex(({ key }) => key === current);
  const setWanted = useCallback((text: string) => {
    setText(text);
    setCurrent(null);
  }, []);
  const step = useCallback(
    (by: 1 | -1) => {
      // A viewer who types and presses Enter at once must not wait for the deferred search.
      const found = asked === wanted ? matches : search(wanted);
      if (found.length === 0) return;
      const from = at < 0 && by < 0 ? 0 : at;
      const next = found[(from + by + found.length) % found.length]!;
      setCurrent(next.key);
      go(next);
    },
    [asked, wanted, matches, search, at, go],
  );
  return { wanted, setWanted, matches, at, step };
}

/** Adds the matches above and below the timeline, in page order. */
function around(
  timeline: HTMLElement | null,
  inside: readonly SearchMatch[],
  wanted: string,
): readonly SearchMatch[] {
  const page = document.getElementById('main');
  if (timeline === null || page === null || wanted.length < SEARCH_MIN) return inside;
  const places = rangesOf(page, wanted, MOST_PLACES, timeline)
    .filter(isShown)
    .map((range, index) => ({ kind: 'place' as const, key: `place:${index}`, range }));
  const isAbove = ({ range }: { range: Range }): boolean =>
    (timeline.compareDocumentPosition(range.startContainer) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  return [...places.filter(isAbove), ...inside, ...places.filter((place) => !isAbove(place))];
}
