import { badUserInput } from '../../schema/errors.ts';

/** Collects the values of a statement and builds conditions on the row `t` that use them. */
export interface Parameters {
  values: unknown[];
  /** Adds a value and returns its placeholder. @throws BAD_USER_INPUT for text with NUL */
  add(value: unknown): string;
  /** Returns the condition that a text column has one of the values; no condition if none is given. */
  any(column: string, wanted: readonly string[] | null | undefined): string[];
  /** Returns a condition such as `at >= $1` for the comparison `at >=`; no condition if the value is `null`. */
  given(comparison: string, value: unknown): string[];
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  const add = (value: unknown) => {
    // PostgreSQL cannot store NUL and would refuse the whole statement.
    if ([value].flat().some((each) => typeof each === 'string' && each.includes('\0')))
      throw badUserInput('A filter cannot contain the character NUL (U+0000).');
    return `$${values.push(value)}`;
  };
  return {
    values,
    add,
    any: (column, wanted) => (wanted?.length ? [`t.${column} = any(${add(wanted)}::text[])`] : []),
    given: (comparison, value) => (value == null ? [] : [`t.${comparison} ${add(value)}`]),
  };
}
