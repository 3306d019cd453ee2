export interface CacheOptions {
  ttlMs: number;
  failureTtlMs: number;
  /** Maximum number of entries; beyond this number, the oldest entry is evicted. */
  maxEntries: number;
  /** Returns the time of a monotonic clock (ms). */
  now?: () => number;
}

interface Entry<T> {
  value: Promise<T>;
  /** When the entry expires (ms, on the clock of `now`); Infinity while the value loads. */
  validUntil: number;
}

/** Creates a cache that keeps loaded values and failures for a time. Concurrent callers share one load. */
export function createCache<T>(options: CacheOptions) {
  const { ttlMs, failureTtlMs, maxEntries, now = () => performance.now() } = options;
  const entries = new Map<string, Entry<T>>();

  function add(key: string, load: () => Promise<T>): Entry<T> {
    const entry: Entry<T> = { value: load(), validUntil: Number.POSITIVE_INFINITY };
    const keepFor = (ms: number) => {
      entry.validUntil = now() + ms;
    };
    entry.value.then(
      () => keepFor(ttlMs),
      () => keepFor(failureTtlMs),
    );
    entries.delete(key); // moves the key to the end, the newest position
    entries.set(key, entry);
    const oldest = entries.keys().next().value;
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  return {
    get(key: string, load: () => Promise<T>): Promise<T> {
      const known = entries.get(key);
      return (known && now() < known.validUntil ? known : add(key, load)).value;
    },
  };
}
