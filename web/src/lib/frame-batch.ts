/** Gathers what arrives and hands it on in batches. */
export interface Batch<T> {
  readonly push: (entry: T) => void;
  /** Drops what is there; nothing is handed on any more. */
  readonly cancel: () => void;
}

// A page in the background gets no frames: it still must not gather without end.
const HIDDEN_MS = 500;

// Text that grows 25 times a second reads as flowing; each further time costs a rendering that nobody sees.
const APART_MS = 40;

/** At most one batch per animation frame, and at least APART_MS apart. */
export function createFrameBatch<T>(handle: (entries: readonly T[]) => void): Batch<T> {
  let entries: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushedAt = Number.NEGATIVE_INFINITY;
  const onFrame = (now: number): void => {
    // A frame comes a little early or late: half of one is near enough.
    if (now - flushedAt >= APART_MS - 8) flush();
    else frame = requestAnimationFrame(onFrame);
  };
  const unschedule = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
  };
  const flush = (): void => {
    unschedule();
    flushedAt = performance.now();
    const batch = entries;
    entries = [];
    if (batch.length > 0) handle(batch);
  };
  return {
    push: (entry) => {
      entries.push(entry);
      if (frame !== undefined) return;
      frame = requestAnimationFrame(onFrame);
      timer = setTimeout(flush, HIDDEN_MS);
    },
    cancel: () => {
      unschedule();
      entries = [];
    },
  };
}
