import { z } from 'zod';
import { alternatives, isSchema, type JsonSchema } from './schema-tree.ts';
import type { Path } from './source-file.ts';

/**
 * Returns a function that lists the keys allowed in the mapping `written` at a path, for suggestions. Where the schema
 * has several alternatives, the mapping's `type` selects one.
 */
export function knownKeysOf(schema: z.ZodType): (path: Path, written: unknown) => readonly string[] {
  let root: JsonSchema | undefined;
  return (path, written) => {
    root ??= z.toJSONSchema(schema, { io: 'input' });
    let level = [root];
    for (const part of path) level = level.flatMap(alternatives).flatMap((at) => step(at, part));
    const forms = level.flatMap(alternatives);
    const fitting = forms.filter((form) => isOfType(form, written));
    return [...new Set((fitting.length > 0 ? fitting : forms).flatMap(keys))];
  };
}

function isOfType(form: JsonSchema, written: unknown): boolean {
  const type = form.properties?.type;
  const says = typeof written === 'object' && written !== null ? Reflect.get(written, 'type') : undefined;
  return isSchema(type) && type.const !== undefined && type.const === says;
}

function keys(schema: JsonSchema): string[] {
  const names = isSchema(schema.propertyNames) ? (schema.propertyNames.enum ?? []) : [];
  return [...Object.keys(schema.properties ?? {}), ...names.map(String)];
}

function step(schema: JsonSchema, part: PropertyKey): JsonSchema[] {
  const next: unknown =
    typeof part === 'number'
      ? schema.items
      : (schema.properties?.[String(part)] ?? schema.additionalProperties);
  return isSchema(next) ? [next] : [];
}
