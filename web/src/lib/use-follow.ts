import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

// Scrolling back to within this distance (px) of the end resumes following.
const NEAR_END = 64;
// Distance (px) that still counts as the end, because a zoomed page has rounding errors.
const AT_END = 2;
// Keys that scroll up.
const SCROLL_KEYS: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

export interface Follow {
  /** Ref for an element directly behind the growing content. */
  readonly end: RefObject<HTMLDivElement | null>;
  /** True if the end is visible or followed. */
  readonly atEnd: boolean;
  /** True if the end is kept in view. */
  readonly isFollowing: () => boolean;
  readonly jumpToEnd: () => void;
  /** Stops following, because the viewer interacts with the content. */
  readonly pause: () => void;
  /**
   * `true` disables following, even at the end of the content. `false` allows following again, but starts
   * paused.
   */
  readonly hold: (held: boolean) => void;
  /** Scrolls to a followed end. Called in a layout effect after the content grows, so that the page does not jump. */
  readonly settle: () => void;
}

/**
 * Keeps the end of growing content in view. Scrolling up stops following; scrolling back to the end resumes it.
 * `initially`: true to follow from the start.
 */
export function useFollow(enabled: boolean, initially: boolean): Follow {
  const end = useRef<HTMLDivElement>(null);
  const following = useRef(initially);
  const held = useRef(false);
  // True after `jumpToEnd` until the viewer scrolls by hand: a field that shrinks also scrolls the page up.
  const pinned = useRef(false);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    let lastTop = window.scrollY;
    const onScroll = (): void => {
      const top = window.scrollY;
      const beyond = distance(end.current);
      if (held.current) following.current = false;
      else if (beyond <= AT_END) following.current = true;
      else if (top < lastTop && !pinned.current) following.current = false;
      else if (top > lastTop && beyond <= NEAR_END) following.current = true;
      lastTop = top;
      setAtEnd(beyond <= NEAR_END);
    };
    // The wheel event fires before the page scrolls. Text that arrives in between must not scroll the page back.
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0 && window.scrollY > 0) release();
    };
    const release = (): void => {
      pinned.current = false;
      following.current = false;
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (SCROLL_KEYS.has(key)) pinned.current = false;
    };
    const onPointerDown = ({ target }: PointerEvent): void => {
      if (target === document.documentElement) pinned.current = false; // the scroll bar
    };
    const onTouchMove = (): void => {
      pinned.current = false;
    };
    onScroll();
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('wheel', onWheel, { passive: true });
    window.addEventListener('touchmove', onTouchMove, { passive: true });
    window.addEventListener('keydown', onKeyDown);
    window.addEventListener('pointerdown', onPointerDown);
    return () => {
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('wheel', onWheel);
      window.removeEventListener('touchmove', onTouchMove);
      window.removeEventListener('keydown', onKeyDown);
      window.removeEventListener('pointerdown', onPointerDown);
    };
  }, []);

  const settle = useCallback(() => {
    const beyond = distance(end.current);
    if ((enabled || pinned.current) && following.current && beyond > 0) scrollBy(beyond);
    else setAtEnd(beyond <= NEAR_END);
  }, [enabled]);
  const jumpToEnd = useCallback(() => {
    following.current = true;
    pinned.current = true;
    scrollBy(distance(end.current));
    setAtEnd(true);
  }, []);
  const pause = useCallback(() => {
    pinned.current = false;
    following.current = false;
  }, []);
  const isFollowing = useCallback(() => following.current, []);
  const hold = useCallback((now: boolean) => {
    held.current = now;
    pinned.current = false;
    following.current = false;
  }, []);
  return { end, atEnd, isFollowing, hold, jumpToEnd, pause, settle };
}

/** Returns the distance (px) of the end below the window; 0 or negative if the end is visible or above. */
const distance = (end: HTMLElement | null): number =>
  end === null ? 0 : end.getBoundingClientRect().bottom - window.innerHeight;
const scrollBy = (top: number): void => window.scrollBy({ top, behavior: 'instant' });
