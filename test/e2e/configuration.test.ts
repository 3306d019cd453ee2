import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { THIS_PROCESS } from '../../src/config-report/workers.ts';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openTestPool } from '../helpers/deliveries.ts';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };
const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

interface Difference {
  path: string;
  here: unknown;
  there: unknown;
}

interface View {
  process: string;
  version: string;
  files: string[];
  values: { path: string; value: unknown; from: string; file: string | null; line: number | null }[];
  environment: { name: string; value: string | null }[];
  onDisk: { problems: string[]; differences: Difference[] };
  workers: { process: string; version: string; differences: Difference[] }[];
}

let app: TestApp;
let pool: ReturnType<typeof openTestPool>;
beforeAll(async () => {
  app = await startTestApp({
    version: 'tarsy/1',
    queue: { max_pending: 77 },
    defaults: { runbook: 'Clone it.' },
    agents: { TestAgent: { mcp_servers: ['tools'], description: `Clones with ${SECRET}.` } },
    env: { TARSY_KEY: Buffer.alloc(32, 7).toString('base64') },
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

async function view(): Promise<View> {
  const { configuration } = await apiClient(app.url).query<{ configuration: View }>('{ configuration }', {});
  return configuration;
}

it('shows the configured values and variables without secrets', async () => {
  const { process, version, files, values, environment, onDisk } = await view();
  expect({ process, version, onDisk }).toEqual({
    ...{ process: THIS_PROCESS, version: 'tarsy/1', onDisk: { problems: [], differences: [] } },
  });
  expect(files).toContain(join(app.configDir, 'tarsy.yaml'));
  expect(values.find(({ path }) => path === 'queue.max_pending')).toMatchObject({
    ...{ value: 77, from: 'FILE', file: join(app.configDir, 'tarsy.yaml') },
  });
  expect(environment).toContainEqual({ name: 'TARSY_KEY', value: null, hidden: true });
  // A secret is masked even in a value where no secret is expected.
  const valueAt = (wanted: string) => values.find(({ path }) => path === wanted)?.value;
  expect(valueAt('agents.TestAgent.description')).toMatch(/^Clones with \S+$/);
  expect(valueAt('defaults.runbook')).toBeNull(); // hidden because texts for models may contain anything
  expect(JSON.stringify(values)).not.toContain(SECRET);
});

it("shows how running workers' configuration differs", async () => {
  const own = async () => (await view()).workers.find((one) => one.process === THIS_PROCESS);
  await expect.poll(own, SOON).toMatchObject({ version: 'tarsy/1', differences: [] });
  await pool.query(
    `insert into running_configurations (process, version, described, seen_at)
     select p.process, 'tarsy/0', described || '{"queue.max_pending": 5, "gone": "x"}', p.seen
     from running_configurations, (values ('other:1', now()), ('lost:1', now() - interval '2 minutes')) p (process, seen)`,
  );
  const { workers } = await view();
  expect(workers.map(({ process }) => process).sort()).toEqual(['other:1', THIS_PROCESS].sort());
  expect(workers.find(({ process }) => process === 'other:1')?.differences).toEqual([
    { path: 'queue.max_pending', here: 77, there: 5 },
    { path: 'gone', here: null, there: 'x' },
  ]);
});

it('shows the effect of the files on the next start, or why it would fail', async () => {
  const path = join(app.configDir, 'tarsy.yaml');
  const written = await readFile(path, 'utf8');
  await writeFile(path, written.replace('77', '78'));
  expect((await view()).onDisk).toEqual({
    ...{ problems: [], differences: [{ path: 'queue.max_pending', here: 77, there: 78 }] },
  });
  await writeFile(path, written.replace('77', '"many"'));
  expect((await view()).onDisk).toEqual({
    problems: [expect.stringMatching(/tarsy\.yaml:\d+:\d+: queue\.max_pending: /)],
    differences: [],
  });
  await writeFile(path, written);
  expect((await view()).onDisk).toEqual({ problems: [], differences: [] });
});

it('no longer lists a worker that has stopped', async () => {
  const worker = await startTestApp();
  const other = openTestPool(worker.database.url);
  const known = async () => (await other.query('select process from running_configurations')).rows.length;
  await expect.poll(known, SOON).toBe(1);
  await worker.app.stop();
  expect(await known()).toBe(0);
  await other.end();
  await worker.stop();
});
