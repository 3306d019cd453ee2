import { type RefObject, useEffect } from 'react';
import { literal, SEARCH_MIN } from './timeline-search.ts';

/** Name of the highlight; its colours are in the timeline's styles. */
export const SEARCH_HIGHLIGHT = 'tarsy-search';

// A page of matches is marked; a search for "e" must not build a range for each of 100,000.
const MOST_MARKS = 2_000;

/**
 * Marks the searched words wherever they stand inside an element, without touching what is rendered: by the
 * browser's highlight registry. A browser that has none shows the places without marks.
 */
export function useSearchMarks(element: RefObject<HTMLElement | null>, wanted: string): void {
  useEffect(() => {
    const root = element.current;
    const text = wanted.trim();
    if (root === null || text.length < SEARCH_MIN || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = (): void => {
      frame = 0;
      CSS.highlights.set(SEARCH_HIGHLIGHT, new Highlight(...rangesOf(root, literal(text, 'gi'))));
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
    };
  }, [element, wanted]);
}

function rangesOf(root: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST_MARKS; node = walker.nextNode()) {
    for (const match of (node.textContent ?? '').matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
