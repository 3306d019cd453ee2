import { type ValidationOptions, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Removes "Did you mean …?" from errors, because guesses would reveal the schema where introspection is off. */
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
