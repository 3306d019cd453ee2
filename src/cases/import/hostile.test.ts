import { cp, mkdtemp, readdir, readFile, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ImportFormat, importCases } from './import-cases.ts';

/** Broken and hostile files in every format. Each is reported with file and line, and nothing of its case is written. */
const SUITES = resolve(import.meta.dirname, '../../../test/fixtures/case-suites');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-hostile-'));
  await cp(SUITES, join(folder, 'suites'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

/** Imports a suite. @returns the reasons of broken cases, and the names of all that were written */
async function run(format: ImportFormat): Promise<{ broken: string[]; written: string[] }> {
  const broken: string[] = [];
  const options = { alertType: 'a', server: 's', recordedAt: '2026-01-02T03:04:05.000Z' };
  const out = join(folder, 'out');
  await importCases({ ...options, format, folder: join(folder, 'suites', format), out }, (ended) => {
    if (ended.result === 'BROKEN') broken.push(ended.reason.replaceAll(folder, ''));
  });
  return { broken, written: await readdir(out) };
}

const HOLMES = 'test_ask_holmes/01_slow_shop';
const SRE = 'shop/001-bad-image';
const OPS = 'shop/network/1';
const BOMB = `prompt: x\ntools: &a0 {}\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`).join('')}`;

test.each<
  [
    what: string,
    format: ImportFormat,
    file: string,
    text: string | ((before: string) => string),
    message: RegExp,
  ]
>([
  [
    'a broken first line',
    'holmesgpt',
    `${HOLMES}/kubectl_logs.txt`,
    (t) => t.replace('":"', '""'),
    /kubectl_logs.txt:1: is not JSON/,
  ],
  [
    'a broken second line',
    'holmesgpt',
    `${HOLMES}/metrics.txt`,
    (t) => t.replace('"status": ', '"status" '),
    /metrics.txt:2: is not JSON/,
  ],
  [
    'a recording without a tool',
    'holmesgpt',
    `${HOLMES}/metrics.txt`,
    (t) => t.replace('tool_name', 'tool'),
    /metrics.txt:1: tool_name/,
  ],
  [
    'an unknown state',
    'holmesgpt',
    `${HOLMES}/metrics.txt`,
    (t) => t.replace('"error",', '"gone",'),
    /metrics.txt:2: status/,
  ],
  [
    'a newer recording',
    'holmesgpt',
    `${HOLMES}/metrics.txt`,
    (t) => t.replace('v1.0.0', 'v2.0.0'),
    /metrics.txt:2: has the format robusta:v2.0.0/,
  ],
  [
    'no prompt',
    'holmesgpt',
    `${HOLMES}/test_case.yaml`,
    (t) => t.replace('user_prompt', 'prompt'),
    /test_case.yaml:1: needs a user_prompt/,
  ],
  [
    'broken YAML',
    'holmesgpt',
    `${HOLMES}/test_case.yaml`,
    (t) => t.replace('[easy]', '[easy'),
    /test_case.yaml:\d: /,
  ],
  [
    'a base out of the folder',
    'opensre',
    `${SRE}/scenario.yml`,
    (t) => t.replace('000-healthy', '../../etc'),
    /scenario.yml:1: base must be the name/,
  ],
  [
    'a missing base',
    'opensre',
    `${SRE}/scenario.yml`,
    (t) => t.replace('000-healthy', '009-x'),
    /scenario.yml:1: the base 009-x is not in the folder/,
  ],
  [
    'a circle of bases',
    'opensre',
    `${SRE}/scenario.yml`,
    (t) => t.replace('000-healthy', '001-bad-image'),
    /scenario.yml:1: more than 5 bases/,
  ],
  [
    'an answer without a cause',
    'opensre',
    `${SRE}/answer.yml`,
    (t) => t.replace('root_cause_category', 'cause'),
    /answer.yml:1: root_cause_category/,
  ],
  [
    'broken telemetry',
    'opensre',
    `${SRE}/eks_events.json`,
    (t) => t.replace('"reason": "BackOff",', '"reason" "BackOff",'),
    /eks_events.json:11: is not JSON/,
  ],
  ['a YAML bomb', 'runlore', 'full-queue.yaml', BOMB, /full-queue.yaml:1: cannot be read: aliases/],
  [
    'a tool with a bad name',
    'runlore',
    'full-queue.yaml',
    (t) => t.replace('pod_logs', 'pod/../logs'),
    /full-queue.yaml:\d+: tools/,
  ],
  [
    'a bad confidence',
    'runlore',
    'full-queue.yaml',
    (t) => t.replace('0.5', '5'),
    /full-queue.yaml:13: expected.min_confidence/,
  ],
])('%s', async (_, format, file, text, message) => {
  const path = join(folder, 'suites', format, file);
  await writeFile(path, typeof text === 'string' ? text : text(await readFile(path, 'utf8')));
  const { broken, written } = await run(format);
  expect(broken).toEqual([expect.stringMatching(message)]);
  const name = file.includes('/') ? file.split('/').slice(0, -1).join('-') : file.replace('.yaml', '');
  expect(written).not.toContain(name);
});

test.each<[format: ImportFormat, file: string]>([
  ['cloud-opsbench', `${OPS}/tool_cache.json`],
  ['holmesgpt', `${HOLMES}/kubectl_logs.txt`],
  ['opensre', `${SRE}/eks_events.json`],
  ['runlore', 'full-queue.yaml'],
])('%s: links out of the folder and files of 100 MB are refused unread', async (format, file) => {
  const path = join(folder, 'suites', format, file);
  await writeFile(join(folder, 'secret'), 'prompt: secret\ntools: {}\n');
  await unlink(path);
  await symlink(join(folder, 'secret'), path);
  const linked = await run(format);
  expect(linked.broken).toEqual([expect.stringMatching(/is not a file in the folder/)]);
  await unlink(path);
  await writeFile(path, '');
  await truncate(path, 100_000_000);
  const large = await run(format);
  expect(large.broken).toEqual([expect.stringMatching(/the case is larger than 8 MiB/)]);
});
