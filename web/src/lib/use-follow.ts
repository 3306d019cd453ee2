import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

// Coming back to within this distance of the end (px) counts as wanting to be there.
const NEAR_END = 64;
// Rounding of a zoomed page, in px.
const AT_END = 2;

export interface Follow {
  /** Goes on an element right behind what grows. */
  readonly end: RefObject<HTMLDivElement | null>;
  /** The end is in view, or is kept in view. */
  readonly atEnd: boolean;
  /** The end is kept in view: the reader watches. */
  readonly isFollowing: () => boolean;
  readonly jumpToEnd: () => void;
  /** The reader does something with the content: stay where they are. */
  readonly pause: () => void;
  /** Nothing is followed, wherever the page is scrolled to, until it is let go; then the reader is as after a pause. */
  readonly hold: (held: boolean) => void;
  /** To be called in a layout effect of what grows: before paint, so the reader never sees the page jump. */
  readonly settle: () => void;
}

/**
 * Keeps the end of something that grows in view, only for a reader who is there: the least scrolling up or touching
 * the content stops it, coming back to the end starts it again. `initially`: as if the reader were there at first.
 */
export function useFollow(enabled: boolean, initially: boolean): Follow {
  const end = useRef<HTMLDivElement>(null);
  const following = useRef(initially);
  const held = useRef(false);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    let lastTop = window.scrollY;
    const onScroll = (): void => {
      const top = window.scrollY;
      const beyond = distance(end.current);
      if (held.current) following.current = false;
      else if (beyond <= AT_END) following.current = true;
      else if (top < lastTop) following.current = false;
      else if (top > lastTop && beyond <= NEAR_END) following.current = true;
      lastTop = top;
      setAtEnd(beyond <= NEAR_END);
    };
    // Told before the page has scrolled: text that comes between the two must not take the reader back.
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0 && window.scrollY > 0) following.current = false;
    };
    onScroll();
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('wheel', onWheel, { passive: true });
    return () => {
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('wheel', onWheel);
    };
  }, []);

  const settle = useCallback(() => {
    const beyond = distance(end.current);
    if (enabled && following.current && beyond > 0) scrollBy(beyond);
    else setAtEnd(beyond <= NEAR_END);
  }, [enabled]);
  const jumpToEnd = useCallback(() => {
    following.current = true;
    scrollBy(distance(end.current));
    setAtEnd(true);
  }, []);
  const pause = useCallback(() => {
    following.current = false;
  }, []);
  const isFollowing = useCallback(() => following.current, []);
  const hold = useCallback((now: boolean) => {
    held.current = now;
    following.current = false;
  }, []);
  return { end, atEnd, isFollowing, hold, jumpToEnd, pause, settle };
}

/** How far the end is below the window's lower edge, in px; not positive when it is in view or above. */
const distance = (end: HTMLElement | null): number =>
  end === null ? 0 : end.getBoundingClientRect().bottom - window.innerHeight;
const scrollBy = (top: number): void => window.scrollBy({ top, behavior: 'instant' });
