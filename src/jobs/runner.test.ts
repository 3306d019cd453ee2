import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { wake } from './kit.ts';
import { openQueuePool } from './queue-pool.ts';
import { type JobRunner, startJobRunner } from './runner.ts';

let database: TestDatabase;
let direct: pg.Pool;
let proxy: FreezingProxy;
let pool: pg.Pool;
let runner: JobRunner;
const lines: string[] = [];
const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  database = await createTestDatabase();
  direct = new pg.Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await direct.end();
  await database.drop();
});
beforeEach(async () => {
  lines.length = 0;
  proxy = await openFreezingProxy(database.url);
  pool = openQueuePool(proxy.url, { application: 'test', logger: pino({ level: 'silent' }) });
});
afterEach(async () => {
  await runner.stop();
  await proxy.close();
  await pool.end();
  await direct.query('delete from graphile_worker._private_jobs');
});

const start = (run: () => Promise<void>, options: { stallLimitMs?: number } = {}) =>
  startJobRunner({ pool, tasks: [['work', run]], concurrency: 1, logger, ...options });
const addJob = () => direct.query(`select graphile_worker.add_job('work', max_attempts := 1)`);
/** Adds jobs that are due in an hour. */
const addLater = (task: string, count = 1) =>
  direct.query(
    `select graphile_worker.add_job('${task}', run_at := now() + interval '1 hour') from generate_series(1, ${count})`,
  );
/** Makes a later job due, without a notification. */
const makeDue = (task: string) =>
  direct.query(
    `update graphile_worker._private_jobs set run_at = now() where id =
       (select id from graphile_worker.jobs where task_identifier = '${task}' and run_at > now() limit 1)`,
  );
const jobs = async () =>
  (
    await direct.query<{ attempts: number; last_error: string | null }>(
      'select attempts, last_error from graphile_worker.jobs',
    )
  ).rows;

/** Counts the queue's failed connection attempts from now on. */
function countRefused(): () => number {
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown;
  let refused = 0;
  pool.connect = ((...args: unknown[]) => {
    const client = connect(...args);
    if (client instanceof Promise) client.catch(() => (refused += 1));
    return client;
  }) as typeof pool.connect;
  return () => refused;
}

/** Blocks all connection requests until the returned function is called; then they fail. */
function hang(queue: pg.Pool): () => void {
  const { connect } = queue;
  const never = Promise.withResolvers<never>();
  queue.connect = (() => never.promise) as typeof queue.connect;
  return () => {
    queue.connect = connect;
    never.reject(new Error('it hung'));
  };
}

async function listeners(): Promise<number> {
  const { rows } = await direct.query(
    `select 1 from pg_stat_activity where datname = current_database() and query like 'LISTEN%' and state = 'idle'`,
  );
  return rows.length;
}
const untilListening = (count = 1) =>
  expect.poll(listeners, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);

/** Records the statements of a queue. @returns a function that counts those with a part */
function countStatements(queue: pg.Pool): (part: string) => number {
  const asked: string[] = [];
  queue.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: { text?: string }[]) => unknown;
    client.query = ((...args: { text?: string }[]) => {
      asked.push(args[0]?.text ?? '');
      return query(...args);
    }) as typeof client.query;
  });
  return (part) => asked.filter((text) => text.includes(part)).length;
}

test.each([
  ['is done', async () => {}],
  ['fails', () => Promise.reject(new Error('the job’s own'))],
])('a job that %s while the database is unreachable is settled when it returns', async (how, outcome) => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  runner = await start(async () => {
    begun.resolve();
    await finish.promise;
    await outcome();
  });
  await addJob();
  await begun.promise;
  await proxy.set('refuse');
  const refused = countRefused();
  finish.resolve();
  await vi.waitUntil(() => refused() >= 2, 20_000); // the next poll, and the completion of this job
  await proxy.set('pass');
  const settled = how === 'fails' ? [{ attempts: 1, last_error: 'the job’s own' }] : [];
  await vi.waitFor(async () => expect(await jobs()).toEqual(settled), { timeout: 20_000, interval: 100 });
});

test('a runner that ends unexpectedly is unhealthy and restarts', async () => {
  let ran = 0;
  runner = await start(async () => {
    ran += 1;
  });
  await runner.check();
  await untilListening();
  await direct.query(`select pg_notify('worker:migrate', '{"breaking":true}')`);
  await vi.waitFor(() => expect(runner.check()).rejects.toThrow('died'), { timeout: 30_000 });
  await vi.waitFor(() => runner.check(), { timeout: 30_000, interval: 50 });
  await addJob();
  await vi.waitUntil(() => ran === 1, 20_000);
  expect(lines.join('')).toContain('job runner died, restarting it');
  process.exitCode = undefined; // the queue sets one
});

test('a stop is no failure', async () => {
  runner = await start(async () => {});
  await untilListening();
  await runner.stop();
  expect(lines).toEqual([]);
});

