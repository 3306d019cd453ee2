import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { belowHead } from './sticky-height.ts';
import { estimatedHeight, type TimelineRow } from './timeline-rows.ts';

/** Height of the bar that sticks to the top of the timeline, in px. */
export const BAR_HEIGHT = 48;

// Rows kept ready on either side of the window: what a flick of the wheel brings into view.
const OVERSCAN = 12;

/** The part of a long list of rows that is in view, or near it. `list` is the element that holds them. */
export function useTimelineWindow(rows: readonly TimelineRow[], list: RefObject<HTMLElement | null>) {
  const margin = useTopOf(list);
  const printing = usePrinting();
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => estimatedHeight(rows[index]!),
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    overscan: printing ? rows.length : OVERSCAN,
    scrollMargin: margin,
    // What is scrolled to must not end below the page's header and the timeline's bar.
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
 * Where an element begins on the page, in px. When what is above it changes its height while the reader is inside,
 * the page is scrolled along, so that the words under their eyes stay where they are.
 */
function useTopOf(element: RefObject<HTMLElement | null>): number {
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
  // The browser would move the page as well, twice as far as it should.
  // At once: it moves the page already when the first row opens.
  useLayoutEffect(() => {
    // Chromium asks the body about the page, others ask the root.
    const both = [document.documentElement, document.body];
    for (const { style } of both) style.overflowAnchor = 'none';
    return () => {
      for (const { style } of both) style.overflowAnchor = '';
    };
  }, []);
  return top;
}

/** Paper has no window to scroll: all rows are laid out for it. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // The page is laid out for paper as soon as this returns.
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
