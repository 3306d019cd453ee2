import { useEffect } from 'react';
import { rangesOf } from './text-ranges.ts';
import { SEARCH_MIN } from './timeline-search.ts';

/** Names of the highlights: of all that was found, and of where the reader is. */
const SEARCH_HIGHLIGHT = 'tarsy-search';
const PLACE_HIGHLIGHT = 'tarsy-place';

/** Their colours, for the whole page. */
export const SEARCH_STYLES = {
  [`::highlight(${SEARCH_HIGHLIGHT})`]: { backgroundColor: '#ffd54a', color: '#1b1300' },
  [`::highlight(${PLACE_HIGHLIGHT})`]: { backgroundColor: '#ff8f00', color: '#1b1300' },
} as const;

// A page of matches is marked; a search for "e" must not build a range for each of 100,000.
const MOST_MARKS = 2_000;

/**
 * Marks the searched words wherever they stand on the page, without touching what is rendered: by the browser's
 * highlight registry. A browser that has none shows the places without marks.
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

/** Brings a place outside of the timeline into view, and marks it. */
export function goToPlace(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  if (!('highlights' in CSS)) return;
  const highlight = new Highlight(range);
  highlight.priority = 1;
  CSS.highlights.set(PLACE_HIGHLIGHT, highlight);
}
