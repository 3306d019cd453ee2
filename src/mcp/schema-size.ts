export type Schema = Record<string, unknown>;

/** Maximum size of a schema (characters), because each is part of every prompt. Common servers stay below 10 kB. */
const MAX_SCHEMA_CHARACTERS = 32_000;
const MAX_DEPTH = 32;

/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
/** Keywords whose value is data instead of a schema. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);
/** Keywords that only explain. The first step removes them, except descriptions. */
const EXPLANATIONS: ReadonlySet<string> = new Set(['title', 'examples', '$comment', 'markdownDescription']);
/** Size of an enum or default beyond which it is removed with the descriptions (characters). */
const MAX_DATA_CHARACTERS = 500;

interface Brevity {
  /** Maximum length of a description; 0 removes it. */
  description: number;
  /** Levels of the schema that are kept; deeper ones keep their type. */
  depth: number;
}

/** Steps that shorten a schema, each tried on the whole. Explanations go first. */
const STEPS: readonly Brevity[] = [
  { description: 200, depth: MAX_DEPTH },
  { description: 60, depth: MAX_DEPTH },
  { description: 0, depth: MAX_DEPTH },
  { description: 0, depth: 6 },
  { description: 0, depth: 4 },
  { description: 0, depth: 2 },
];

/** Returns a schema within the limits of size and depth, unchanged if possible. Names of arguments are removed last. */
export function fittingSchema(schema: Schema): Schema {
  if (sizeOf(schema) <= MAX_SCHEMA_CHARACTERS && isShallow(schema, MAX_DEPTH)) return schema;
  for (const step of STEPS) {
    const shorter = simplified(schema, step) as Schema;
    if (sizeOf(shorter) <= MAX_SCHEMA_CHARACTERS) return shorter;
  }
  return namesOnly(schema);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sizeOf(schema: Schema): number {
  return isShallow(schema, 1_000) ? JSON.stringify(schema).length : Number.POSITIVE_INFINITY;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

function simplified(node: unknown, { description, depth }: Brevity): unknown {
  if (Array.isArray(node)) return node.map((item) => simplified(item, { description, depth }));
  if (!isSchema(node)) return node;
  if (depth <= 0) return typeof node.type === 'string' ? { type: node.type } : {};
  const deeper = { description, depth: depth - 1 };
  const kept = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (EXPLANATIONS.has(key)) return [];
    if (key === 'description' && typeof value === 'string')
      return description === 0 ? [] : [[key, value.slice(0, description).toWellFormed()]];
    if (DATA.has(key)) {
      const isKept = key === 'required' || key === 'type' || description > 0 || !isLarge(value);
      return isKept && isShallow(value, MAX_DEPTH) ? [[key, value]] : [];
    }
    if (!MAPS.has(key) || !isSchema(value)) return [[key, simplified(value, deeper)]];
    const members = Object.entries(value).map(([name, item]) => [name, simplified(item, deeper)]);
    return [[key, Object.fromEntries(members)]];
  });
  return Object.fromEntries(kept);
}

function isLarge(data: unknown): boolean {
  return !isShallow(data, MAX_DEPTH) || JSON.stringify(data).length > MAX_DATA_CHARACTERS;
}

/** Returns as many arguments as fit, by name and type. Required ones come first. */
function namesOnly({ properties, required }: Schema): Schema {
  const all = isSchema(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const names = [...new Set([...needed.filter((name) => Object.hasOwn(all, name)), ...Object.keys(all)])];
  const kept: [string, unknown][] = [];
  let room = MAX_SCHEMA_CHARACTERS / 2;
  for (const name of names) {
    const value = simplified(all[name], { description: 0, depth: 0 });
    room -= name.length + JSON.stringify(value).length + 4;
    if (room < 0) break;
    kept.push([name, value]);
  }
  const isKept = new Set(kept.map(([name]) => name));
  return {
    type: 'object',
    properties: Object.fromEntries(kept),
    required: needed.filter((name) => isKept.has(name)),
  };
}
