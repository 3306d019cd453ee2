import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenCommand } from '../../src/start/token.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../docs/examples');
const ALERT = 'Disk "data" almost full:\n\tC:\\data above 90%\r\n\té 🚨, no \\n';
const run = promisify(execFile);

let app: TestApp;
/** Proof of the examples. Without it the server answers 401. */
let token: string;
beforeAll(async () => {
  app = await startTestApp({ auth: { mode: 'proxy' } });
  token = await createToken();
});
afterAll(() => app.stop());

function machinesNode(): string[] {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).find((node) => existsSync(node));
  return found === undefined ? [] : [found];
}

async function createToken(): Promise<string> {
  let created = '';
  const io = { stdout: { write: (text: string) => (created += text) }, stderr: { write: () => true } };
  const env = { DATABASE_URL: app.database.url, NODE_ENV: 'test', CONFIG_DIR: app.configDir };
  expect(await tokenCommand(['create', 'examples', '--scopes', 'READ,SUBMIT_ALERTS,CHAT'], env, io)).toBe(0);
  return created.trim();
}

async function example(command: string, ...args: string[]): Promise<string> {
  app.llm.script([{ text: 'Looking.' }, toolCall('tools.echo', { text: 'df' })], {
    text: 'The disk is full of logs.',
  });
  app.llm.otherwise({ text: 'Remove the old logs.' });
  const env = { ...process.env, TARSY_URL: app.url, TARSY_TOKEN: token };
  const { stdout } = await run(command, [...args, ALERT], { env, timeout: 50_000 });
  expect(
    app.llm.requests.some(({ messages }) => messages.some(({ content }) => content.includes(ALERT))),
  ).toBe(true);
  return stdout;
}

/**
 * Versions of Node to test: the one that runs the tests, and the machine's own, which may be the oldest
 * supported one.
 */
const NODES = [process.execPath, ...machinesNode()];

test.each(NODES)('JavaScript: %s', async (node) => {
  const said = await example(node, join(EXAMPLES, 'investigate.mjs'));
  expect(said).toMatch(/^session \S+$/m);
  expect(said).toContain('LLM_TOOL_CALL: ');
  expect(said).toContain('status COMPLETED');
  expect(said).toContain('analysis: The disk is full of logs.');
  expect(said).toContain('model calls: 3');
});

test('Python', async () => {
  const said = await example('python3', join(EXAMPLES, 'investigate.py'));
  expect(said).toContain('FINAL_ANALYSIS: The disk is full of logs.');
  expect(said).toContain('status COMPLETED\nanalysis: The disk is full of logs.');
});

test('curl', async () => {
  const said = await example('sh', join(EXAMPLES, 'investigate.sh'));
  expect(said).toMatch(/^session \S+$/m);
  expect(said).toContain('"status":"COMPLETED","finalAnalysis":"The disk is full of logs."');
});
