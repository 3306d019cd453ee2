import { fittingSchema, isSchema, type Schema } from './schema-size.ts';
import type { SchemaChange } from './types.ts';

/** The schema of a tool's arguments as models get it. */
export interface OfferedSchema {
  schema: Schema;
  /** Reason why models see less than the server wrote; `null` if they see everything. */
  change: SchemaChange | null;
}

/** Levels of references and alternatives that are read at the root. */
const MAX_ROOT_LEVELS = 8;
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * Returns a schema whose root is an object that lists all its properties, within the limits of size and depth. Without
 * a root type an object is meant. Alternatives at the root stay, for the check of arguments.
 */
export function offeredSchema(raw: unknown): OfferedSchema {
  if (raw === undefined || raw === null) return { schema: { type: 'object', properties: {} }, change: null };
  const whole = isSchema(raw) ? withRoot(raw) : null;
  if (whole === null) return { schema: { type: 'object', properties: {} }, change: 'unusable' };
  const schema = fittingSchema(whole);
  return { schema, change: schema === whole ? null : 'shortened' };
}

/** Returns the schema of structured answers if it is small enough to check with; otherwise `null`. */
export function answerSchema(raw: unknown): Schema | null {
  return isSchema(raw) && fittingSchema(raw) === raw ? raw : null;
}

/** Returns the schema with an object at its root; `null` if it cannot describe an object. */
function withRoot(raw: Schema): Schema | null {
  const root = dereferenced(raw, raw);
  if (root === null || !mayBeObject(root.type)) return null;
  const { properties, required } = merged(root, raw, MAX_ROOT_LEVELS);
  if (!isSchema(root.properties ?? {})) return null;
  const { required: _, ...rest } = root;
  return { ...rest, type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function mayBeObject(type: unknown): boolean {
  return (
    type === undefined ||
    type === null ||
    type === 'object' ||
    (Array.isArray(type) && type.includes('object'))
  );
}

interface Members {
  properties: Schema;
  required: string[];
}

/**
 * Collects the properties of an object and its alternatives. Required: those of every alternative or any `allOf` part.
 */
function merged(schema: Schema, document: Schema, levels: number): Members {
  let properties = isSchema(schema.properties) ? schema.properties : {};
  const required = new Set(namesIn(schema.required));
  for (const key of levels > 0 ? ALTERNATIVES : []) {
    const written: unknown[] = Array.isArray(schema[key]) ? schema[key] : [];
    const parts = written
      .filter(isSchema)
      .map((part) => dereferenced(part, document))
      .filter((part) => part !== null && mayBeObject(part.type))
      .map((part) => merged(part!, document, levels - 1));
    if (parts.length === 0) continue;
    // Own properties win, because they hold for every alternative.
    properties = { ...united(parts.map((part) => part.properties)), ...properties };
    const lists = parts.map((part) => new Set(part.required));
    const needed =
      key === 'allOf'
        ? lists.flatMap((list) => [...list])
        : [...lists.reduce((all, list) => all.intersection(list))];
    for (const name of needed) required.add(name);
  }
  return { properties, required: [...required] };
}

/**
 * Unites the properties of alternatives. A property whose schema differs between them may have any of these schemas.
 */
function united(all: readonly Schema[]): Schema {
  const forms = new Map<string, Map<string, unknown>>();
  for (const [name, form] of all.flatMap((properties) => Object.entries(properties))) {
    const known = forms.get(name) ?? new Map<string, unknown>();
    forms.set(name, known.set(JSON.stringify(form), form));
  }
  return Object.fromEntries(
    [...forms].map(([name, known]) => {
      const [first, ...others] = known.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/**
 * Returns a schema with the reference at its root resolved within the document; `null` if the target does not exist.
 */
function dereferenced(schema: Schema, document: Schema): Schema | null {
  let current = schema;
  for (let level = 0; typeof current.$ref === 'string'; level += 1) {
    const { $ref, ...rest } = current;
    const target = level < MAX_ROOT_LEVELS ? targetOf(document, $ref) : null;
    if (target === null) return null;
    current = { ...target, ...rest };
  }
  return current;
}

function targetOf(document: Schema, reference: string): Schema | null {
  if (!reference.startsWith('#/')) return null;
  let target: unknown = document;
  for (const step of decodeURI(reference.slice(2)).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isSchema(target) && Object.hasOwn(target, key) ? target[key] : null;
  }
  return isSchema(target) ? target : null;
}
