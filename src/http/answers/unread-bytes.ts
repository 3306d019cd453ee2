/** Answers that were handed to their connections and wait there until their clients read them. */
export interface Unread {
  /** Counts one more; `cut` ends its connection. Returns the way to say that it was read, or is gone. */
  add(bytes: number, cut: () => void): () => void;
}

/** Answers up to this many bytes fit into the buffers of a connection. */
const NOT_COUNTED_BYTES = 16 * 1024;

/**
 * Bounds the memory of what clients do not read: once all of it together is too much, those that have had most time are
 * cut off.
 */
export function createUnread(maxBytes: number): Unread {
  const entries = new Set<{ bytes: number; cut: () => void }>();
  let sum = 0;
  const remove = (entry: { bytes: number; cut: () => void }) => {
    if (entries.delete(entry)) sum -= entry.bytes;
  };
  return {
    add(bytes, cut) {
      if (bytes <= NOT_COUNTED_BYTES) return () => {};
      const entry = { bytes, cut };
      entries.add(entry);
      sum += bytes;
      while (sum > maxBytes && entries.size > 1) {
        const [oldest] = entries;
        if (oldest === undefined) break;
        remove(oldest);
        oldest.cut();
      }
      return () => remove(entry);
    },
  };
}
