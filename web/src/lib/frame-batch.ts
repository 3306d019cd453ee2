/** Collects entries and passes them on in batches. */
export interface Batch<T> {
  readonly push: (entry: T) => void;
  /** Drops collected entries and stops. */
  readonly cancel: () => void;
}

// Background pages get no animation frames; this timer limits what they collect.
const HIDDEN_MS = 500;

// 25 updates a second read as flowing text; more only cost rendering.
const APART_MS = 40;

/** Passes on at most one batch per animation frame, at least APART_MS apart. */
export function createFrameBatch<T>(handle: (entries: readonly T[]) => void): Batch<T> {
  let entries: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushedAt = Number.NEGATIVE_INFINITY;
  const onFrame = (now: number): void => {
    // Frames may come early; half a frame is tolerated.
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
