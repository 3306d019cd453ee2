/** What a field costs by itself, in objects of an answer, which count 1 each. */
export type FieldCost = number | ((args: Readonly<Record<string, unknown>>) => number);

/** A field's extension that declares its cost; a document is refused when all of its fields cost too much. */
export function costs(cost: FieldCost): { cost: FieldCost } {
  return { cost };
}

/** A large text or JSON value, read by itself. */
export const LARGE_VALUE = costs(20);
