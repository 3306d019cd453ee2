import { useEffect } from 'react';
import { findTextRanges } from './text-ranges.ts';
import { MIN_SEARCH_LENGTH } from './timeline-search.ts';

/** Names of the CSS highlights: all matches, and the current match. */
const SEARCH_HIGHLIGHT = 'tarsy-search';
const CURRENT_HIGHLIGHT = 'tarsy-place';

export const SEARCH_HIGHLIGHT_STYLES = {
  [`::highlight(${SEARCH_HIGHLIGHT})`]: { backgroundColor: '#ffd54a', color: '#1b1300' },
  [`::highlight(${CURRENT_HIGHLIGHT})`]: { backgroundColor: '#ff8f00', color: '#1b1300' },
} as const;

// Maximum number of highlighted matches, because a search for "e" could otherwise create 100,000 ranges.
const MAX_HIGHLIGHTS = 2_000;

/**
 * Highlights the query wherever it occurs on the page, with the CSS Custom Highlight API. The DOM stays unchanged.
 * Browsers without that API show no highlights.
 */
export function useSearchHighlights(query: string): void {
  useEffect(() => {
    const root = document.getElementById('main');
    const text = query.trim();
    if (root === null || text.length < MIN_SEARCH_LENGTH || !('highlights' in CSS)) return;
    let frame = 0;
    const highlight = (): void => {
      frame = 0;
      CSS.highlights.set(SEARCH_HIGHLIGHT, new Highlight(...findTextRanges(root, text, MAX_HIGHLIGHTS)));
    };
    highlight();
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(highlight);
    });
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(SEARCH_HIGHLIGHT);
      CSS.highlights.delete(CURRENT_HIGHLIGHT);
    };
  }, [query]);
}

/** Scrolls to a range outside the timeline and highlights it. */
export function scrollToRange(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  if (!('highlights' in CSS)) return;
  const highlight = new Highlight(range);
  highlight.priority = 1;
  CSS.highlights.set(CURRENT_HIGHLIGHT, highlight);
}
