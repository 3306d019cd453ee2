/** Values of a statement under construction. */
export interface Parameters {
  values: unknown[];
  /** Takes a value; gives its place in the statement. */
  add(value: unknown): string;
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}
