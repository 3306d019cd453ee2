import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openPool } from '../../../src/db/pool.ts';
import { createSlackClient } from '../../../src/engine/features/slack/client.ts';
import { createSlackNotifier } from '../../../src/engine/features/slack/notifier.ts';
import { insertSession } from '../http-api.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { startFakeSlack } from './server.ts';
import type { FakeSlack } from './types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from './workspace.ts';

export const POST = 'chat.postMessage';

/** Time limits of a call (ms): one that passes, and one that a busy machine does not reach. */
export const HASTY_MS = 2_000;
const PATIENT_MS = 20_000;

type Point = 'STARTED' | 'TERMINAL';

/** Sessions with messages to a fake Slack, on a real database, with attempts that the test runs itself. */
export function notifierSuite() {
  let database: TestDatabase;
  let pool: Pool;
  let slack: FakeSlack;
  let log = '';
  const queued: string[] = [];
  const warned: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { application: 'test', logger: pino({ level: 'silent' }) });
  });
  beforeEach(async () => {
    slack = await startFakeSlack();
    log = '';
    queued.length = 0;
    warned.length = 0;
  });
  afterEach(() => slack.close());
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  function notifier(token = SLACK_TOKEN, callTimeoutMs = PATIENT_MS) {
    const openClient = () =>
      createSlackClient({
        token,
        channel: SLACK_CHANNEL,
        apiUrl: slack.url,
        callTimeoutMs,
        signal: new AbortController().signal,
      });
    return createSlackNotifier({
      db: pool,
      openClient,
      dashboardUrl: 'https://tarsy.example',
      isInteractive: false,
      stagesOf: () => [],
      mask: (text) => text.replaceAll('secret', '[MASKED]'),
      enqueue: async (_db, _session, point) => void queued.push(point),
      warnings: {
        raise: async ({ message }) => void warned.push(message),
        clear: async (category) => void warned.push(`clear ${category}`),
      },
      logger,
    });
  }

  async function newSession(row: Record<string, unknown> = {}, ...points: Point[]): Promise<string> {
    const id = await insertSession(pool, {
      status: 'COMPLETED',
      final_analysis: 'The secret disk is full.',
      ...row,
    });
    for (const point of points.length > 0 ? points : ['TERMINAL'])
      await pool.query('insert into slack_posts (session_id, point) values ($1, $2)', [id, point]);
    return id;
  }

  async function stored(id: string, point: Point = 'TERMINAL') {
    const { rows } = await pool.query(
      `select status, attempts, error, thread_ts, message_ts, sending_at is not null as unsure,
         round(extract(epoch from due_at - now())) as due_in from slack_posts where session_id = $1 and point = $2`,
      [id, point],
    );
    return rows[0];
  }

  /** Makes the post due and runs the next attempt. */
  async function attempt(id: string, point: Point = 'TERMINAL', ...of: Parameters<typeof notifier>) {
    await pool.query('update slack_posts set due_at = now() where session_id = $1', [id]);
    await notifier(...of).run(id, point);
  }

  const methods = () => slack.requests.map(({ method }) => method);

  return {
    get slack() {
      return slack;
    },
    get pool() {
      return pool;
    },
    log: () => log,
    ...{ queued, warned, notifier, newSession, stored, attempt, methods },
  };
}
