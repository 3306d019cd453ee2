import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { caseDocument } from './document.ts';
import { findCaseFolders, readCaseFolder, writeCaseFolder } from './folder.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tarsy-case-'));
  folder = join(root, 'disk');
  await mkdir(join(folder, 'outputs'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

const DOCUMENT = caseDocument.parse({
  ...{ format: 1, name: 'disk', alert_type: 'host', recorded_at: '2026-01-02T03:04:05.678Z' },
  alert: 'a: [b\n  indented \ttail \r\n- *no-alias\n\u2028 \u0007 "quoted" ',
  tools: [{ server: 'host', name: 'disk', input_schema: { type: 'object', properties: { b: {}, a: {} } } }],
  calls: [
    {
      server: 'host',
      tool: 'disk',
      arguments: { b: '&x', a: [1, { d: null, c: true }] },
      output: '\ufeffa\r\nb\n',
    },
    { server: 'host', tool: 'disk', output: '{"used":\n91}', error: true, duration_ms: 12 },
    { server: 'host', tool: 'disk', output: '' },
  ],
});

const HEAD = `format: 1
name: disk
alert_type: host
recorded_at: 2026-01-02T03:04:05Z
alert: full
`;
const TOOLS = 'tools:\n  - { server: host, name: disk }\n';
const write = (text: string) => writeFile(join(folder, 'case.yaml'), text);
const problem = () =>
  readCaseFolder(folder).then(
    () => 'fine',
    (error: Error) => error.message.replaceAll(root, ''),
  );

async function filesOf(path: string): Promise<Record<string, string>> {
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(path.length), await readFile(file, 'latin1')])),
  );
}

test('a case is equal after it was written and read, and the same bytes when written again', async () => {
  await writeCaseFolder(folder, DOCUMENT);
  const first = await filesOf(folder);
  expect(Object.keys(first).sort()).toEqual([
    '/case.yaml',
    '/outputs/001-host.disk.txt',
    '/outputs/002-host.disk.json',
  ]);
  const read = await readCaseFolder(folder);
  expect(read).toEqual(DOCUMENT);
  await writeCaseFolder(folder, read);
  expect(await filesOf(folder)).toEqual(first);
});

test('many calls stand in one file, and a broken line is named', async () => {
  const calls = Array.from({ length: 201 }, (_, n) => ({ ...DOCUMENT.calls[0]!, output: `${n}\n` }));
  await writeCaseFolder(folder, { ...DOCUMENT, calls });
  expect(Object.keys(await filesOf(folder)).sort()).toEqual(['/case.yaml', '/outputs/calls.jsonl']);
  expect(await readCaseFolder(folder)).toEqual({ ...DOCUMENT, calls });
  const path = join(folder, 'outputs/calls.jsonl');
  const text = await readFile(path, 'utf8');
  const broken: [(text: string) => string, RegExp][] = [
    [(whole) => whole.replace('"output":"7\\n"', '"output":'), /calls.jsonl:8: is not JSON/],
    [(whole) => whole.replace('"output":"7\\n"', '"x":1'), /calls.jsonl:8: output: /],
    [
      (whole) => whole.replace('"tool":"disk"', '"tool":"cpu"'),
      /calls.jsonl:1: calls.0.tool: unknown tool host.cpu/,
    ],
    [(whole) => whole.repeat(25), /calls.jsonl:5001: has 5025 calls/],
  ];
  for (const [change, message] of broken) {
    await writeFile(path, change(text));
    expect(await problem()).toMatch(message);
  }
  await truncate(path, 100_000_000);
  expect(await problem()).toMatch(/case.yaml:\d+: calls_file: the case is larger than 8 MiB/);
});

test('a folder with other files is not replaced', async () => {
  await writeFile(join(folder, 'notes.md'), 'mine');
  await expect(writeCaseFolder(folder, DOCUMENT)).rejects.toThrow('notes.md');
  expect(await readFile(join(folder, 'notes.md'), 'utf8')).toBe('mine');
});

