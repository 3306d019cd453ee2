import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../docs/examples');
const ALERT = 'Disk "data" almost full: C:\\data above 90%';
const run = promisify(execFile);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

async function example(command: string, ...args: string[]): Promise<string> {
  app.llm.script([{ text: 'Looking.' }, toolCall('tools.echo', { text: 'df' })], {
    text: 'The disk is full of logs.',
  });
  app.llm.otherwise({ text: 'Remove the old logs.' });
  const env = { ...process.env, TARSY_URL: app.url };
  const { stdout } = await run(command, [...args, ALERT], { env, timeout: 25_000 });
  expect(
    app.llm.requests.some(({ messages }) => messages.some(({ content }) => content.includes(ALERT))),
  ).toBe(true);
  return stdout;
}

test('TypeScript', async () => {
  const said = await example(
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    join(EXAMPLES, 'investigate.ts'),
  );
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
