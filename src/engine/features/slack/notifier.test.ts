import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/postgres.ts';
import { startFakeSlack } from '../../../../test/helpers/slack/server.ts';
import type { FakeSlack, Fault } from '../../../../test/helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../../../../test/helpers/slack/workspace.ts';
import { openPool } from '../../../db/pool.ts';
import { createSlackClient } from './client.ts';
import { createSlackNotifier } from './notifier.ts';

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

/** Time limits of a call (ms): one that passes, and one that a busy machine does not reach. */
const HASTY_MS = 2_000;
const PATIENT_MS = 20_000;

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

type Point = 'STARTED' | 'TERMINAL';

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
const POST = 'chat.postMessage';

describe('a message', () => {
  it('is posted once, masked, with the token in its header only', async () => {
    const id = await newSession();
    await attempt(id);
    await attempt(id);
    expect(slack.messages).toHaveLength(1);
    expect(slack.messages[0]?.blocks?.[1]?.text.text).toBe('The [MASKED] disk is full.');
    expect(slack.requests[0]).toMatchObject({
      authorization: `Bearer ${SLACK_TOKEN}`,
      args: { parse: 'none' },
    });
    expect(JSON.stringify(slack.requests.map(({ args }) => args))).not.toContain(SLACK_TOKEN);
    expect(await stored(id)).toMatchObject({
      status: 'POSTED',
      message_ts: slack.messages[0]?.ts,
      unsure: false,
    });
  });

  it('is posted once by concurrent attempts', async () => {
    const id = await newSession();
    await Promise.all([1, 2, 3, 4].map(() => notifier().run(id, 'TERMINAL')));
    expect(slack.messages).toHaveLength(1);
  });

  it('goes into the thread of the alert, and so does the next one without another search', async () => {
    slack.say('something else');
    const thread = slack.say('Disk <b>FULL</b> on   host-1');
    const id = await newSession(
      { status: 'IN_PROGRESS', slack_message_fingerprint: 'full</b> on host-1' },
      'STARTED',
      'TERMINAL',
    );
    await attempt(id, 'STARTED');
    await pool.query(`update alert_sessions set status = 'COMPLETED' where id = $1`, [id]);
    await attempt(id);
    expect(slack.messages.slice(2).map(({ thread_ts: ts }) => ts)).toEqual([thread, thread]);
    expect(methods()).toEqual(['conversations.history', POST, POST]);
  });

  it('goes into the thread in which the alert is a reply that the channel shows', async () => {
    const thread = slack.say('Alerts of today');
    slack.say('Disk full on host-2', { thread_ts: thread, subtype: 'thread_broadcast' });
    await attempt(await newSession({ slack_message_fingerprint: 'full on host-2' }));
    expect(slack.messages[2]?.thread_ts).toBe(thread);
  });

  it('goes into the channel if no message of the last day contains the fingerprint', async () => {
    slack.say('fp-1', { ts: `${Math.floor(Date.now() / 1000) - 25 * 3600}.000001` });
    for (let n = 0; n < 450; n += 1) slack.say(`noise ${n}`);
    const id = await newSession({ slack_message_fingerprint: 'fp-1' });
    await attempt(id);
    expect(slack.messages.at(-1)?.thread_ts).toBeUndefined();
    expect(methods()).toEqual([...Array(3).fill('conversations.history'), POST]);
  });

  it('about the start is skipped if the session has ended', async () => {
    const id = await newSession({ slack_message_fingerprint: 'x' }, 'STARTED');
    await attempt(id, 'STARTED');
    expect(await stored(id, 'STARTED')).toMatchObject({ status: 'SKIPPED' });
    expect(slack.requests).toEqual([]);
  });

  it('goes into the channel if the thread is gone or the search is not permitted', async () => {
    const thread = slack.say('fp-1');
    slack.fail(POST, { body: { ok: false, error: 'thread_not_found' } });
    const id = await newSession({ slack_message_fingerprint: 'fp-1' });
    await attempt(id);
    expect(slack.messages.at(-1)?.thread_ts).toBeUndefined();
    slack.fail('conversations.history', { body: { ok: false, error: 'missing_scope' } });
    await attempt(await newSession({ slack_message_fingerprint: 'fp-1' }));
    expect(slack.messages.filter(({ thread_ts: ts }) => ts === thread)).toEqual([]);
    expect(slack.messages).toHaveLength(3);
  });
});

