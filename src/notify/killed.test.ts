import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { type Receiver, startReceiver } from '../../test/helpers/receiver.ts';

/** Number of deliveries. `TARSY_TEST_DELIVERIES=10000` makes the long run. */
const COUNT = Number(process.env.TARSY_TEST_DELIVERIES ?? 300);
/** Number of times at which every process is killed. */
const KILLS = Math.max(3, Math.round(COUNT / 500));
const PROCESSES = 2;
/** Attempts that one process makes at the same time. */
const ATTEMPTS = 4;
const WORKER = resolve(import.meta.dirname, '../../test/helpers/delivery-worker.ts');
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

vi.setConfig({ testTimeout: 60_000 + COUNT * 100 });

const suite = deliverSuite();
const { queue, dueNow, databaseUrl, statuses } = suite;
let hook: Receiver;
const running: ChildProcess[] = [];
afterEach(async () => {
  await killAll();
  await hook.close();
});

async function startAll(): Promise<void> {
  const env = { ...process.env, DATABASE_URL: databaseUrl(), HOOK_URL: hook.url, HOOK_SECRET: SECRET };
  for (let n = 0; n < PROCESSES; n += 1)
    running.push(
      spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
  await Promise.all(running.map((worker) => once(worker.stdout!, 'data')));
}

async function killAll(): Promise<void> {
  const gone = running.splice(0).map(async (worker) => {
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
  });
  await Promise.all(gone);
  // PostgreSQL ends the statement of a dead client first, and a claim would begin a lease that the test does not skip.
  await expect.poll(connections).toBe(0);
}

/** Returns the number of connections of the processes. */
async function connections(): Promise<number | null> {
  const open = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'test-deliveries'`;
  return (await suite.pool.query(open)).rowCount;
}

test(`of ${COUNT} deliveries none is lost when all processes are killed ${KILLS} times`, async () => {
  hook = await startReceiver();
  const ids = await queue('hook', COUNT);
  const limit = { timeout: 30_000 + COUNT * 50 };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await startAll();
    const part = Math.floor((COUNT * kill) / (KILLS + 1));
    await expect.poll(() => hook.received.length, limit).toBeGreaterThanOrEqual(part);
    await killAll();
    await dueNow(); // instead of waiting for the leases of the killed processes
  }
  await startAll();
  await expect.poll(statuses, limit).toEqual({ DELIVERED: COUNT });
  const received = hook.received.map(({ headers, body }) => ({
    id: headers['webhook-id'],
    event: (JSON.parse(body) as { id: string }).id,
  }));
  expect(new Set(received.map(({ id }) => id))).toEqual(new Set(ids));
  expect(received.filter(({ id, event }) => id !== event)).toEqual([]);
  // Only attempts that a kill interrupted are repeated.
  expect(received.length - COUNT).toBeLessThanOrEqual(KILLS * PROCESSES * ATTEMPTS);
  console.info(`${COUNT} deliveries, ${KILLS} kills, ${received.length - COUNT} repeated`);
});
