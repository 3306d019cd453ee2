import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import type { Results } from '../../src/cli/replay/results.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import type { TestApp } from '../helpers/app.ts';
import { caseClient } from '../helpers/cases.ts';
import { HOST_SERVER } from '../helpers/mcp/shipped-servers.ts';
import { startOfflineApp } from '../helpers/offline-app.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Names what the agent asks anyway, and one tool more. */
const INSTRUCTIONS = 'Look at the disk, then at the listening ports.';

/** The commands `case` and `replay` with the offline rules, on an investigation of this host. */
let app: TestApp;
let folder: string;
let sessionId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-replays-'));
  app = await startOfflineApp({
    mcpServers: { host: { transport: { type: 'stdio', command: process.execPath, args: [HOST_SERVER] } } },
    agents: { TestAgent: { mcp_servers: ['host'] } },
  });
  const api = apiClient(app.url);
  sessionId = await api.submit('Disk almost full on this host: / above 90%');
  await api.waitFor(sessionId, ({ status }) => ENDED.has(status));
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true });
});

function start(...args: string[]): ChildProcess {
  const options = ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/main.ts'), ...args];
  const env = { PATH: process.env.PATH, TARSY_URL: app.url };
  return spawn(process.execPath, options, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(...args: string[]): Promise<{ code: number; out: string }> {
  const child = start(...args);
  const said: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data) => said.push(String(data)));
  const [code] = await once(child, 'close');
  return { code, out: said.join('') };
}

async function filesOf(name: string): Promise<Record<string, string>> {
  const root = join(folder, name);
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path.slice(root.length), await readFile(path, 'latin1')])),
  );
}

const results = async (name: string): Promise<Results> =>
  JSON.parse(await readFile(join(folder, name), 'utf8')) as Results;

describe('the commands', { shuffle: false }, () => {
  test('a session becomes the same files each time, and its replays repeat verdict and claims', async () => {
    const made = await run('case', 'create', sessionId, '--name', 'host-disk');
    expect(made).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Made host-disk with [1-9]\d* calls: \S+\n$/),
    });
    const id = made.out.trim().split(' ').at(-1)!;
    for (const name of ['cases/host-disk', 'again'])
      expect(await run('case', 'export', id, name)).toMatchObject({ code: 0 });
    expect(await filesOf('again')).toEqual(await filesOf('cases/host-disk'));
    expect(await run('case', 'check', 'cases')).toMatchObject({
      code: 0,
      out: expect.stringContaining('fine'),
    });

    const replayed = await run(
      'replay',
      'cases',
      '--provider',
      'offline',
      '--out',
      'one.json',
      '--junit',
      'one.xml',
    );
    expect(replayed.out).toContain('[1/1] host-disk, offline, run 1: passed');
    expect(replayed.code).toBe(0);
    const [item] = (await results('one.json')).results;
    expect(item).toMatchObject({ status: 'COMPLETED', passed: true, unrecordedCalls: 0 });
    expect(await readFile(join(folder, 'one.xml'), 'utf8')).toContain('tests="1" failures="0" skipped="0"');

    const api = apiClient(app.url);
    const { session } = await api.query<{ session: { report: object } }>(
      'query ($id: ID!) { session(id: $id) { report { verdict confidence claims { text status } } } }',
      { id: sessionId },
    );
    expect((await caseClient(api).replay(item!.replayId)).session.report).toEqual(session.report);

    const compared = await run(
      'replay',
      'cases',
      '--provider',
      'offline',
      '--out',
      'two.json',
      '--baseline',
      'one.json',
    );
    expect(compared).toMatchObject({ code: 0, out: expect.stringContaining('0 worse, 0 better, 1 same') });
  });

  test('a killed command resumes and makes each replay once', async () => {
    const args = [
      'replay',
      'cases',
      '--provider',
      'offline',
      '--runs',
      '4',
      '--concurrency',
      '1',
      '--out',
      'kill.json',
    ];
    const child = start(...args);
    for await (const line of createInterface({ input: child.stdout! })) if (line.startsWith('[1/4]')) break;
    child.kill('SIGKILL');
    await once(child, 'close');
    const before = await results('kill.json');
    const resumed = await run(...args);
    expect(resumed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Resuming: [123] of 4 replays have ended\.\n/),
    });
    expect(resumed.out).toContain('[4/4]');
    const after = (await results('kill.json')).results;
    expect(after.map(({ run: number }) => number).sort()).toEqual([1, 2, 3, 4]);
    expect(after.map(({ replayId }) => replayId)).toEqual(
      expect.arrayContaining(before.results.map(({ replayId }) => replayId)),
    );
    expect(await run('replay', 'cases', '--out', 'kill.json')).toMatchObject({
      code: 2,
      out: expect.stringContaining('OTHER_PLAN'),
    });
  });

  test('a broken case is refused before anything is sent', async () => {
    const { code, out } = await run('case', 'import', 'nowhere');
    expect({ code, out }).toEqual({ code: 2, out: 'CASE_INVALID: nowhere: there is no such folder\n' });
  });

  test('instructions that make an agent ask one more tool give one unrecorded call, which is shown', async () => {
    const changed = await startOfflineApp({
      mcpServers: { host: { transport: { type: 'stdio', command: process.execPath, args: [HOST_SERVER] } } },
      agents: { TestAgent: { mcp_servers: ['host'], custom_instructions: INSTRUCTIONS } },
    });
    try {
      const options = ['--provider', 'offline', '--out', 'more.json', '--url', changed.url];
      const replayed = await run('replay', 'cases', ...options);
      expect(replayed.out).toMatch(/host-disk, offline, run 1: \w+, 1 unrecorded/);
      const [item] = (await results('more.json')).results;
      const { session } = await caseClient(apiClient(changed.url)).replay(item!.replayId);
      const calls = session.timeline.filter(({ metadata }) => metadata?.recorded === 'UNRECORDED');
      expect(calls).toMatchObject([
        { status: 'FAILED', content: expect.stringContaining('Nothing is known') },
      ]);
      const question = 'query ($id: ID!) { session(id: $id) { finalAnalysis } }';
      const asked = await apiClient(changed.url).query<{ session: { finalAnalysis: string } }>(question, {
        id: session.id,
      });
      expect(asked.session.finalAnalysis).toMatch(
        /## What failed\n+- `host\.listening_ports`: `Not recorded/,
      );
    } finally {
      await changed.stop();
    }
  });
});
