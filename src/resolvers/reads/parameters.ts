import { badUserInput } from '../../schema/errors.ts';

/** Values of a statement under construction. */
export interface Parameters {
  values: unknown[];
  /** Takes a value; gives its place in the statement. @throws BAD_USER_INPUT for a text with NUL, as no stored one has */
  add(value: unknown): string;
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  return {
    values,
    add(value) {
      // The database has no such character, and refuses the whole statement.
      if ([value].flat().some((each) => typeof each === 'string' && each.includes('\0')))
        throw badUserInput('A filter cannot contain the character NUL (U+0000).');
      return `$${values.push(value)}`;
    },
  };
}
