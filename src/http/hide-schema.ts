import { NoSchemaIntrospectionCustomRule, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Refuses introspection and removes "Did you mean …?" from errors, because such suggestions reveal field names. */
export function hideSchema(): Plugin {
  const hide = (args: object): void => void Object.assign(args, { hideSuggestions: true });
  return {
    onValidate({ addValidationRule, setValidationFn }) {
      addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rules, { hideSuggestions: true }),
      );
    },
    onExecute: ({ args }) => hide(args),
    onSubscribe: ({ args }) => hide(args),
  };
}
