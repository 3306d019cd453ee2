import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { QUICK_MCP } from '../helpers/mcp/quick-server.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

/** An MCP server whose program takes a second to exit, and logs its start and its exit. */
let app: TestApp;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-ending-'));
  const log = join(folder, 'log');
  const program = `trap '' TERM; echo start >> ${log}; ${QUICK_MCP.join(' ')}; sleep 1; echo exit >> ${log}`;
  const agents = [{ name: 'TestAgent' }];
  app = await startTestApp({
    system: { mcp_health: { interval: '10m' } },
    tools: { transport: { type: 'stdio', command: 'sh', args: ['-c', program] } },
    stages: [
      { name: 'first', agents },
      { name: 'second', agents },
    ],
  });
});
afterEach(() => rm(folder, { recursive: true }));

const events = async () => (await readFile(join(folder, 'log'), 'utf8').catch(() => '')).trim().split('\n');

test('an agent waits for the programs of the one before it, the investigation for none, and the stop for all', async () => {
  await expect.poll(events, { timeout: 20_000 }).toEqual(['start']); // the program of the health check
  let hasExited = true;
  // A busy machine may end an investigation later than its last program exits.
  for (let attempt = 1; hasExited && attempt <= 5; attempt += 1) {
    const known = (await events()).length;
    await investigate();
    const seen = (await events()).slice(known);
    expect(seen.slice(0, 3)).toEqual(['start', 'exit', 'start']);
    hasExited = seen.length > 3;
  }
  expect(hasExited).toBe(false);
  const known = (await events()).length;
  await app.stop();
  expect((await events()).slice(known)).toEqual(['exit', 'exit']);
});

async function investigate(): Promise<void> {
  for (const stage of ['first', 'second'])
    app.llm.script(toolCall('tools.echo', { text: stage }), { text: `Found by ${stage}.` });
  app.llm.script({ text: 'Both.' }, { text: 'In short: both.' });
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
}
