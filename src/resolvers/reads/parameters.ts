import { badUserInput } from '../../schema/errors.ts';

export interface Parameters {
  values: unknown[];
  /** Adds a value and returns its placeholder. @throws BAD_USER_INPUT for text with NUL */
  add(value: unknown): string;
}

/** Returns the condition that a text column of `t` has one of the values; none for an empty list. */
export function any(
  column: string,
  wanted: readonly string[] | null | undefined,
  add: Parameters['add'],
): string[] {
  return wanted && wanted.length > 0 ? [`t.${column} = any(${add(wanted)}::text[])`] : [];
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
