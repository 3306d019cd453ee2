import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GeneratedFile, renderSchemas } from './config-schemas.ts';
import { ROOT } from './dev-python.ts';

const PAGE = join(ROOT, 'docs/configuration.md');
const START = '<!-- The rest is made by `npm run config:schema`. -->';

interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

interface Row {
  key: string;
  form: string;
  fallback: string;
  meaning: string;
}

/** Returns a row for every key of a schema. `<name>` in a key stands for a name that the operator chooses. */
function rowsOf(schema: Schema, path: string): Row[] {
  const forms = branchesOf(schema).filter((form) => !isTemplate(form));
  const own = forms.flatMap((form) => [
    ...Object.entries(form.properties ?? {}).flatMap(([name, child]) => {
      const key = path === '' ? name : `${path}.${name}`;
      return [rowOf(key, child), ...rowsOf(child, key)];
    }),
    ...(typeof form.additionalProperties === 'object'
      ? rowsOf(form.additionalProperties, `${path}.<name>`)
      : []),
    ...(form.items ? rowsOf(form.items, `${path}[]`) : []),
  ]);
  const seen = new Set<string>();
  return own.filter(({ key }) => !seen.has(key) && seen.add(key));
}

function branchesOf(schema: Schema): Schema[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return branches ? branches.flatMap(branchesOf) : [schema];
}

/** Returns true for a schema branch that accepts a template such as `{{.NAME}}` instead of a value. */
function isTemplate(schema: Schema): boolean {
  return schema.type === 'string' && schema.pattern === '\\{\\{';
}

function rowOf(key: string, schema: Schema): Row {
  const forms = branchesOf(schema).filter((form) => !isTemplate(form));
  const words = [...new Set(forms.map(formOf))].filter((word) => word !== '');
  return {
    key,
    form: words.join(' or '),
    fallback: defaultOf(schema.default),
    meaning: schema.description ?? forms.find(({ description }) => description)?.description ?? '',
  };
}

function formOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'array') return `list of ${formOf(schema.items ?? {}) || 'values'}`;
  if (schema.type === 'object') return schema.properties ? 'section' : 'mapping';
  const { minimum, maximum } = schema;
  const range = [minimum === undefined ? '' : `≥ ${minimum}`, maximum === undefined ? '' : `≤ ${maximum}`];
  const limits = range.filter(Boolean).join(', ');
  return [String(schema.type ?? ''), limits && `(${limits})`].filter(Boolean).join(' ');
}

function defaultOf(value: unknown): string {
  const isNothing =
    value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  return isNothing ? '' : `\`${JSON.stringify(value)}\``;
}

function tableOf(rows: readonly Row[]): string {
  const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ');
  const lines = rows.map(
    ({ key, form, fallback, meaning }) =>
      `| \`${key}\` | ${cell(form)} | ${cell(fallback)} | ${cell(meaning)} |`,
  );
  return ['| key | form | default | meaning |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

/**
 * Returns docs/configuration.md: the hand-written text before the START comment, then tables of all keys with type or
 * allowed values, default and meaning, generated from the JSON Schemas.
 */
export async function renderReference(): Promise<GeneratedFile> {
  const before = (await readFile(PAGE, 'utf8')).split(START)[0]!.trimEnd();
  const tables = renderSchemas().flatMap(({ text }) => {
    const schema = JSON.parse(text) as Schema & { title: string };
    const sections = Object.entries(schema.properties ?? {}).map(
      ([name, section]) => `### ${name}\n\n${tableOf([rowOf(name, section), ...rowsOf(section, name)])}`,
    );
    return [`## ${schema.title.replace('TARSy ', '')}`, ...sections];
  });
  return { path: PAGE, text: `${[before, START, ...tables].join('\n\n')}\n` };
}
