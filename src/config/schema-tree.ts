import type { z } from 'zod';

/** JSON Schema as a tree, without `$ref`. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Returns the alternatives of a schema (`oneOf`, `anyOf`), flattened; the schema itself if it has none. */
export function alternatives(schema: JsonSchema): JsonSchema[] {
  const options = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(isSchema);
  return options.length === 0 ? [schema] : options.flatMap(alternatives);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the schema of entries under operator-chosen names; `null` if the schema allows no such entries. */
export function entrySchema({ additionalProperties }: JsonSchema): JsonSchema | null {
  return isSchema(additionalProperties) ? additionalProperties : null;
}

export function objectItems({ items }: JsonSchema): JsonSchema[] {
  return isSchema(items) ? alternatives(items).filter(hasKeys) : [];
}

/** Returns the patterns (as in key-visibility.ts) of all keys that hold a value. */
export function keyPatterns(schema: JsonSchema, at = ''): string[] {
  return alternatives(schema).flatMap((form) => {
    const named = entrySchema(form);
    const items = objectItems(form);
    if (!hasKeys(form) && items.length === 0) return at === '' ? [] : [at];
    return [
      ...Object.entries(form.properties ?? {}).flatMap(([key, inner]) =>
        isSchema(inner) ? keyPatterns(inner, childPattern(at, key)) : [],
      ),
      ...(named === null ? [] : keyPatterns(named, childPattern(at, '<name>'))),
      ...items.flatMap((item) => keyPatterns(item, `${at}[]`)),
    ];
  });
}

export function childPattern(pattern: string, key: string): string {
  return pattern === '' ? key : `${pattern}.${key}`;
}

function hasKeys(form: JsonSchema): boolean {
  return form.properties !== undefined || entrySchema(form) !== null;
}
