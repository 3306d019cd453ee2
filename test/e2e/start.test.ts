import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildVersion } from '../../src/start/version.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A started `npm start` with a data home of its own, as a new user runs it. */
interface Started {
  pid: number;
  url: string;
  /** Command that the start prints for a first alert. */
  tryIt: string;
  /** Resolves with the exit code, or with the signal that ended the process. */
  exited: Promise<number | string>;
}

let home: string;
let running: Started | null = null;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tarsy-start-'));
  chmodSync(home, 0o755); // PostgreSQL's account must be able to enter this folder
});
afterAll(async () => {
  if (running) {
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
  }
  rmSync(home, { recursive: true, force: true });
});

const environment = () => ({
  ...process.env,
  TARSY_HOME: home,
  HTTP_PORT: '0',
  OFFLINE_CHUNK_DELAY_MS: '0',
  PGSSLMODE: 'require', // for other databases than our own, which has no TLS
});

async function start(): Promise<Started> {
  // The script behind `npm start`, because npm itself adds only a process in between.
  const child = spawn(process.execPath, [join(ROOT, 'scripts/tarsy.mjs'), 'start'], {
    cwd: ROOT,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | string);
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const printed = await new Promise<{ url: string; tryIt: string }>((found, failed) => {
    let url = '';
    createInterface({ input: child.stdout }).on('line', (line) => {
      url = /TARSy is ready: (\S+)/.exec(line)?.[1] ?? url;
      const tryIt = /Try it: (.+)/.exec(line)?.[1];
      if (tryIt !== undefined) found({ url, tryIt });
    });
    void exited.then((how) => failed(new Error(`ended (${how}) before it was ready:\n${said.join('\n')}`)));
  });
  return { pid: child.pid!, ...printed, exited };
}

async function stop(started: Started, signal: NodeJS.Signals): Promise<number | string> {
  process.kill(started.pid, signal);
  const how = await started.exited;
  running = null;
  return how;
}

async function ask<Data>(query: string): Promise<Data> {
  const response = await fetch(`${running!.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return ((await response.json()) as { data: Data }).data;
}

/** Returns the processes that use this data home. */
async function processesOf(dir: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'pid,args']);
  return stdout.split('\n').filter((line) => line.includes(dir) && !line.includes('ps -eo'));
}

/** Returns the block of docs/how-to/integrate with this command, with the port replaced by the test's port. */
function documentedCommand(containing: string): string {
  const pages = ['use-the-api', 'follow-live'].map((name) =>
    readFileSync(join(ROOT, `docs/how-to/integrate/${name}.md`), 'utf8'),
  );
  const blocks = pages.join('\n').matchAll(/```sh\n([\s\S]*?)```/g);
  const block = [...blocks].map((match) => match[1]!).find((text) => text.includes(containing));
  if (!block) throw new Error(`no command with ${containing} in docs/how-to/integrate`);
  return block.replaceAll('http://127.0.0.1:8080', running!.url);
}

// Each test uses the data of the one before.
describe('npm start', { shuffle: false }, () => {
  test('the first start sets everything up and serves the page', { timeout: 300_000 }, async () => {
    running = await start();
    const health = await fetch(`${running.url}/health`);
    expect(await health.json()).toMatchObject({
      status: 'healthy',
      version: `tarsy/${buildVersion(null)}`,
      checks: { database: { status: 'healthy' }, worker_pool: { status: 'healthy' } },
    });
    const page = await fetch(running.url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<div id="root">');
  });

  test("investigates a real alert from the command line with this machine's data", {
    timeout: 120_000,
  }, async () => {
    // The printed command, without npm, which adds lines of its own to the output.
    const command = running!.tryIt.replace('npm run alert --', 'node scripts/tarsy.mjs alert --json');
    expect(command).not.toBe(running!.tryIt);
    const { stdout } = await run('/bin/sh', ['-c', command], {
      cwd: ROOT,
      env: { ...process.env, TARSY_URL: '' },
      maxBuffer: 64 * 1024 * 1024,
    });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const outcome = events.at(-1)!;
    expect(outcome).toMatchObject({ __typename: 'SessionOutcome', status: 'COMPLETED' });
    const items = events
      .filter((event) => event.__typename === 'TimelineEventCompleted')
      .map(
        (event) =>
          event.timelineEvent as {
            type: string;
            status: string;
            content: string;
            metadata: { tool_name?: string } | null;
          },
      );
    const tools = items.filter(({ type, status }) => type === 'LLM_TOOL_CALL' && status === 'COMPLETED');
    expect(new Set(tools.map(({ metadata }) => metadata?.tool_name)).size).toBeGreaterThanOrEqual(2);
    expect(items.some(({ type }) => type === 'LLM_THINKING')).toBe(true);
    const analysis = items.find(({ type }) => type === 'FINAL_ANALYSIS')!.content;
    const root = tools.find(({ metadata }) => metadata?.tool_name === 'disk_usage')!.content;
    const used = /^\/ .*?(\d+)%/m.exec(root)![1]!;
    expect(analysis).toContain(`${used}%`);
  });

  test('the first start logs no warning', async () => {
    const query = '{ mcpServers { id healthy } systemWarnings { message } }';
    await expect
      .poll(() => ask(query), { timeout: 60_000 })
      .toMatchObject({ mcpServers: expect.arrayContaining([{ id: 'host', healthy: true }]) });
    expect(await ask(query)).toMatchObject({ systemWarnings: [] });
  });

  test('the documented curl commands work as printed', { timeout: 180_000 }, async () => {
    const bash = (command: string) => run('bash', ['-c', command], { maxBuffer: 64 * 1024 * 1024 });
    const submitted = JSON.parse((await bash(documentedCommand('submitAlert'))).stdout);
    expect(submitted.data.submitAlert).toMatchObject({ __typename: 'SubmitAlertSuccess' });
    const asked = JSON.parse((await bash(documentedCommand('finalAnalysis timeline'))).stdout);
    expect(asked.data.sessions.nodes[0].id).toBe(submitted.data.submitAlert.session.id);

    const stream = spawn('bash', ['-c', documentedCommand('text/event-stream')], { detached: true });
    const closed = once(stream, 'exit');
    for await (const line of createInterface({ input: stream.stdout })) {
      if (/"status":"(COMPLETED|FAILED)"/.test(line)) break;
    }
    process.kill(-stream.pid!, 'SIGTERM');
    await closed;
  });

  test('a second start names the running one and damages nothing', { timeout: 120_000 }, async () => {
    const second = spawn(process.execPath, [join(ROOT, 'scripts/tarsy.mjs'), 'start'], {
      cwd: ROOT,
      env: environment(),
    });
    let said = '';
    second.stderr.on('data', (text) => {
      said += text;
    });
    const [code] = await once(second, 'close'); // not 'exit', which may come before the last text
    expect(code).toBe(1);
    expect(said).toContain(`TARSy is already running (pid ${running!.pid}, ${running!.url})`);
    expect((await fetch(`${running!.url}/health`)).status).toBe(200);
  });

  test('after kill -9 the next start has all data, without any repair', { timeout: 120_000 }, async () => {
    const query = () =>
      ask<{ sessions: { nodes: unknown[] } }>('{ sessions { nodes { id status finalAnalysis } } }');
    const before = await query();
    await stop(running!, 'SIGKILL');
    running = await start();
    expect(await query()).toEqual(before);
    expect(before.sessions.nodes.length).toBeGreaterThanOrEqual(2);
  });

  test('Ctrl-C leaves no process and no lock', { timeout: 60_000 }, async () => {
    expect(await stop(running!, 'SIGINT')).toBe(0);
    expect(await processesOf(home)).toEqual([]);
    expect(existsSync(join(home, 'instance.lock'))).toBe(false);
    expect(existsSync(join(home, 'postgres.lock'))).toBe(false);
  });
});
