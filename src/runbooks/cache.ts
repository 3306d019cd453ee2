/** Caches loaded values for a time; concurrent callers share one load. */
export interface Cache<T> {
  /** Returns the cached or loaded value. @throws the error of `load`; failures are cached for `failureTtlMs` */
  get(key: string, load: () => Promise<T>): Promise<T>;
}

export interface CacheOptions {
  ttlMs: number;
  failureTtlMs: number;
  /** Maximum number of entries; the oldest one is evicted. */
  maxEntries: number;
  /** Returns the time of a monotonic clock (ms). */
  now?: () => number;
}

interface Entry<T> {
  value: Promise<T>;
  /** Infinity while the value loads. */
  validUntil: number;
}

export function createCache<T>({
  ttlMs,
  failureTtlMs,
  maxEntries,
  now = performance.now.bind(performance),
}: CacheOptions): Cache<T> {
  const entries = new Map<string, Entry<T>>();

  function add(key: string, load: () => Promise<T>): Entry<T> {
    const entry: Entry<T> = { value: load(), validUntil: Number.POSITIVE_INFINITY };
    entry.value.then(
      () => {
        entry.validUntil = now() + ttlMs;
      },
      () => {
        entry.validUntil = now() + failureTtlMs;
      },
    );
    entries.delete(key); // moves the key to the end, the newest position
    entries.set(key, entry);
    const oldest = entries.keys().next().value;
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  return {
    get(key, load) {
      const known = entries.get(key);
      return (known && now() < known.validUntil ? known : add(key, load)).value;
    },
  };
}
