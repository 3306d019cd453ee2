import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useDensity } from './density.ts';
import { belowHead } from './sticky-height.ts';
import { estimatedRowHeight, type TimelineRow } from './timeline-rows.ts';

/** Height of the sticky timeline bar in px. */
export const BAR_HEIGHT = 48;

// Number of rows rendered beyond each edge of the window: about one flick of the mouse wheel.
const OVERSCAN = 12;

/** Renders only the rows near the window. `list` is the element that contains them. */
export function useTimelineWindow(rows: readonly TimelineRow[], list: RefObject<HTMLElement | null>) {
  const margin = useStableTop(list);
  const printing = usePrinting();
  const [density] = useDensity();
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => estimatedRowHeight(rows[index]!, density === 'compact'),
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    overscan: printing ? rows.length : OVERSCAN,
    scrollMargin: margin,
    // A row that the page scrolls to must not lie under the sticky header and the timeline bar.
    scrollPaddingStart: belowHead() + BAR_HEIGHT + 8,
    scrollPaddingEnd: 24,
  });
  const measured = useRef(density);
  useLayoutEffect(() => {
    if (measured.current === density) return;
    measured.current = density;
    const offset = (virtualizer.scrollOffset ?? 0) + belowHead() + BAR_HEIGHT;
    const top = virtualizer.getVirtualItemForOffset(offset)?.index ?? 0;
    virtualizer.measure();
    // Keeps the row that the viewer reads at the top.
    if (window.scrollY > margin) virtualizer.scrollToIndex(top, { align: 'start' });
  }, [density, virtualizer, margin]);
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
 * Returns an element's distance from the top of the page (px). If content above changes its height while the viewer
 * reads inside the element, the page scrolls along with it.
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
  // Disables the browser's scroll anchoring, which would double the correction. A layout effect does this in time: the
  // browser already scrolls when the first row expands.
  useLayoutEffect(() => {
    // Chromium reads the property from the body, other browsers from the root element.
    const both = [document.documentElement, document.body];
    for (const { style } of both) style.overflowAnchor = 'none';
    return () => {
      for (const { style } of both) style.overflowAnchor = '';
    };
  }, []);
  return top;
}

/** Returns true while the page is printed; all rows have to be rendered then. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // The state changes synchronously, because the browser lays out the print as soon as this handler returns.
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
