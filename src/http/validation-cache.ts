import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * Caches validation results as long as their document. Yoga's own cache compares the names of all rules at each
 * request; here the rules never change.
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
