import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { belowHead } from './sticky-height.ts';
import { estimatedRowHeight, type TimelineRow } from './timeline-rows.ts';

/** Height of the sticky timeline bar in px. */
export const BAR_HEIGHT = 48;

// Rows rendered beyond each edge of the window: about one flick of the wheel.
const OVERSCAN = 12;

/** Virtualizes the rows. `list` is the element that holds them. */
export function useTimelineWindow(rows: readonly TimelineRow[], list: RefObject<HTMLElement | null>) {
  const margin = useStableTop(list);
  const printing = usePrinting();
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => estimatedRowHeight(rows[index]!),
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    overscan: printing ? rows.length : OVERSCAN,
    scrollMargin: margin,
    // Rows must not end up below the sticky header and the timeline bar.
    scrollPaddingStart: belowHead() + BAR_HEIGHT + 8,
    scrollPaddingEnd: 24,
  });
  const scrollToKey = useCallback(
    (key: string): boolean => {
      const index = rows.findIndex((row) => row.key === key);
      if (index >= 0) virtualizer.scrollToIndex(index, { align: 'start' });
      return index >= 0;
    },
    [rows, virtualizer],
  );
  return { virtualizer, margin, scrollToKey };
}

/**
 * Returns the top of an element on the page, in px. When content above changes its height while the viewer is inside
 * the element, the page scrolls along, so that the visible text stays in place.
 */
function useStableTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  const known = useRef(0);
  const measure = useCallback(() => {
    if (element.current === null) return;
    const next = Math.round(element.current.getBoundingClientRect().top + window.scrollY);
    const change = next - known.current;
    if (change === 0) return;
    if (known.current > 0 && window.scrollY > known.current) {
      window.scrollBy({ top: change, behavior: 'instant' });
    }
    known.current = next;
    setTop(next);
  }, [element]);
  useLayoutEffect(measure);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [measure]);
  // The browser's own scroll anchoring would double the correction. A layout effect, because the browser already
  // scrolls when the first row expands.
  useLayoutEffect(() => {
    // Chromium reads this from the body, other browsers from the root.
    const both = [document.documentElement, document.body];
    for (const { style } of both) style.overflowAnchor = 'none';
    return () => {
      for (const { style } of both) style.overflowAnchor = '';
    };
  }, []);
  return top;
}

/** Returns true while printing, when all rows have to be rendered. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // The browser lays out the print as soon as this handler returns.
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
