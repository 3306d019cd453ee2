/** Gathers what arrives and hands it on in batches. */
export interface Batch<T> {
  readonly push: (entry: T) => void;
  /** Drops what is there; nothing is handed on any more. */
  readonly cancel: () => void;
}

// A page in the background gets no frames: it still must not gather without end.
const HIDDEN_MS = 500;

/** One batch per animation frame. */
export function createFrameBatch<T>(handle: (entries: readonly T[]) => void): Batch<T> {
  let entries: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unschedule = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
  };
  const flush = (): void => {
    unschedule();
    const batch = entries;
    entries = [];
    if (batch.length > 0) handle(batch);
  };
  return {
    push: (entry) => {
      entries.push(entry);
      if (frame !== undefined) return;
      frame = requestAnimationFrame(flush);
      timer = setTimeout(flush, HIDDEN_MS);
    },
    cancel: () => {
      unschedule();
      entries = [];
    },
  };
}
