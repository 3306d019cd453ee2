import { isDeepStrictEqual } from 'node:util';
import { type CaseTool, sorted } from './document.ts';

/** Returns arguments under the names of the recording: aliases of parameters are replaced. */
export function withoutAliases(
  args: Record<string, unknown>,
  tool: Pick<CaseTool, 'aliases'> | undefined,
): Record<string, unknown> {
  const aliases = tool?.aliases ?? {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      Object.hasOwn(aliases, name) ? aliases[name]! : name,
      value,
    ]),
  );
}

/**
 * Returns arguments in a form that is equal for all arguments with the same meaning: aliases are replaced, values have
 * the type of the tool's schema, empty, default and meaningless values are left out, and keys are sorted.
 */
export function normalizedArguments(
  args: Record<string, unknown>,
  tool: CaseTool | undefined,
): Record<string, unknown> {
  const properties = asObject(tool?.input_schema.properties) ?? {};
  const without = new Set<string>();
  const entries = Object.entries(withoutAliases(args, tool)).flatMap(
    ([key, written]): [string, unknown][] => {
      const schema = asObject(Object.hasOwn(properties, key) ? properties[key] : null) ?? {};
      const known = knownValue(typed(written, schema), tool?.values?.[key]);
      for (const name of known.without) without.add(name);
      const isDefault =
        schema.default !== undefined && isDeepStrictEqual(known.value, typed(schema.default, schema));
      return isDefault || isEmpty(known.value) ? [] : [[key, known.value]];
    },
  );
  const meant = entries.filter(([key]) => !without.has(key));
  return sorted(Object.fromEntries(meant)) as Record<string, unknown>;
}

type KnownValues = NonNullable<CaseTool['values']>[string];

/** Returns a value as the recording spells it, with the parameters that have no meaning together with it. */
function knownValue(
  value: unknown,
  values: KnownValues = {},
): { value: unknown; without: readonly string[] } {
  if (typeof value !== 'string') return { value, without: [] };
  const text = value.toLowerCase();
  const isSame = (other: string) => other.toLowerCase() === text;
  const found = Object.entries(values).find(([name, { aliases }]) => isSame(name) || aliases.some(isSame));
  return found === undefined ? { value, without: [] } : { value: found[0], without: found[1].without };
}

/** Returns a value with the type that its schema names, where the value can be read as that type. */
function typed(value: unknown, schema: Record<string, unknown>): unknown {
  const { type } = schema;
  if (Array.isArray(value)) {
    const items = value.map((item) => typed(item, asObject(schema.items) ?? {}));
    return schema.uniqueItems === true
      ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (typeof value === 'number') return type === 'string' ? String(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if ((type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
