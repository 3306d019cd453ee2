import { DURATION_PATTERN } from '../../../src/config/durations.ts';
import { codes } from './markdown.ts';

/** The parts of a JSON Schema that the configuration uses. */
export interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
}

/** A row of a table of keys. `<name>` in a key stands for a name that the operator chooses. */
export interface KeyRow {
  readonly key: string;
  readonly form: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Keys that stand elsewhere, with the text that links to them. */
export interface SharedKeys {
  readonly link: string;
  readonly keys: Readonly<Record<string, Schema>>;
}

/** Link texts of sections that have been written, by their keys. */
export type WrittenSections = Map<string, string>;

interface Place {
  readonly path: string;
  readonly shared: readonly SharedKeys[];
  readonly written: WrittenSections;
  /** Address of the page, for links from later pages. */
  readonly page: string;
}

/**
 * Returns a row for every key below a schema. Keys that are equal to shared keys, or to keys of a section around them,
 * become one row with a link. So does a section that is equal to an earlier one.
 */
export function rowsBelow(schema: Schema, place: Place): KeyRow[] {
  const branches = branchesOf(schema);
  return [
    ...propertyRows(
      branches.filter(({ properties }) => properties),
      place,
    ),
    ...branches.flatMap(({ additionalProperties, items }) => [
      ...(typeof additionalProperties === 'object'
        ? rowsBelow(additionalProperties, { ...place, path: `${place.path}.<name>` })
        : []),
      ...(items ? rowsBelow(items, { ...place, path: `${place.path}[]` }) : []),
    ]),
  ];
}

function propertyRows(branches: readonly Schema[], place: Place): KeyRow[] {
  if (branches.length === 0) return [];
  const { path, shared, written, page } = place;
  const names = [...new Set(branches.flatMap(({ properties }) => Object.keys(properties!)))];
  const own = branches.length === 1 ? branches[0]!.properties! : {};
  const signature = JSON.stringify(withoutDefaults(own));
  if (names.length > 1 && branches.length === 1) {
    const earlier = written.get(signature);
    if (earlier !== undefined) return [linkRow(path, `The same keys as ${earlier}`)];
    written.set(signature, `[\`${path}\`](${page})`);
  }
  const around = { link: `\`${path}\``, keys: own };
  const found = new Map<string, string[]>();
  const rows = names.flatMap((name) => {
    const key = `${path}.${name}`;
    const having = branches.filter(({ properties }) => properties![name]);
    const schemas = having.map(({ properties }) => properties![name]!);
    const home = shared.find(({ keys }) => keys[name] && isEqual(keys[name], schemas[0]!));
    if (home !== undefined) {
      found.set(home.link, [...(found.get(home.link) ?? []), name]);
      return [];
    }
    const scope = having.length < branches.length ? `(${having.map(typeOf).join(', ')}) ` : '';
    const isRequired = having.every(({ required }) => required?.includes(name));
    const below = { ...place, path: key, shared: [...shared, around] };
    return [keyRow(key, schemas, { scope, isRequired }), ...rowsBelow(schemas[0]!, below)];
  });
  const links = [...found].map(([link, linked]) => linkRow(path, `Also keys of ${link}: ${codes(linked)}`));
  return [...rows, ...links];
}

function linkRow(path: string, meaning: string): KeyRow {
  return { key: `${path}.…`, form: '', fallback: '', meaning };
}

/** Returns the row of one key. @param schemas its schema in each branch that has the key */
export function keyRow(
  key: string,
  schemas: readonly Schema[],
  { scope, isRequired } = { scope: '', isRequired: false },
): KeyRow {
  const [first = {}] = schemas;
  const constants = schemas.filter((schema) => schema.const !== undefined);
  const forms = [...new Set(schemas.flatMap(branchesOf).map(formOf))].filter((form) => form !== '');
  const meaning =
    constants.length > 1
      ? constants.map((schema) => `${schema.const}: ${schema.description}`).join('; ')
      : (first.description ?? branchesOf(first).find(({ description }) => description)?.description ?? '');
  return {
    key,
    form: forms.join(constants.length > 1 ? ', ' : ' or '),
    fallback: isRequired ? 'required' : defaultOf(first.default),
    meaning: `${scope}${meaning}`,
  };
}

function typeOf(branch: Schema): string {
  return String(branch.properties?.type?.const ?? branch.type);
}

function branchesOf(schema: Schema): Schema[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return branches ? branches.flatMap(branchesOf) : [schema];
}

function formOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return codes(schema.enum.map(String));
  if (schema.type === 'array') {
    const forms = branchesOf(schema.items ?? {}).map((item) => formOf(item).replace(/^section$/, 'sections'));
    return `list of ${forms.join(' or ')}${limits(schema.minItems, schema.maxItems)}`;
  }
  if (schema.type === 'object') {
    const names = schema.propertyNames?.enum?.map(String);
    return schema.properties ? 'section' : names ? `mapping of ${codes(names)}` : 'mapping';
  }
  if (schema.pattern === DURATION_PATTERN.source) return 'duration';
  const type = schema.type === 'string' ? 'text' : String(schema.type ?? '');
  return type + limits(schema.minimum, schema.maximum, schema.exclusiveMinimum);
}

function limits(minimum?: number, maximum?: number, above?: number): string {
  const hasMaximum = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  const parts = [
    minimum === undefined ? '' : `≥ ${minimum}`,
    above === undefined ? '' : `> ${above}`,
    hasMaximum ? `≤ ${maximum}` : '',
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function defaultOf(value: unknown): string {
  if (value === undefined || value === '') return '';
  if (typeof value === 'object' && Object.keys(value ?? {}).length === 0) return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function isEqual(one: Schema, other: Schema): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a copy without defaults, because a level may repeat the keys of another level without its defaults. */
function withoutDefaults(properties: Readonly<Record<string, Schema>>): unknown {
  return JSON.parse(
    JSON.stringify(properties, (key, value) => (key === 'default' ? undefined : (value as unknown))),
  );
}
