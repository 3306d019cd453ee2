import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CaseDocument } from '../document.ts';
import { readCaseFolder } from '../folder.ts';
import { openRecording } from '../recording.ts';
import { type ImportResult, importCases } from './import-cases.ts';

const SUITE = resolve(import.meta.dirname, '../../../test/fixtures/case-suites/cloud-opsbench');
let folder: string;
let suite: string;
let out: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-import-'));
  suite = join(folder, 'suite');
  out = join(folder, 'out');
  await cp(SUITE, suite, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

async function run(source = suite): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  const options = {
    format: 'cloud-opsbench',
    alertType: 'kubernetes',
    server: 'k8s',
    recordedAt: null,
  } as const;
  await importCases({ ...options, folder: source, out }, (result) => results.push(result));
  return results;
}

function asker(document: CaseDocument) {
  const recording = openRecording(document);
  return (tool: string, args: Record<string, unknown>) =>
    recording.answer({ agent: 'A', server: 'k8s', tool, arguments: args });
}

test('a suite becomes cases of a closed world, each with object, cause and the causes of all', async () => {
  expect(await run()).toEqual([
    { name: 'shop-admission-2', result: 'IMPORTED', calls: 2 },
    { name: 'shop-network-1', result: 'IMPORTED', calls: 9 },
  ]);
  const document = await readCaseFolder(join(out, 'shop-network-1'));
  expect(document).toMatchObject({
    ...{ world: 'closed', recorded_at: '2026-01-02T03:04:05.678Z', alert_type: 'kubernetes' },
    alert:
      'Some orders fail.\n\nNamespace: shop\n\nWrite the faulty object into the entities of the report as app/NAME or node/NAME.',
    expect: { entities: ['app/cart'], cause: 'wrong_port', causes: ['full_disk', 'wrong_port'] },
    notes: expect.stringContaining('Network_Fault'),
  });
  expect(document.tools).toHaveLength(9);
});

test('the same suite gives the same bytes, and a case alone has no choice of causes', async () => {
  await run();
  const bytes = () => readFile(join(out, 'shop-network-1/case.yaml'), 'utf8');
  const first = await bytes();
  await run();
  expect(await bytes()).toBe(first);
  expect(await run(join(suite, 'shop/network/1'))).toEqual([{ name: '1', result: 'IMPORTED', calls: 9 }]);
  expect((await readCaseFolder(join(out, '1'))).expect).toMatchObject({ entities: ['app/cart'], causes: [] });
});

test('every recorded call gets its answer word for word, and objects are JSON', async () => {
  await run();
  const ask = asker(await readCaseFolder(join(out, 'shop-network-1')));
  const cache = JSON.parse(await readFile(join(suite, 'shop/network/1/tool_cache.json'), 'utf8'));
  const { collection_timestamp: _, ...answers } = cache as Record<string, unknown>;
  for (const [key, answer] of Object.entries(answers)) {
    const [tool, args] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    expect(ask(tool, JSON.parse(args))).toEqual({ recorded: 'EXACT', text, isError: false });
  }
});

test.each<[what: string, args: Record<string, unknown>, answer: RegExp]>([
  ['a short name', { resource_type: 'po', namespace: 'shop' }, /^NAME {7}READY {3}STATUS\n/],
  ['a singular with a capital', { resource_type: 'Pod', namespace: 'shop', name: null }, /cart-1-a/],
  ['an alias of a parameter', { kind: 'svc', ns: 'shop', output_wide: false }, /^NAME {3}TYPE/],
  ['a namespace of a cluster-wide kind', { resource_type: 'no', namespace: 'default' }, /worker-1/],
  ['a call without a namespace', { resource_type: 'pods' }, /cart-1-a/],
  ['a wide list', { resource_type: 'pods', namespace: 'shop', output_wide: true }, /cart-1-a/],
  [
    'a wide list with labels',
    { resource_type: 'pods', namespace: 'shop', output_wide: true, show_labels: true },
    /app=cart/,
  ],
])('%s is understood', async (_, args, answer) => {
  await run();
  const ask = asker(await readCaseFolder(join(out, 'shop-network-1')));
  expect(ask('GetResources', args)).toMatchObject({
    recorded: 'EQUIVALENT',
    text: expect.stringMatching(answer),
  });
});