describe('a failure', () => {
  it('of rate limiting waits as long as Slack asks', async () => {
    slack.fail(POST, { status: 429, headers: { 'retry-after': '700' } });
    const id = await newSession();
    await attempt(id);
    expect(await stored(id)).toMatchObject({ status: 'WAITING', error: 'ratelimited', unsure: false });
    expect(Number((await stored(id)).due_in)).toBeGreaterThan(600);
    expect(queued).toEqual(['TERMINAL']);
    await notifier().run(id, 'TERMINAL'); // too early
    expect(slack.messages).toHaveLength(0);
    await attempt(id);
    expect(slack.messages).toHaveLength(1);
    expect(methods()).toEqual([POST, POST]);
  });

  it('of rate limiting waits an hour at most', async () => {
    slack.fail(POST, { status: 429, headers: { 'retry-after': '7200' } });
    const id = await newSession();
    await attempt(id);
    expect(Number((await stored(id)).due_in)).toBeLessThanOrEqual(3_600);
  });

  it('of more than one message a second is posted by a later attempt', async () => {
    slack.burst = 1;
    slack.refill = 0; // within this second
    const ids = [await newSession(), await newSession()];
    for (const id of ids) await attempt(id);
    expect(await stored(ids[1]!)).toMatchObject({ status: 'WAITING', error: 'ratelimited', unsure: false });
    slack.burst = 2;
    await attempt(ids[1]!);
    expect(slack.messages).toHaveLength(2);
  });

  const unsure: [string, Fault][] = [
    ['500', { status: 500, body: 'oops' }],
    ['503 in HTML', { status: 503, body: '<html>' }],
    ['internal_error', { body: { ok: false, error: 'internal_error' } }],
    ['a page of a proxy', { body: '<html>some proxy</html>' }],
    ['a dropped connection', { how: 'drop' }],
    ['no response', { how: 'hang' }],
    ['429 without a time', { status: 429 }],
  ];
  const limitOf = ({ how }: Fault) => (how === 'hang' ? HASTY_MS : PATIENT_MS);
  it.each(unsure)('of %s after the message was posted does not post it again', async (_, fault) => {
    slack.fail(POST, { ...fault, done: true });
    const id = await newSession();
    await attempt(id, 'TERMINAL', SLACK_TOKEN, limitOf(fault));
    expect(await stored(id)).toMatchObject({ status: 'WAITING', unsure: true });
    await attempt(id);
    expect(slack.messages).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: 'POSTED', message_ts: slack.messages[0]?.ts });
  });

  it.each(unsure)('of %s before the message was posted is posted by the next attempt', async (_, fault) => {
    slack.fail(POST, fault);
    const id = await newSession();
    await attempt(id, 'TERMINAL', SLACK_TOKEN, limitOf(fault));
    await attempt(id);
    expect(slack.messages).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: 'POSTED' });
  });

  it('is found by the next attempt although the clock of Slack is behind', async () => {
    slack.fail(POST, { how: 'drop', done: true });
    const id = await newSession();
    await attempt(id);
    await pool.query(
      `update slack_posts set sending_at = sending_at + interval '1 minute' where session_id = $1`,
      [id],
    );
    await attempt(id);
    expect(slack.messages).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: 'POSTED' });
  });

  it('in a thread is searched for in the thread', async () => {
    slack.say('fp-1');
    slack.fail(POST, { how: 'drop', done: true });
    const id = await newSession({ slack_message_fingerprint: 'fp-1' });
    await attempt(id);
    await attempt(id);
    expect(slack.messages).toHaveLength(2);
    expect(methods()).toEqual(['conversations.history', POST, 'conversations.replies']);
  });

  const unsearchable: [string, () => void][] = [
    [
      'missing_scope',
      () => slack.fail('conversations.history', { body: { ok: false, error: 'missing_scope' } }),
    ],
    ['search_too_long', () => Array.from({ length: 1_001 }, (_, n) => slack.say(`another message ${n}`))],
  ];
  it.each(unsearchable)('of unknown outcome posts nothing more (%s)', async (error, happens) => {
    slack.fail(POST, { how: 'drop', done: true });
    const id = await newSession();
    await attempt(id);
    happens();
    await attempt(id);
    expect(await stored(id)).toMatchObject({ status: 'FAILED', error });
    expect(methods().filter((method) => method === POST)).toHaveLength(1);
  });

  it.each(['channel_not_found', 'not_in_channel', 'token_revoked', 'invalid_blocks'])(
    'of %s is final',
    async (error) => {
      slack.fail(POST, { body: { ok: false, error } });
      const id = await newSession();
      await attempt(id);
      await attempt(id);
      expect(await stored(id)).toMatchObject({ status: 'FAILED', error, attempts: 1 });
      expect(methods()).toEqual([POST]);
      expect(queued).toEqual([]);
      expect(warned).toEqual(
        error === 'invalid_blocks'
          ? []
          : [expect.stringContaining(`refuses messages about sessions: ${error}.`)],
      );
    },
  );

  it('of an unknown token is final, raises a warning and does not log the token', async () => {
    const id = await newSession();
    await attempt(id, 'TERMINAL', 'xoxb-wrong-token');
    expect(await stored(id)).toMatchObject({ status: 'FAILED', error: 'invalid_auth' });
    expect(warned).toEqual([expect.stringContaining('refuses messages about sessions: invalid_auth.')]);
    expect(log).toContain('invalid_auth');
    expect(log).not.toMatch(/xoxb|disk is full/);
    await attempt(await newSession());
    expect(warned.at(-1)).toBe('clear slack');
  });

  it('of an unreachable server is retried ten times', async () => {
    await slack.close();
    const id = await newSession();
    for (let n = 0; n < 12; n += 1) await attempt(id);
    expect(await stored(id)).toMatchObject({
      status: 'FAILED',
      error: 'unreachable',
      attempts: 11,
      unsure: false,
    });
    expect(queued).toHaveLength(10);
    slack = await startFakeSlack();
  });
});
