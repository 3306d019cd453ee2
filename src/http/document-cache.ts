import { MAX_CACHED_DOCUMENT_LENGTH, MAX_CACHED_DOCUMENTS } from './tunables.ts';

/**
 * Creates a least-recently-used cache of parsed documents, keyed by their text. Long documents are not cached: they
 * have data written into them, so they rarely repeat and would fill the memory.
 */
export function createDocumentCache<T>(
  options = { entries: MAX_CACHED_DOCUMENTS, length: MAX_CACHED_DOCUMENT_LENGTH },
) {
  const entries = new Map<string, T>();
  return {
    get(document: string): T | undefined {
      const value = entries.get(document);
      if (value === undefined) return undefined;
      entries.delete(document);
      entries.set(document, value);
      return value;
    },
    set(document: string, value: T): void {
      if (document.length > options.length) return;
      entries.set(document, value);
      const [oldest] = entries.keys();
      if (entries.size > options.entries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
