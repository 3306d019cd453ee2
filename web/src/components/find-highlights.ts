import { useEffect } from 'react';
import { MIN_FIND_LENGTH } from '../lib/find-text.ts';
import { findTextRanges } from '../lib/text-ranges.ts';

/** Highlights of one search: all matches, and the current one. A dialog's search must not disturb the page's. */
export interface FindHighlights {
  readonly all: string;
  readonly current: string;
}
export const PAGE_HIGHLIGHTS: FindHighlights = { all: 'tarsy-search', current: 'tarsy-place' };
export const DIALOG_HIGHLIGHTS: FindHighlights = {
  all: 'tarsy-dialog-search',
  current: 'tarsy-dialog-place',
};

const stylesOf = ({ all, current }: FindHighlights) => ({
  [`::highlight(${all})`]: { backgroundColor: '#ffd54a', color: '#1b1300' },
  [`::highlight(${current})`]: { backgroundColor: '#ff8f00', color: '#1b1300' },
});
/** CSS of the highlights, for `GlobalStyles`. */
export const PAGE_STYLES = stylesOf(PAGE_HIGHLIGHTS);
export const DIALOG_STYLES = stylesOf(DIALOG_HIGHLIGHTS);

// Maximum number of highlighted matches, because a search for "er" could otherwise create 100,000 ranges.
const MAX_HIGHLIGHTS = 2_000;

export interface FindHighlightsOptions {
  readonly query: string;
  readonly names: FindHighlights;
  readonly root: () => Element | null;
  /** Returns the current match; omitted if the caller marks it. */
  readonly current?: () => Range | null;
}

/**
 * Highlights the query wherever it occurs in an element, with the CSS Custom Highlight API. The DOM stays unchanged.
 * Browsers without that API show no highlights.
 */
export function useFindHighlights({ query, names, root: rootOf, current }: FindHighlightsOptions): void {
  useEffect(() => {
    const root = rootOf();
    const text = query.trim();
    if (root === null || text.length < MIN_FIND_LENGTH || !('highlights' in CSS)) return;
    let frame = 0;
    const highlight = (): void => {
      frame = 0;
      CSS.highlights.set(names.all, new Highlight(...findTextRanges(root, text, MAX_HIGHLIGHTS)));
      const range = current?.() ?? null;
      if (range !== null) highlightCurrent(range, names);
    };
    highlight();
    const observer = new MutationObserver(() => {
      frame ||= requestAnimationFrame(highlight);
    });
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [query, names, rootOf, current]);
  useEffect(() => {
    if (query.trim().length < MIN_FIND_LENGTH) clearHighlights(names);
    return () => clearHighlights(names);
  }, [query, names]);
}

function clearHighlights(names: FindHighlights): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete(names.all);
  CSS.highlights.delete(names.current);
}

/** Highlights the match that the viewer has reached. */
export function highlightCurrent(range: Range, { current }: FindHighlights): void {
  if (!('highlights' in CSS)) return;
  const highlight = new Highlight(range);
  highlight.priority = 1;
  CSS.highlights.set(current, highlight);
}