test('a runner that ends after its last job delays no other runner', { timeout: 60_000 }, async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  runner = await start(async () => {
    begun.resolve();
    await finish.promise;
  });
  await untilListening();
  await addLater('other');
  await addJob();
  await begun.promise;
  await direct.query(`select pg_notify('worker:migrate', '{"breaking":true}')`);
  await expect.poll(listeners, { timeout: 20_000 }).toBe(0);
  process.exitCode = undefined; // the queue sets one
  let ran = 0;
  const work = async () => {
    ran += 1;
  };
  const other = await startJobRunner({ pool, tasks: [['other', work]], concurrency: 1, logger });
  try {
    await untilListening();
    await addJob(); // waits for the runner that ends
    await makeDue('other');
    await vi.waitUntil(() => ran === 1, 20_000); // less than the interval of a worker's own polls
  } finally {
    finish.resolve();
    await other.stop();
  }
});

test('a notification wakes only the runners of its task', async () => {
  const queue = openQueuePool(proxy.url, { application: 'other', logger: pino({ level: 'silent' }) });
  const asks = countStatements(queue);
  const ran = { work: 0, other: 0 };
  const woken = (task: keyof typeof ran, of: pg.Pool) => {
    const work = async () => {
      ran[task] += 1;
    };
    return startJobRunner({ pool: of, tasks: [[task, work]], concurrency: 1, isWoken: true, logger });
  };
  const add = (task: string) =>
    direct.query(`select graphile_worker.add_job('${task}', max_attempts := 1), ${wake(task)}`);
  const other = await woken('other', queue);
  runner = await woken('work', pool);
  await untilListening(2);
  const before = asks('job_queue');
  for (let n = 1; n <= 20; n += 1) {
    await add('work');
    await vi.waitUntil(() => ran.work === n, 20_000);
  }
  await add('other'); // arrives after all other notifications
  await vi.waitUntil(() => ran.other === 1, 20_000);
  expect(asks('job_queue') - before).toBeLessThan(10);
  await other.stop();
  await queue.end();
});

test('a runner whose polls hang is unhealthy', async () => {
  runner = await start(async () => {}, { stallLimitMs: 3_000 }); // it polls twice as often
  await runner.check();
  await proxy.set('dead');
  await vi.waitFor(() => expect(runner.check()).rejects.toThrow('has not polled for'), {
    timeout: 30_000,
    interval: 100,
  });
  await proxy.set('pass');
  await vi.waitFor(() => runner.check(), { timeout: 30_000, interval: 100 });
});

test('a runner that hangs is replaced', { timeout: 60_000 }, async () => {
  let ran = 0;
  runner = await start(
    async () => {
      ran += 1;
    },
    { stallLimitMs: 3_000 },
  );
  await untilListening();
  const letGo = hang(pool);
  try {
    await vi.waitUntil(() => lines.join('').includes('runner did not poll for 6 s'), 20_000);
  } finally {
    letGo();
  }
  await vi.waitFor(() => runner.check(), { timeout: 30_000, interval: 50 });
  await addJob();
  await vi.waitUntil(() => ran === 1, 20_000);
});

test('a fully busy runner stays healthy beyond the stall limit', async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  runner = await start(
    async () => {
      begun.resolve();
      await finish.promise;
    },
    { stallLimitMs: 2_500 },
  );
  await addJob();
  await begun.promise;
  const idle = openQueuePool(proxy.url, { application: 'idle', logger: pino({ level: 'silent' }) });
  const told: string[] = [];
  const hanging = await startJobRunner({
    ...{ pool: idle, tasks: [['none', async () => {}]], concurrency: 1, stallLimitMs: 4_000 },
    logger: pino({ level: 'error' }, { write: (line: string) => void told.push(line) }),
  });
  const letGo = hang(idle);
  await vi.waitUntil(() => told.join('').includes('runner did not poll'), 20_000);
  await runner.check();
  expect(lines).toEqual([]);
  finish.resolve();
  letGo();
  await hanging.stop();
  await idle.end();
}, 60_000);

test('one statement finds the due jobs of all runners and workers', async () => {
  const asks = countStatements(pool);
  // Jobs that are not due, or of a task that no runner has, make no worker look.
  await addLater('work', 10);
  await direct.query(`select graphile_worker.add_job('nobody') from generate_series(1, 10)`);
  let ran = 0;
  const options = { pool, concurrency: 10, logger };
  const other = await startJobRunner({ ...options, tasks: [['other', async () => {}]] });
  const work = async () => {
    ran += 1;
  };
  runner = await startJobRunner({ ...options, tasks: [['work', work]] });
  const searches = 6;
  await vi.waitUntil(() => asks('count(*) as jobs') >= searches, 40_000);
  expect(asks('job_queue')).toBeLessThan((searches * 20) / 2); // not each of the 20 workers at each search
  await other.stop();
  await makeDue('work');
  await vi.waitUntil(() => ran === 1, 20_000); // less than the interval of a worker's own polls
  await runner.stop();
  runner = await startJobRunner({ ...options, tasks: [['work', work]] });
  await untilListening();
  await makeDue('work');
  await vi.waitUntil(() => ran === 2, 20_000);
});
