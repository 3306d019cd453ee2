import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { createTransaction } from '../engine/store/database.ts';
import { openQueuePool } from './queue-pool.ts';
import { startWork, type WorkDeps } from './work.ts';

const LONG = { timeout: 20_000, interval: 20 };
const APPLICATION = 'tarsy-worker';
const logger = pino({ level: 'silent' });

let database: TestDatabase;
let sql: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

async function connections(): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [APPLICATION],
  );
  return rows[0]!.count;
}

test('a failed start stops the parts already started and releases their connections', async () => {
  const queue = openQueuePool(database.url, { application: APPLICATION, logger });
  const times = { leaseDurationMs: 1_000, heartbeatIntervalMs: 200, sessionTimeoutMs: 60_000 };
  // Holds what startWork needs before it fails: the retention job, started last, has an interval that is not a number.
  const deps = {
    db: sql,
    transaction: createTransaction(sql, { publish: async () => {} }),
    config: {
      defaults: { timeouts: { conclusionReserveMs: 0 } },
      queue: { ...times, workerConcurrency: 1, chatConcurrency: 1, maxAttempts: 3 },
      system: { retention: { sessionRetentionDays: 1, graceDays: 1, cleanupIntervalMs: Number.NaN } },
    },
    database: { url: database.url, isPooler: false },
    application: APPLICATION,
    queue,
    logger,
  } as unknown as WorkDeps;
  const releases: (() => Promise<unknown>)[] = [() => queue.end()];
  await expect(startWork(deps, (release) => releases.push(release))).rejects.toThrow('NaN');
  expect(await connections()).toBeGreaterThan(0);

  for (const release of releases.reverse()) await release();
  await expect.poll(connections, LONG).toBe(0);
  const waiting = await insertSession(sql, { status: 'PENDING', dispatched_at: new Date() });
  await sql.query(`select graphile_worker.add_job('run-session', json_build_object('sessionId', $1::text))`, [
    waiting,
  ]);
  const { rows } = await sql.query('select locked_at from graphile_worker.jobs');
  expect(rows).toEqual([{ locked_at: null }]);
});
