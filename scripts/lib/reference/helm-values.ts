import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import type { GeneratedFile } from '../config-schemas.ts';
import { ROOT } from '../dev-python.ts';
import { codes, renderPage, table } from './markdown.ts';

const CHART = join(ROOT, 'deploy/helm');
/** Rows of a section beyond which it gets a heading of its own. */
const LONG_SECTION = 5;

/** A value of the chart, as `values.yaml` documents it. */
export interface ChartValue {
  /** Key with its sections, such as `images.tarsy.tag`. */
  readonly key: string;
  readonly meaning: string;
  /** The default as JSON; `null` for a section, whose keys follow. */
  readonly fallback: string | null;
}

/** The parts of a JSON Schema that the chart uses. */
interface ValueSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, ValueSchema>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

/** Returns the page of all values of the Helm chart, from the comments of its `values.yaml`. */
export async function helmValuesPage(): Promise<GeneratedFile> {
  const values = chartValues(await readFile(join(CHART, 'values.yaml'), 'utf8'));
  const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as ValueSchema;
  const sections = Map.groupBy(values, ({ key }) => key.split('.')[0]!);
  const isLong = (rows: readonly ChartValue[]) => rows.length > LONG_SECTION;
  return renderPage('helm-values.md', '# Values of the Helm chart', [
    valueTable([...sections.values()].filter((rows) => !isLong(rows)).flat(), schema),
    ...[...sections]
      .filter(([, rows]) => isLong(rows))
      .map(
        ([name, [section, ...rows]]) => `## ${name}\n\n${section!.meaning}.\n\n${valueTable(rows, schema)}`,
      ),
  ]);
}

/** Returns all values of a `values.yaml`, in its order. @throws Error naming a key without a comment above it */
export function chartValues(text: string): ChartValue[] {
  return valuesBelow(parseDocument(text).contents as YAMLMap, '');
}

function valuesBelow(map: YAMLMap, path: string): ChartValue[] {
  return map.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) throw new Error(`values.yaml: a key below ${path} is no text`);
    const name = `${path}${key.value}`;
    // The parser gives the comment above the first key to the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : null);
    // Only the last block counts, because the file begins with a comment of its own.
    const meaning = (comment ?? '').split('\n\n').at(-1)!.replace(/\s+/g, ' ').trim();
    if (!meaning) throw new Error(`values.yaml: ${name} has no comment above it`);
    const isSection = isMap(value) && !value.flow && hasComments(value);
    const fallback = isSection ? null : JSON.stringify((value as YAMLMap).toJSON());
    return [{ key: name, meaning, fallback }, ...(isSection ? valuesBelow(value, `${name}.`) : [])];
  });
}

/** Returns true if the map documents its first key. Otherwise the map itself is the value. */
function hasComments(map: YAMLMap): boolean {
  const first = map.items[0]?.key;
  return Boolean(map.commentBefore ?? (isScalar(first) ? first.commentBefore : null));
}

function valueTable(rows: readonly ChartValue[], schema: ValueSchema): string {
  return table(
    ['value', 'form', 'default', 'meaning'],
    rows.map(({ key, meaning, fallback }) => [
      `\`${key}\``,
      fallback === null ? 'section' : formOf(schemaOf(key, schema)),
      fallback === null || fallback === '""' ? '' : `\`${fallback.replace(/^"(.*)"$/, '$1')}\``,
      meaning,
    ]),
  );
}

/** Returns the schema of a value. @throws Error if values.schema.json lacks the value */
function schemaOf(key: string, root: ValueSchema): ValueSchema {
  return key.split('.').reduce((schema, name) => {
    const found = schema.properties?.[name];
    if (!found) throw new Error(`values.schema.json lacks ${key}`);
    return found.$ref ? root.$defs![found.$ref.replace('#/$defs/', '')]! : found;
  }, root);
}

function formOf({ type, enum: words, minimum }: ValueSchema): string {
  if (words) return codes(words);
  const name = { object: 'map', array: 'list', string: 'text' }[String(type)] ?? String(type);
  return minimum === undefined ? name : `${name} (≥ ${minimum})`;
}
