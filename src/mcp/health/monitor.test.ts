import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostileServer, isAlive } from '../../../test/helpers/mcp/executor.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { openPool } from '../../db/pool.ts';
import type { Queryable } from '../../db/queryable.ts';
import { createWarnings } from '../../warnings.ts';
import type { McpServerSettings } from '../types.ts';
import { type HealthMonitor, type HealthMonitorDeps, startHealthMonitor } from './monitor.ts';
import { unavailableServersAtLastCheck } from './store.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
let folder: string;
let state: string;
let monitors: HealthMonitor[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger });
  folder = await mkdtemp(join(tmpdir(), 'mcp-health-'));
  state = join(folder, 'state');
});
afterEach(async () => {
  await Promise.all(monitors.map((monitor) => monitor.stop()));
  monitors = [];
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

function start(
  holder: string,
  servers: McpServerSettings[],
  more: Partial<HealthMonitorDeps> = {},
): HealthMonitor {
  const mask = (text: string) => text;
  const monitor = startHealthMonitor({
    db: pool,
    warnings: createWarnings({ db: pool, mask, logger }),
    servers,
    holder,
    intervalMs: 100,
    limits: { initTimeoutMs: 20_000, checkTimeoutMs: 20_000 },
    maskResult: (_server, text) => text,
    logger,
    ...more,
  });
  monitors.push(monitor);
  return monitor;
}

interface Row {
  id: string;
  checked_by: string;
  healthy: boolean;
  last_checked_at: Date | null;
  tools: { name: string }[];
}
const rows = async () => (await pool.query<Row>('select * from mcp_server_health order by id')).rows;
const row = async () => (await rows())[0];
const pids = async () => (await readFile(state, 'utf8')).trim().split('\n').map(Number);
const watched = () => hostileServer('odd', ['--pids'], { STATE_FILE: state });

/** Waits until the server is checked again. */
async function checkedAgain(): Promise<void> {
  const before = (await row())?.last_checked_at?.getTime() ?? 0;
  await expect
    .poll(async () => (await row())?.last_checked_at?.getTime() ?? 0, { timeout: 20_000 })
    .toBeGreaterThan(before);
}

it('one process checks over one session; another one takes over when it stops', {
  timeout: 60_000,
}, async () => {
  const patient = { intervalMs: 1_000 }; // a lease of three intervals outlasts a pause of the machine
  const first = start('one', [watched()], patient);
  await checkedAgain();
  start('two', [watched()], patient);
  await checkedAgain();
  await checkedAgain();
  expect(await row()).toMatchObject({ checked_by: 'one', healthy: true });
  expect(await pids()).toHaveLength(1);

  await first.stop();
  expect((await pids()).filter(isAlive)).toEqual([]);
  await expect.poll(async () => (await row())?.checked_by, { timeout: 20_000 }).toBe('two');
  await checkedAgain();
  expect(await pids()).toHaveLength(2);
});

it('a process whose server was claimed by another stores nothing more and leaves no process', {
  timeout: 60_000,
}, async () => {
  start('one', [watched()]);
  await checkedAgain();
  const [pid] = await pids();
  await pool.query(
    `update mcp_server_health set checked_by = 'other', lease_until = now() + interval '1 hour', healthy = false, tools = '[]'`,
  );
  await expect.poll(() => isAlive(pid ?? 0), { timeout: 20_000 }).toBe(false);
  expect(await row()).toMatchObject({ checked_by: 'other', healthy: false, tools: [] });
  // The other process is gone and its lease has expired.
  await pool.query(`update mcp_server_health set lease_until = now() - interval '1 second'`);
  await expect.poll(async () => (await row())?.tools.length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await row()).toMatchObject({ checked_by: 'one', healthy: true });
});

it('a process that lost its server during a check stores its tools again after the next claim', {
  timeout: 60_000,
}, async () => {
  let isClaimed = false;
  const db: Queryable = {
    async query(statement, values) {
      if (isClaimed && /set healthy/.test(String(statement))) {
        await pool.query(
          `update mcp_server_health set checked_by = 'other', tools = '[]', lease_until = now() - interval '1 second'`,
        );
        isClaimed = false;
      }
      return pool.query(statement as string, values) as never;
    },
  };
  start('one', [watched()], { db });
  await checkedAgain();
  isClaimed = true;
  await expect.poll(() => isClaimed, { timeout: 20_000 }).toBe(false);
  await expect.poll(async () => (await row())?.tools.length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await row()).toMatchObject({ checked_by: 'one', healthy: true });
});

it('a server that restarted between two checks stays healthy', { timeout: 60_000 }, async () => {
  const reported = new Set<unknown>();
  const db: Queryable = {
    query(statement, values) {
      if (/set healthy/.test(String(statement))) reported.add(values?.[2]);
      return pool.query(statement as string, values) as never;
    },
  };
  start('one', [watched()], { db });
  await checkedAgain();
  const [pid] = await pids();
  process.kill(pid ?? 0, 'SIGKILL');
  await expect.poll(async () => (await pids()).length, { timeout: 20_000 }).toBe(2);
  await checkedAgain();
  expect([...reported]).toEqual([true]);
});

it('a hanging server delays neither the others nor stopping', { timeout: 60_000 }, async () => {
  const hangs = hostileServer('hangs', ['--hang-init', '--stubborn', '--pids'], { STATE_FILE: state });
  const monitor = start('one', [hangs, hostileServer('well')]);
  await expect
    .poll(async () => (await rows()).map(({ healthy }) => healthy), { timeout: 20_000 })
    .toEqual([false, true]);
  await expect
    .poll(
      () =>
        pids().then(
          (all) => all.length,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(1);
  await monitor.stop();
  expect((await pids()).filter(isAlive)).toEqual([]);
  expect((await rows())[0]).toMatchObject({ id: 'hangs', last_checked_at: null });
});

it('deletes servers of an older configuration with their warnings, unless another process checks them', async () => {
  await pool.query(
    `insert into mcp_server_health (id, checked_by, lease_until) values
       ('checked', 'other', now() + interval '1 hour'), ('old', 'gone', now() - interval '1 minute')`,
  );
  await pool.query(
    `insert into system_warnings (id, category, key, message, server_id)
     values ('01a200e8-e7d0-71c4-b267-ada37c61fbc6', 'mcp_health', 'old', 'away', 'old'),
            ('01a200e8-e7d0-71c4-b267-ada37c61fbc7', 'other', 'old', 'stays', 'old')`,
  );
  start('one', [hostileServer('odd')]);
  const ids = async () => (await rows()).map(({ id }) => id);
  await expect.poll(ids, { timeout: 20_000 }).toEqual(['checked', 'odd']);
  await expect
    .poll(async () => (await pool.query('select message from system_warnings')).rows)
    .toEqual([{ message: 'stays' }]);
});

it('leaves out of the tools what a database or page cannot store', async () => {
  start('one', [hostileServer('odd', ['--odd-tools'])]);
  await expect.poll(async () => (await row())?.healthy, { timeout: 20_000 }).toBe(true);
  const tools = (await row())?.tools ?? [];
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).not.toContain('bad name!');
  expect(names).toContain('no_schema');
  expect(JSON.stringify(tools).length).toBeLessThan(100_000);
});

it('reports servers as unavailable only while the failed check is recent', async () => {
  await pool.query(
    `insert into mcp_server_health (id, checked_by, lease_until, healthy, error, last_checked_at) values
       ('dead', 'one', now(), false, 'HTTP status 502', now()),
       ('well', 'one', now(), true, null, now()),
       ('old', 'one', now(), false, 'HTTP status 502', now() - interval '1 hour'),
       ('unchecked', 'one', now(), false, null, null)`,
  );
  expect(await unavailableServersAtLastCheck(pool, 60_000)).toEqual(new Map([['dead', 'HTTP status 502']]));
});