test('a tool that is not known has the recorded parameters', async () => {
  const path = join(suite, 'shop/network/1/tool_cache.json');
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace('"GetAlerts:{}":', '"ListFiles:{\\"app\\":\\"cart\\"}": "main.go", "GetAlerts:{}":'),
  );
  await run();
  const document = await readCaseFolder(join(out, 'shop-network-1'));
  expect(document.tools.at(-1)).toMatchObject({
    name: 'ListFiles',
    input_schema: { properties: { app: {} }, required: ['app'], additionalProperties: false },
  });
  expect(asker(document)('ListFiles', { app: 'cart' })).toMatchObject({ text: 'main.go' });
});

test('a miss is not found, and selectors that were not recorded are not offered', async () => {
  await run();
  const document = await readCaseFolder(join(out, 'shop-network-1'));
  const ask = asker(document);
  const other = { resource_type: 'pods', namespace: 'other' };
  expect(ask('GetResources', other)).toMatchObject({
    ...{ recorded: 'UNRECORDED', isError: false },
    text: expect.stringContaining('Not found'),
  });
  const schema = document.tools.find(({ name }) => name === 'GetResources')!.input_schema;
  expect(schema).toMatchObject({
    additionalProperties: false,
    properties: { label_selector: { enum: ['app=cart'] } },
  });
  const [second] = (await readCaseFolder(join(out, 'shop-admission-2'))).tools;
  expect(second!.input_schema.properties).not.toHaveProperty('label_selector');
});

const CACHE = 'shop/network/1/tool_cache.json';
const META = 'shop/network/1/metadata.json';
test.each<[what: string, file: string, text: string | ((before: string) => string), message: RegExp]>([
  [
    'broken JSON',
    CACHE,
    (text) => text.replace(': "connection', ' "connection'),
    /tool_cache.json:9: is not JSON/,
  ],
  ['a file that ends too early', CACHE, (text) => text.slice(0, 500), /tool_cache.json:5: is not JSON/],
  [
    'a key without arguments',
    CACHE,
    (text) => text.replace('GetAlerts:{}', 'GetAlerts'),
    /:11: the key GetAlerts is not/,
  ],
  [
    'arguments that are no JSON',
    CACHE,
    (text) => text.replace('{}"', '{a}"'),
    /:11: the key GetAlerts:\{a\} is not TOOL:JSON/,
  ],
  ['a missing time', CACHE, (text) => text.replace('2026-01-02T', ''), /:2: collection_timestamp must be/],
  [
    'a missing cause',
    META,
    (text) => text.replace('root_cause', 'cause'),
    /metadata.json:4: result.root_cause/,
  ],
  ['another text', META, '[]', /metadata.json:1: .*expected object/],
])('%s is reported with its line, and the other case is imported', async (_, file, text, message) => {
  const path = join(suite, file);
  await writeFile(path, typeof text === 'string' ? text : text(await readFile(path, 'utf8')));
  const [other, broken] = await run();
  expect(other).toMatchObject({ name: 'shop-admission-2', result: 'IMPORTED' });
  expect(broken).toMatchObject({ name: 'shop-network-1', result: 'BROKEN' });
  expect((broken as { reason: string }).reason.replace(folder, '')).toMatch(message);
  await expect(readFile(join(out, 'shop-network-1/case.yaml'))).rejects.toThrow('ENOENT');
});

test('a case of 1,500 answers is one file of calls and keeps every answer', async () => {
  const answers = Array.from({ length: 1_500 }, (_, n) => [
    `DescribeResource:${JSON.stringify({ resource_type: 'pods', name: `p-${n}`, namespace: 'shop' })}`,
    `Name: p-${n}\n${`line of "${n}"\n`.repeat(100)}`,
  ]);
  const cache = { collection_timestamp: '2026-01-02T03:04:05', ...Object.fromEntries(answers) };
  await writeFile(join(suite, CACHE), JSON.stringify(cache));
  await run();
  const text = await readFile(join(out, 'shop-network-1/outputs/calls.jsonl'), 'utf8');
  expect(text.match(/\n/g)).toHaveLength(1_500);
  const ask = asker(await readCaseFolder(join(out, 'shop-network-1')));
  const missed = answers.filter(([key, answer]) => {
    const { resource_type: _, ...args } = JSON.parse(key!.slice('DescribeResource:'.length));
    return ask('DescribeResource', { kind: 'pod', ...args }).text !== answer;
  });
  expect(missed).toEqual([]);
});
