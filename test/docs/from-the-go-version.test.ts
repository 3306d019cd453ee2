import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configCheck } from '../../src/config/check.ts';
import { loadText } from '../fixtures/config/load-text.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const THIS = 'test/docs/from-the-go-version.test.ts';

interface Row {
  /** Heading of the table's first column. */
  of: string;
  there: string;
  here: string;
  /** Heading of the column of previous values; only the table of defaults has one. */
  was: string;
  by: string;
}

const ROWS = read('docs/project/from-the-go-version.md')
  .split(/\n\n/)
  .filter((block) => block.startsWith('| '))
  .flatMap((table): Row[] => {
    const [head = [], , ...rows] = table
      .trim()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    return rows.map((cells) => {
      const [there = '', ...more] = cells;
      const [by = '', here = '', was = ''] = more.toReversed();
      expect(cells, there).toHaveLength(head.length);
      return { of: head[0]!, there, here, was, by };
    });
  });
const rowsOf = (...of: string[]) => ROWS.filter((row) => of.includes(row.of));
const code = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, snippet]) => snippet!);

test.each(ROWS)('$there: its test is there and knows what the row is about', ({ of, here, by }) => {
  const files = code(by);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(existsSync(join(ROOT, file)), file).toBe(true);
  if (files.includes(THIS) || (of !== 'route' && of !== 'message')) return;
  const names = code(here).flatMap((snippet) => snippet.match(/[A-Za-z_-]{4,}/g) ?? []);
  const text = files.map(read).join('\n');
  if (names.length > 0) expect(names.filter((name) => text.includes(name))).not.toEqual([]);
});

const schema = buildSchema(read('schema.graphql'));
const fields = new Set(
  Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isEnumType(type)) return [type.name, ...type.getValues().map(({ name }) => name)];
    if (isInputObjectType(type)) return [type.name, ...Object.keys(type.getFields())];
    if (!isObjectType(type) && !isInterfaceType(type)) return [type.name];
    const own = Object.values(type.getFields());
    return [type.name, ...own.flatMap(({ name, args }) => [name, ...args.map((arg) => arg.name)])];
  }),
);

test('API names of this version are in the schema', () => {
  const words = rowsOf('route', 'message').flatMap(({ here }) =>
    code(here)
      .filter(
        (snippet) =>
          /^[A-Za-z({]/.test(snippet) &&
          !/[./:]|^[A-Z_]+$|^npm|-|^p[io]ng$/.test(snippet.replace(': cursor', '')),
      )
      .flatMap(
        (snippet) => snippet.replace(/^(?:mutation|subscription) |: cursor/g, '').match(/[A-Za-z]+/g) ?? [],
      ),
  );
  expect(words.length).toBeGreaterThan(40);
  const ofProtocol = ['complete', 'connection_ack', 'tools', 'version', 'metadata'];
  expect(
    words.filter((word) => !fields.has(word) && !ofProtocol.some((other) => other.includes(word))),
  ).toEqual([]);
});

test('features marked as missing are not in the API', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const names = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  expect(names.filter((name) => /triage/i.test(name))).toEqual([]);
});

/**
 * Returns the configuration keys in a table cell. The first has its whole path; the others are relative to
 * it.
 */
function keysIn(cell: string): string[] {
  const snippets = code(cell).filter((snippet) => /^[a-z_<>.]+$/.test(snippet));
  const parent = snippets[0]?.split('.').slice(0, -1) ?? [];
  return snippets.map((key) => (key.includes('.') ? key : [...parent, key].join('.')));
}

/** Returns true if the loader accepts the key. */
async function isKnown(key: string): Promise<boolean> {
  const path = key.replaceAll('<name>', 'x').split('.');
  const text = path.reduceRight<unknown>((value, part) => ({ [part]: value }), 'x');
  const yaml = JSON.stringify(text);
  const loading = path[0] === 'llm_providers' ? loadText('{}', {}, yaml) : loadText(yaml);
  const problems = await loading.then(() => '', String);
  return !problems.includes(`${path.join('.')}: unknown key`);
}

const SECTIONS = /^(?:queue|system|auth|defaults|mcp_servers|agents|agent_chains|llm_providers)\./;

test.each(rowsOf('key there'))(
  '$there: keys are known or refused, as the row says',
  async ({ there, here }) => {
    const isGone = /^(?:gone|not here)\b/.test(here);
    const isSame = here.startsWith('the same');
    const before = keysIn(there).filter((key) => SECTIONS.test(key));
    if (isGone || isSame) for (const key of before) expect([key, await isKnown(key)]).toEqual([key, isSame]);
    for (const key of code(here).filter(
      (snippet) => SECTIONS.test(`${snippet}.`) || SECTIONS.test(snippet),
    )) {
      const path = key.split(':')[0]!;
      if (path.includes('.')) expect([path, await isKnown(path)]).toEqual([path, true]);
    }
  },
);

test('renamed keys are refused with their new name', async () => {
  const problems = await loadText(
    'queue: { worker_count: 2, orphan_threshold: 5m }\ndefaults: { llm_backend: langchain }\n',
  ).then(() => '', String);
  for (const name of ['worker_concurrency', 'lease_duration', 'iteration_strategy'])
    expect(problems).toContain(name);
});

test('documented defaults are the real ones', async () => {
  let printed = '';
  const out = { write: (text: string) => (printed += text) };
  expect(await configCheck({ dir: '/nowhere', env: {}, out })).toBe(0);
  const config = parse(printed) as unknown;
  const rows = rowsOf('what').filter(({ by }) => code(by).includes(THIS));
  expect(rows.length).toBeGreaterThan(10);
  for (const { there, here, was } of rows) {
    const [path = ''] = code(there);
    const value = path.split('.').reduce((at: unknown, key) => Reflect.get(Object(at), key), config);
    expect(was, path).not.toBe('');
    expect([path, String(value)]).toEqual([path, code(here)[0]]);
  }
});

test('variables marked as kept are read, the others are not', () => {
  const reader = read('src/config/env.ts');
  for (const { there, here } of rowsOf('variable there')) {
    const names = here.startsWith('the same') ? there : here;
    for (const name of code(names)) expect(reader).toContain(`'${name.split('=')[0]}'`);
    if (here.startsWith('gone')) for (const name of code(there)) expect(reader).not.toContain(name);
  }
});
