import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SHORT_LEASE, testConfig, writeConfig } from '../helpers/config.ts';
import {
  alertBody,
  type Delivered,
  emptyIntake,
  intakeConfig,
  openTestPool,
  sendDelivery,
} from '../helpers/deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { randomFrom } from '../helpers/random.ts';

const DELIVERIES = 200;
const CLIENTS = 16;
const ALERTS = 20;
const GROUPS = 5;

let database: TestDatabase;
let pool: pg.Pool;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  env = {
    DATABASE_URL: database.url,
    CONFIG_DIR: await writeConfig(testConfig({ intake: intakeConfig(), queue: SHORT_LEASE })),
    HTTP_PORT: '0',
  };
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => emptyIntake(pool));

/**
 * Sends a delivery as a real sender does: repeats it, each time to the next process, until it is accepted.
 */
async function sendUntilTaken(urls: () => string[], body: unknown, at: number): Promise<Delivered> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const known = urls();
    try {
      const answer = await sendDelivery(known[(at + attempt) % known.length]!, body);
      if (answer.status === 202) return answer;
      expect(answer.status).toBe(503);
    } catch {
      // the process is gone, so the next one is tried
    }
  }
  throw new Error('not taken in 60 attempts');
}

it('200 deliveries to two processes, one killed midway: a session for each group, and a decision for everything', async () => {
  const [first, second] = await Promise.all([startProcess('api', env), startProcess('api', env)]);
  let urls = [first.url!, second.url!];
  const random = randomFrom(7);
  const bodies = Array.from({ length: DELIVERIES }, () => {
    const alerts = Array.from({ length: 1 + Math.floor(random() * ALERTS) }, () =>
      Math.floor(random() * ALERTS),
    );
    return [...new Set(alerts)].map((alert) =>
      alertBody({ fingerprint: `a${alert}`, group: `g${alert % GROUPS}`, title: `Alert ${alert}` }),
    );
  });
  let next = 0;
  let killed: Promise<unknown> | null = null;
  const client = async (): Promise<void> => {
    while (next < bodies.length) {
      const at = next++;
      if (at === DELIVERIES / 2) {
        urls = [second.url!];
        killed = first.end('SIGKILL');
      }
      await sendUntilTaken(() => urls, bodies[at], at);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await killed;
  await second.end('SIGTERM');
  const count = async (sql: string) =>
    (await pool.query(`select count(*)::int as count from ${sql}`)).rows[0].count;
  expect(await count('alert_groups')).toBe(GROUPS);
  expect(await count('alert_sessions')).toBe(GROUPS);
  expect(await count(`intake_decisions where outcome = 'INVESTIGATED'`)).toBeGreaterThanOrEqual(GROUPS);
  expect(await count('alerts')).toBe(ALERTS);
  expect(
    await count('alerts a where not exists (select 1 from intake_decisions d where d.alert_id = a.id)'),
  ).toBe(0);
  // Each alert has as many decisions as deliveries. A delivery repeated after a lost answer counts in both.
  expect(
    await count(
      'alerts a where deliveries <> (select count(*) from intake_decisions d where d.alert_id = a.id)',
    ),
  ).toBe(0);
  expect(await count(`(select session_id from alert_groups group by 1) sessions`)).toBe(GROUPS);
}, 120_000);
