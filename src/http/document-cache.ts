import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_CACHED_DOCUMENT_LENGTH, MAX_CACHED_DOCUMENTS } from './tunables.ts';

/**
 * Creates a least-recently-used cache of parsed documents, keyed by their text. Long documents are not cached: they have
 * data written into them, so they rarely repeat and would fill the memory.
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

/**
 * Caches validation results as long as their document. Yoga's own cache compares the names of all rules at each request;
 * here the rules never change.
 */
export function validationCache(): Plugin {
  const known = new WeakMap<DocumentNode, readonly Error[]>();
  return {
    onValidate({ params: { documentAST }, setResult }) {
      const errors = known.get(documentAST);
      if (errors !== undefined) return setResult(errors);
      return ({ result }) => void known.set(documentAST, result);
    },
  };
}
