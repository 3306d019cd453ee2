import { useEffect } from 'react';
import { rangesOf } from './text-ranges.ts';
import { SEARCH_MIN } from './timeline-search.ts';

/** CSS highlight names: of all matches, and of the current one. */
const SEARCH_HIGHLIGHT = 'tarsy-search';
const PLACE_HIGHLIGHT = 'tarsy-place';

export const SEARCH_STYLES = {
  [`::highlight(${SEARCH_HIGHLIGHT})`]: { backgroundColor: '#ffd54a', color: '#1b1300' },
  [`::highlight(${PLACE_HIGHLIGHT})`]: { backgroundColor: '#ff8f00', color: '#1b1300' },
} as const;

// A page of matches is highlighted; a search for "e" must not create 100,000 ranges.
const MOST_MARKS = 2_000;

/**
 * Highlights the query wherever it occurs on the page, with the CSS Custom Highlight API. The DOM stays unchanged.
 * Browsers without that API show no highlights.
 */
export function useSearchMarks(wanted: string): void {
  useEffect(() => {
    const root = document.getElementById('main');
    const text = wanted.trim();
    if (root === null || text.length < SEARCH_MIN || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = (): void => {
      frame = 0;
      CSS.highlights.set(SEARCH_HIGHLIGHT, new Highlight(...rangesOf(root, text, MOST_MARKS)));
    };
    mark();
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(mark);
    });
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(SEARCH_HIGHLIGHT);
      CSS.highlights.delete(PLACE_HIGHLIGHT);
    };
  }, [wanted]);
}

/** Scrolls to a range outside the timeline and highlights it. */
export function goToPlace(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  if (!('highlights' in CSS)) return;
  const highlight = new Highlight(range);
  highlight.priority = 1;
  CSS.highlights.set(PLACE_HIGHLIGHT, highlight);
}
