import { type ValidationOptions, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * "Did you mean …?" tells names that the document did not have. Where nobody may ask for the schema, guessing must not
 * bring it out name by name.
 */
export function hideSuggestions(): Plugin {
  const hide = (args: object): void => void Object.assign(args, { hideSuggestions: true });
  return {
    onValidate({ setValidationFn }) {
      setValidationFn((schema, document, rules, _typeInfo, options?: ValidationOptions) =>
        validate(schema, document, rules, { ...options, hideSuggestions: true }),
      );
    },
    onExecute: ({ args }) => hide(args),
    onSubscribe: ({ args }) => hide(args),
  };
}
