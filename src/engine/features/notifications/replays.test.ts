import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/postgres.ts';
import { insertReport } from '../../../../test/helpers/report.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { ChannelConfig, NotificationsConfig } from '../../../config/types.ts';
import { openPool } from '../../../db/pool.ts';
import { createTransaction } from '../../store/database.ts';
import { replayNotifier } from './replays.ts';

const ANY = { verdicts: null, severities: null, teams: null, alertTypes: null, sources: null };
const NOTIFICATIONS: NotificationsConfig = {
  channels: Object.fromEntries(
    ['all', 'shop'].map((name) => [name, { name, kind: 'webhook' } as ChannelConfig]),
  ),
  rules: [
    { ...ANY, events: ['replay.worse'], channels: ['all'] },
    { ...ANY, events: ['replay.worse'], teams: ['shop'], channels: ['shop'] },
  ],
};
const notify = replayNotifier({ config: { notifications: NOTIFICATIONS } });

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger: pino({ level: 'silent' }) });
});
afterEach(() => pool.query('delete from notification_deliveries'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const transaction = <T>(work: Parameters<ReturnType<typeof createTransaction>>[0]) =>
  createTransaction(pool, { publish: async () => {} })(work) as Promise<T>;

/** Inserts a case that expects NO_ACTION. */
const insertCase = (name: string, team: string | null = null, mustSay: string[] = []) =>
  insertRow(pool, 'cases', {
    ...{ name, team, document: '""', hash: name, alert_type: 'test', world: 'CLOSED' },
    ...{ max_unrecorded_calls: 5, recorded_calls: 0, created_by: 'me' },
    expectation: JSON.stringify({
      verdict: 'NO_ACTION',
      must_say: mustSay,
      must_not_say: [],
      entities: [],
      causes: [],
    }),
  });

/** Inserts a running replay whose report has this verdict. @returns the id of its session */
async function insertReplay(
  suite: { id: string; size: number },
  caseId: string,
  verdict = 'ACTION_REQUIRED',
  confidence = 0.5,
): Promise<string> {
  const session = await insertSession(pool, { status: 'IN_PROGRESS' });
  await insertReport(pool, session, { verdict, headline: 'It is so.', confidence, entities: [], claims: [] });
  await insertRow(pool, 'replays', {
    ...{
      case_id: caseId,
      session_id: session,
      provider: 'p',
      model: 'm',
      config_hash: 'h',
      created_by: 'me',
    },
    ...{ suite_id: suite.id, suite_size: suite.size },
  });
  return session;
}

const end = (session: string, status = 'COMPLETED') =>
  transaction<void>(async (tx) => {
    await tx.query('update alert_sessions set status = $2 where id = $1', [session, status]);
    await notify(tx, session, 'TERMINAL');
  });

const queued = async () => {
  const { rows } = await pool.query<{ channel: string; text: string }>(
    `select channel, notice ->> 'text' as text from notification_deliveries order by channel, id`,
  );
  return rows.map(({ channel, text }) => `${channel}: ${text}`);
};

test('a suite is judged once all of its replays have ended, and notified once', async () => {
  const suite = { id: uuidv7(), size: 3 };
  const disk = await insertCase('disk');
  const first = await insertReplay(suite, disk);
  const second = await insertReplay(suite, disk, 'NO_ACTION');
  await end(first);
  await end(second);
  expect(await queued()).toEqual([]); // the third has not been started
  const third = await insertReplay(suite, disk);
  await end(third);
  await end(third);
  expect(await queued()).toEqual([
    'all: 1 of 1 case answered worse than expected.\n- disk with p (m): 1 of 3 decided replays passed; verdict: ACTION_REQUIRED, expected NO_ACTION',
  ]);
});

test('the last two replays of a suite end at the same moment', async () => {
  const suite = { id: uuidv7(), size: 2 };
  const disk = await insertCase('twins');
  const [one, other] = [await insertReplay(suite, disk), await insertReplay(suite, disk)];
  const ending: Promise<void>[] = [];
  await transaction<void>(async (tx) => {
    await tx.query(`update alert_sessions set status = 'COMPLETED' where id = $1`, [one]);
    await notify(tx, one, 'TERMINAL');
    ending.push(end(other));
    // Waits until the second end waits for this one.
    await expect
      .poll(async () => {
        const { rowCount } = await pool.query(
          `select 1 from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rowCount;
      })
      .toBe(1);
  });
  await Promise.all(ending);
  expect(await queued()).toHaveLength(1);
});

test('a confidently wrong answer makes a case worse, and cancelled replays decide nothing', async () => {
  const suite = { id: uuidv7(), size: 4 };
  const disk = await insertCase('sure');
  const sessions = [
    await insertReplay(suite, disk, 'NO_ACTION'),
    await insertReplay(suite, disk, 'NO_ACTION'),
    await insertReplay(suite, disk, 'ACTION_REQUIRED', 0.9),
  ];
  const cancelled = await insertReplay(suite, await insertCase('quiet'));
  for (const session of sessions) await end(session);
  await end(cancelled, 'CANCELLED');
  expect(await queued()).toEqual([
    expect.stringMatching(
      /^all: 1 of 2 cases answered worse.*\n- sure .*: 2 of 3 decided replays passed, 1 confidently wrong; verdict: /,
    ),
  ]);
});

test('half of the replays decide, and the first ten cases are named', async () => {
  const half = { id: uuidv7(), size: 2 };
  const disk = await insertCase('half');
  for (const verdict of ['NO_ACTION', 'ACTION_REQUIRED']) await end(await insertReplay(half, disk, verdict));
  expect(await queued()).toEqual([
    expect.stringContaining('- half with p (m): 1 of 2 decided replays passed;'),
  ]);
  await pool.query('delete from notification_deliveries');

  const many = { id: uuidv7(), size: 11 };
  for (let n = 0; n < 11; n += 1) await end(await insertReplay(many, await insertCase(`case-${n}`)));
  const [text] = await queued();
  expect(text).toMatch(/^all: 11 of 11 cases answered worse/);
  expect(text!.match(/- case-/g)).toHaveLength(10);
  expect(text).toMatch(/\n1 more\.$/);
});

test('a suite that answers as expected, and a replay without a suite, notify about nothing', async () => {
  const suite = { id: uuidv7(), size: 1 };
  await end(await insertReplay(suite, await insertCase('right'), 'NO_ACTION'));
  const old = await insertReplay(suite, await insertCase('old'));
  await pool.query('update replays set suite_id = null, suite_size = null where session_id = $1', [old]);
  await end(old);
  await end(await insertSession(pool));
  expect(await queued()).toEqual([]);
});

test('a case is shown with the beginning of its first failed check', async () => {
  const suite = { id: uuidv7(), size: 1 };
  await end(await insertReplay(suite, await insertCase('long', null, ['x'.repeat(500)]), 'NO_ACTION'));
  const [text] = await queued();
  expect(text).toMatch(/passed; mustSay: no claim matches x+$/);
  expect(text!.split('mustSay: ')[1]).toHaveLength(200);
});

test('a channel of a team gets the cases of that team only', async () => {
  const suite = { id: uuidv7(), size: 2 };
  const sessions = [
    await insertReplay(suite, await insertCase('of-shop', 'shop')),
    await insertReplay(suite, await insertCase('of-bank', 'bank')),
  ];
  for (const session of sessions) await end(session);
  const texts = await queued();
  expect(
    texts
      .filter((text) => text.startsWith('all'))
      .map((text) => /of-\w+/.exec(text)![0])
      .sort(),
  ).toEqual(['of-bank', 'of-shop']);
  expect(texts.filter((text) => text.startsWith('shop'))).toEqual([expect.stringContaining('of-shop')]);
});
