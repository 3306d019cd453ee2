import { badUserInput } from '../../schema/errors.ts';

/** Parameters of an SQL statement under construction. */
export interface Parameters {
  values: unknown[];
  /** Adds a value and returns its placeholder. @throws BAD_USER_INPUT for text with NUL */
  add(value: unknown): string;
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  return {
    values,
    add(value) {
      // PostgreSQL cannot store NUL and refuses the whole statement.
      if ([value].flat().some((each) => typeof each === 'string' && each.includes('\0')))
        throw badUserInput('A filter cannot contain the character NUL (U+0000).');
      return `$${values.push(value)}`;
    },
  };
}
