import {
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
} from 'react';
import type { Find } from '../../components/find-field.tsx';
import { MIN_FIND_LENGTH } from '../../lib/find-text.ts';
import { findTextRanges, isVisible } from '../../lib/text-ranges.ts';
import type { StageGroup } from './timeline-groups.ts';
import { type SearchMatch, searchTimeline } from './timeline-search.ts';
import { useStreamingTexts } from './timeline-store.ts';

// Maximum number of matches outside the timeline.
const MAX_PAGE_MATCHES = 500;

// Pause in typing (ms) after which the page scrolls to the first match.
const TYPING_MS = 200;

/**
 * Searches the page and all rows, rendered or not, and goes to the first match when typing pauses. `timeline` contains
 * the rows; `goToMatch` scrolls to a match.
 */
export function useTimelineSearch(
  groups: readonly StageGroup[],
  timeline: RefObject<HTMLElement | null>,
  goToMatch: (match: SearchMatch) => void,
): Find {
  const [query, setQueryState] = useState('');
  const texts = useStreamingTexts(query.trim().length >= MIN_FIND_LENGTH);
  // The current match is stored by key, because new matches may appear before it.
  const [currentKey, setCurrentKey] = useState<string | null>(null);
  const deferredQuery = useDeferredValue(query);
  const search = useCallback(
    (text: string) => withPageMatches(timeline.current, searchTimeline(groups, { texts }, text), text.trim()),
    [groups, texts, timeline],
  );
  const matches = useMemo(() => search(deferredQuery), [search, deferredQuery]);
  const currentIndex = matches.findIndex(({ key }) => key === currentKey);
  const setQuery = useCallback((text: string) => {
    setQueryState(text);
    setCurrentKey(null);
  }, []);
  const step = useCallback(
    (by: 1 | -1) => {
      // Enter right after typing searches for the new query, because `matches` may still belong to the
      // previous one.
      const found = deferredQuery === query ? matches : search(query);
      if (found.length === 0) return;
      const from = currentIndex < 0 && by < 0 ? 0 : currentIndex;
      const next = found[(from + by + found.length) % found.length]!;
      setCurrentKey(next.key);
      goToMatch(next);
    },
    [deferredQuery, query, matches, search, currentIndex, goToMatch],
  );
  const goToFirst = useEffectEvent(() => {
    if (currentKey === null) step(1);
  });
  useEffect(() => {
    if (query.trim().length < MIN_FIND_LENGTH) return;
    const timer = setTimeout(goToFirst, TYPING_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return { query, setQuery, matches, currentIndex, step };
}

/** Adds the matches above and below the timeline, in page order. */
function withPageMatches(
  timeline: HTMLElement | null,
  inside: readonly SearchMatch[],
  query: string,
): readonly SearchMatch[] {
  const page = document.getElementById('main');
  if (timeline === null || page === null || query.length < MIN_FIND_LENGTH) return inside;
  const pageMatches = findTextRanges(page, query, MAX_PAGE_MATCHES, timeline)
    .filter(isVisible)
    .map((range, index) => ({ kind: 'text' as const, key: `text:${index}`, range }));
  const isAbove = ({ range }: { range: Range }): boolean =>
    (timeline.compareDocumentPosition(range.startContainer) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  return [...pageMatches.filter(isAbove), ...inside, ...pageMatches.filter((match) => !isAbove(match))];
}
