/** Frames to wait for a range that is still being rendered, about two seconds. */
const MAX_FRAMES = 120;
/** Frames without movement after which the range has landed; rows that are measured late move it. */
const STILL_FRAMES = 15;

export interface Landing {
  /** Returns the range; `null` while it is not rendered. */
  readonly locate: () => Range | null;
  /** Called in each frame with the range, before scrolling. */
  readonly found: (range: Range) => void;
  /** Height (px) that sticky parts cover at the top of the window. */
  readonly covered: number;
}

let current: AbortController | null = null;

/** Scrolls boxes and window until the range is in view, and keeps it there until the page stands still or the viewer scrolls. */
export function landOnRange({ locate, found, covered }: Landing): void {
  current?.abort();
  const landing = new AbortController();
  current = landing;
  const stop = (): void => landing.abort();
  for (const kind of ['wheel', 'touchmove'])
    window.addEventListener(kind, stop, { signal: landing.signal, passive: true });
  let [frames, still] = [0, 0];
  const next = (): void => {
    if (landing.signal.aborted) return;
    const range = locate();
    frames += 1;
    if (range !== null) {
      found(range);
      still = scrollToRange(range, covered) ? 0 : still + 1;
    }
    if (frames < MAX_FRAMES && still < STILL_FRAMES) requestAnimationFrame(next);
    else stop();
  };
  next();
}

/** Scrolls every box around the range and the window so that the range is in the middle. Returns true if anything moved. */
function scrollToRange(range: Range, covered: number): boolean {
  const before = range.getBoundingClientRect().top;
  for (let box = range.startContainer.parentElement; box !== null; box = box.parentElement) {
    if (box === document.body || box === document.documentElement) break;
    if ('scrollsItself' in box.dataset) continue; // a virtual list goes to the place on its own
    if (box.scrollHeight <= box.clientHeight || !/auto|scroll/.test(getComputedStyle(box).overflowY))
      continue;
    const place = range.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.top + box.clientHeight)
      box.scrollTop += place.top - frame.top - box.clientHeight / 2;
  }
  const { top, bottom } = range.getBoundingClientRect();
  if (top < covered || bottom > window.innerHeight - 24)
    window.scrollBy({ top: top - (covered + window.innerHeight) / 2, behavior: 'instant' });
  return Math.abs(range.getBoundingClientRect().top - before) > 1;
}
