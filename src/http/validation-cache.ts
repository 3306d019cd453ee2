import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * What the validation of a document said is remembered as long as the document is. Yoga's own cache asks with each request for
 * which rules it was, by the names of all; here they are always the same.
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
