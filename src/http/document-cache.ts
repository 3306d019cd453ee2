import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_CACHED_DOCUMENT_LENGTH, MAX_CACHED_DOCUMENTS } from './tunables.ts';

/** Creates an LRU cache of parsed documents. Long documents contain data and rarely repeat, so they are not cached. */
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

/** Caches validation results by document. Unlike yoga's cache, ignores the rules, because they never change here. */
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