test.each<[what: string, yaml: string, message: RegExp]>([
  [
    'a newer format',
    HEAD.replace('format: 1', 'format: 2'),
    /^\/disk\/case.yaml:1: format: has format 2; .*newer TARSy/,
  ],
  ['an unknown key', `${HEAD}colour: red\n`, /^\/disk\/case.yaml:1: unknown key colour/],
  [
    'an unknown tool',
    `${HEAD}${TOOLS}calls:\n  - { server: host, tool: cpu, output: x }\n`,
    /^\/disk\/case.yaml:9: calls.0.tool: unknown tool host.cpu/,
  ],
  [
    'a missing output',
    `${HEAD}${TOOLS}calls:\n  - { server: host, tool: disk }\n`,
    /^\/disk\/case.yaml:9: .*give either output or output_file/,
  ],
  [
    'a missing file',
    `${HEAD}${TOOLS}calls:\n  - server: host\n    tool: disk\n    output_file: outputs/9.txt\n`,
    /^\/disk\/case.yaml:11: .*no file outputs\/9.txt/,
  ],
  [
    'a path out of the folder',
    `${HEAD}${TOOLS}calls:\n  - server: host\n    tool: disk\n    output_file: ../secret\n`,
    /^\/disk\/case.yaml:11: .*not a file in the folder/,
  ],
  [
    'an absolute path',
    `${HEAD}${TOOLS}calls:\n  - server: host\n    tool: disk\n    output_file: /etc/passwd\n`,
    /^\/disk\/case.yaml:11: .*not a file in the folder/,
  ],
  [
    'a link out of the folder',
    `${HEAD}${TOOLS}calls:\n  - server: host\n    tool: disk\n    output_file: outputs/link\n`,
    /^\/disk\/case.yaml:11: .*not a file in the folder/,
  ],
  ['an alias', `${HEAD}runbook: &a x\nexpect: { must_say: [*a] }\n`, /aliases .* not allowed/],
  [
    'a bad pattern',
    `${HEAD}expect: { must_say: ["(a"] }\n`,
    /^\/disk\/case.yaml:6: expect.must_say.0: bad regular expression/,
  ],
  [
    'a cause without causes',
    `${HEAD}expect: { cause: disk }\n`,
    /^\/disk\/case.yaml:6: expect.cause: must be one of the causes/,
  ],
  ['broken YAML', `${HEAD}tools: [\n`, /^\/disk\/case.yaml:\d+: /],
  ['deep nesting', `${HEAD}runbook: ${'['.repeat(100_000)}\n`, /^\/disk\/case.yaml:\d+: /],
])('%s is refused with file and line', async (_, yaml, message) => {
  await writeFile(join(root, 'secret'), 'secret');
  await symlink(join(root, 'secret'), join(folder, 'outputs/link'));
  await write(yaml);
  expect(await problem()).toMatch(message);
});

test('nested aliases are refused before they expand', async () => {
  const bomb = Array.from(
    { length: 30 },
    (_, n) => `a${n}: &a${n} [${n === 0 ? 'x' : `*a${n - 1}, *a${n - 1}`}]`,
  );
  await write(bomb.join('\n'));
  expect(await problem()).toMatch(/case.yaml:1: /);
});

test('files of 100 MB are refused unread, alone and together', async () => {
  const output = (name: string) => `  - server: host\n    tool: disk\n    output_file: outputs/${name}\n`;
  await write(`${HEAD}${TOOLS}calls:\n${output('big.txt')}`);
  await writeFile(join(folder, 'outputs/big.txt'), '');
  await truncate(join(folder, 'outputs/big.txt'), 100_000_000);
  expect(await problem()).toMatch(/case.yaml:11: calls.0.output_file: the case is larger than 8 MiB/);
  await truncate(join(folder, 'outputs/big.txt'), 3_000_000);
  await write(`${HEAD}${TOOLS}calls:\n${output('big.txt').repeat(3)}`);
  expect(await problem()).toMatch(/case.yaml:17: calls.2.output_file: the case is larger than 8 MiB/);
});

test('a folder of cases gives each of them, and other folders are refused', async () => {
  await write(HEAD);
  expect(await findCaseFolders(root)).toEqual([folder]);
  expect(await findCaseFolders(folder)).toEqual([folder]);
  await expect(findCaseFolders(join(folder, 'outputs'))).rejects.toThrow('has no case');
});

test.each(['case.yaml', 'outputs/pipe'])('a named pipe at %s is refused instead of read', async (file) => {
  await write(`${HEAD}${TOOLS}calls:\n  - { server: host, tool: disk, output_file: outputs/pipe }\n`);
  await rm(join(folder, file), { force: true });
  execFileSync('mkfifo', [join(folder, file)]);
  await expect(readCaseFolder(folder)).rejects.toThrow(/is not a file/);
});
