import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

// Within this distance from its end (px) the reader counts as being at the end.
const NEAR_END = 64;

export interface Follow<E extends HTMLElement> {
  /** Goes on the element that grows. */
  readonly content: RefObject<E | null>;
  /** The end is in view, or is kept in view. */
  readonly atEnd: boolean;
  readonly jumpToEnd: () => void;
  /** The reader does something with the content: stay where they are. */
  readonly pause: () => void;
}

/**
 * Keeps the end of a growing page in view, only for a reader who is there: scrolling up or touching the content
 * stops it, coming back to the end starts it again.
 */
export function useFollow<E extends HTMLElement>(enabled: boolean): Follow<E> {
  const content = useRef<E>(null);
  const following = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    let lastTop = window.scrollY;
    const onScroll = (): void => {
      const top = window.scrollY;
      if (isNearEnd()) following.current = true;
      else if (top < lastTop) following.current = false;
      lastTop = top;
      setAtEnd(isNearEnd());
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);

  useEffect(() => {
    if (content.current === null) return;
    // Runs after layout and before paint: the reader never sees the page jump.
    const observer = new ResizeObserver(() => {
      if (enabled && following.current) scrollToEnd();
      else setAtEnd(isNearEnd());
    });
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [enabled]);

  const jumpToEnd = useCallback(() => {
    following.current = true;
    scrollToEnd();
    setAtEnd(true);
  }, []);
  const pause = useCallback(() => {
    following.current = false;
  }, []);
  return { content, atEnd, jumpToEnd, pause };
}

const isNearEnd = (): boolean =>
  window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - NEAR_END;
const scrollToEnd = (): void =>
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
