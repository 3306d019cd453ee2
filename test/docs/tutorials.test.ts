import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { tryDelivery } from '../../src/intake/try-delivery.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const TUTORIALS = resolve(import.meta.dirname, '../../docs/tutorials');
const ALERTMANAGER = pageOf('alerts-from-alertmanager.md');
const CLIENT = pageOf('first-api-client.md');
const run = promisify(execFile);

/** Returns the text of a tutorial and its blocks of shell commands. */
function pageOf(name: string): { text: string; commands: string[] } {
  const text = readFileSync(join(TUTORIALS, name), 'utf8');
  return { text, commands: [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!) };
}

const TOKEN = /ALERTMANAGER_TOKEN=(\S+)/.exec(ALERTMANAGER.text)![1]!;
let dir: string;
let app: TestApp;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-tutorials-'));
  const files = ALERTMANAGER.commands.filter((block) => block.includes('cat > '));
  expect(files).toHaveLength(2);
  for (const block of files)
    execFileSync('bash', ['-ec', block.replace(/^CONFIG_DIR=.*$/gm, '')], { cwd: dir });
  const { intake } = parse(readFileSync(join(dir, 'my-alerts/tarsy.yaml'), 'utf8'));
  app = await startTestApp({ intake, env: { ALERTMANAGER_TOKEN: TOKEN } });
});
afterAll(async () => {
  await app.stop();
  rmSync(dir, { recursive: true });
});

/** Ends running investigations, because they would consume the next test's script. */
afterEach(async () => {
  const pool = openTestPool(app.database.url);
  const open = 'select 1 from alert_sessions where completed_at is null';
  await expect.poll(async () => (await pool.query(open)).rowCount).toBe(0);
  await pool.end();
});

const here = (block: string) => block.replaceAll('http://127.0.0.1:8080', app.url);
const withToken = (token = TOKEN) => ({ cwd: dir, env: { ...process.env, ALERTMANAGER_TOKEN: token } });

test('the tutorial of Alertmanager shows what its delivery would become', async () => {
  const out = { stdout: '', stderr: '' };
  const writer = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (out[name] += text) });
  async function* stdin() {
    const warning = readFileSync(join(dir, 'my-alerts/delivery.json'), 'utf8');
    yield Buffer.from(warning.replace('"severity": "warning", "mount', '"severity": "info", "mount'));
  }
  const configDir = join(dir, 'my-alerts');
  for (const file of [join(configDir, 'delivery.json'), '-']) {
    const io = { stdin: stdin(), stdout: writer('stdout'), stderr: writer('stderr') };
    const options = { configDir, env: { CONFIG_DIR: configDir, ALERTMANAGER_TOKEN: TOKEN }, io };
    expect(await tryDelivery(['prod', file], options)).toBe(0);
  }
  const shown = [...ALERTMANAGER.text.matchAll(/^(?:Group|Decision|Rule|Alert): .*$/gm)].map(
    ([line]) => line,
  );
  expect(shown).toHaveLength(5);
  expect(shown.filter((line) => !out.stdout.includes(line))).toEqual([]);
});

test('the tutorial of Alertmanager sends the delivery, and again, with the printed decisions', async () => {
  const send = here(ALERTMANAGER.commands.find((block) => block.includes('/webhooks/prod'))!);
  const printed = [...ALERTMANAGER.text.matchAll(/^\{"status":"accepted".*$/gm)].map(([line]) =>
    JSON.parse(line),
  );
  expect(printed).toHaveLength(2);
  for (const { decisions } of printed) {
    const { stdout } = await run('bash', ['-ec', send], withToken());
    const [{ outcome, alerts }] = decisions;
    expect(JSON.parse(stdout)).toMatchObject({ status: 'accepted', decisions: [{ outcome, alerts }] });
  }
  const wrong = run('bash', ['-ec', send], withToken('another'));
  expect(ALERTMANAGER.text).toContain((await wrong).stdout);
  const ask = here(ALERTMANAGER.commands.find((block) => block.includes('alertGroups'))!);
  const { stdout } = await run('bash', ['-ec', ask]);
  expect(stdout).toContain('"alertCount":1,"decisions":{"nodes":[{"outcome":"DUPLICATE"');
});

test('the tutorial of the API submits, follows and reads', async () => {
  app.llm.script(toolCall('tools.echo', { text: 'memory' }), { text: 'The memory is not full.' });
  app.llm.otherwise({ text: 'Nothing to do.' });
  const [submit = '', follow = '', readReport = ''] = CLIENT.commands.map(here);
  const submitted = await run('bash', ['-ec', submit]);
  const id = submitted.stdout.trim();
  const client = apiClient(app.url);
  expect(await client.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });

  // The stream stays open, so the commands are stopped after the last event.
  const child = spawn('bash', ['-ec', follow.replace('grep ', 'grep --line-buffered ')], {
    env: { ...process.env, SESSION: id },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let followed = '';
  for await (const chunk of child.stdout) {
    followed += String(chunk);
    if (!followed.includes('"COMPLETED"')) continue;
    process.kill(-child.pid!, 'SIGKILL');
    break; // because a second signal fails if the processes are gone
  }
  for (const status of ['PENDING', 'IN_PROGRESS', 'COMPLETED'])
    expect(followed).toMatch(new RegExp(`"cursor":"[^"]+","session":\\{"status":"${status}"`));
  expect(followed).toContain('"timelineEvent":{"type":"LLM_TOOL_CALL"}');

  const { stdout } = await run('bash', ['-ec', readReport], { env: { ...process.env, SESSION: id } });
  expect(JSON.parse(stdout)).toMatchObject({ data: { session: { status: 'COMPLETED' } } });
});
