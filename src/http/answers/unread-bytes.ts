export type UnreadBytes = ReturnType<typeof createUnreadBytes>;

/** Largest size (bytes) of answers that are not counted, because they fit into a connection's buffers. */
const NOT_COUNTED_BYTES = 16 * 1024;

/** Bounds the memory of unread answers. Above `maxBytes` (sum), the connections that waited longest are cut off. */
export function createUnreadBytes(maxBytes: number) {
  const entries = new Set<{ bytes: number; cut: () => void }>();
  let sum = 0;
  const remove = (entry: { bytes: number; cut: () => void }) => {
    if (entries.delete(entry)) sum -= entry.bytes;
  };
  return {
    /** Counts an unread answer; `cut` ends its connection. @returns a function that stops counting the answer */
    add(bytes: number, cut: () => void): () => void {
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
