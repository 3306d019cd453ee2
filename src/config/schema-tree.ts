import type { z } from 'zod';

/** A schema of the configuration as JSON Schema: a tree, without references. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The forms that a value may have, one by one. */
export function branches(schema: JsonSchema): JsonSchema[] {
  const options = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(isSchema);
  return options.length === 0 ? [schema] : options.flatMap(branches);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of the keys that the operator names; null = there are none such. */
export function namedOf({ additionalProperties }: JsonSchema): JsonSchema | null {
  return isSchema(additionalProperties) ? additionalProperties : null;
}

/** Those forms of a list's items that have keys. */
export function keyedItems({ items }: JsonSchema): JsonSchema[] {
  return isSchema(items) ? branches(items).filter(hasKeys) : [];
}

/**
 * Every key of a schema that holds a value, as `queue.max_pending`: `<name>` stands for what the operator names, `[]` for each
 * item of a list.
 */
export function patternsOf(schema: JsonSchema, at = ''): string[] {
  return branches(schema).flatMap((form) => {
    const named = namedOf(form);
    const items = keyedItems(form);
    if (!hasKeys(form) && items.length === 0) return at === '' ? [] : [at];
    return [
      ...Object.entries(form.properties ?? {}).flatMap(([key, inner]) =>
        isSchema(inner) ? patternsOf(inner, below(at, key)) : [],
      ),
      ...(named === null ? [] : patternsOf(named, below(at, '<name>'))),
      ...items.flatMap((item) => patternsOf(item, `${at}[]`)),
    ];
  });
}

export function below(pattern: string, key: string): string {
  return pattern === '' ? key : `${pattern}.${key}`;
}

function hasKeys(form: JsonSchema): boolean {
  return form.properties !== undefined || namedOf(form) !== null;
}
