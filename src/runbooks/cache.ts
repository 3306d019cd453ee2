/** Keeps what was loaded for a while; whoever asks meanwhile waits for the same load. */
export interface Cache<T> {
  /** @throws what `load` throws; a failure is kept for its own, shorter time */
  get(key: string, load: () => Promise<T>): Promise<T>;
}

export interface CacheOptions {
  ttlMs: number;
  failureTtlMs: number;
  /** The oldest entry makes room for one more. */
  maxEntries: number;
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
}

interface Entry<T> {
  value: Promise<T>;
  /** Infinity while it loads. */
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
    entries.delete(key); // the newest is the last
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
