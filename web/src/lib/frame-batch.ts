/** Collects entries and passes them on in batches. */
export interface Batch<T> {
  readonly push: (entry: T) => void;
  /** Drops the collected entries. */
  readonly cancel: () => void;
}

// Maximum time (ms) that a batch collects entries in a background page, which gets no animation frames.
const HIDDEN_MS = 500;

// Minimum time (ms) between batches: 25 updates a second read as flowing text, and more only cost rendering.
const APART_MS = 40;

/** Creates a batch that calls `handle` in animation frames, at least APART_MS apart. */
export function createFrameBatch<T>(handle: (entries: readonly T[]) => void): Batch<T> {
  let entries: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushedAt = Number.NEGATIVE_INFINITY;
  const onFrame = (now: number): void => {
    // Tolerates half a frame, because frames may come early.
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
