import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { ChannelConfig, NotificationsConfig } from '../../../config/types.ts';
import { openPool } from '../../../db/pool.ts';
import { createTransaction } from '../../store/database.ts';
import { notifyOfWarning, requestNotifications, sessionNotifier } from './request.ts';

const ANY = { verdicts: null, severities: null, teams: null, alertTypes: null, sources: null };
const NOTIFICATIONS: NotificationsConfig = {
  channels: Object.fromEntries(
    ['all', 'api', 'prom'].map((name) => [name, { name, kind: 'webhook' } as ChannelConfig]),
  ),
  rules: [
    { ...ANY, events: ['session.ended', 'canary.failing'], channels: ['all'] },
    { ...ANY, events: ['session.ended'], sources: ['api'], channels: ['api'] },
    { ...ANY, events: ['session.ended'], sources: ['prom'], channels: ['prom'] },
  ],
};
const DEPS = { config: { notifications: NOTIFICATIONS } };

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

const queued = async () => {
  const { rows } = await pool.query<{ channel: string; event: string }>(
    'select channel, event from notification_deliveries order by channel, id',
  );
  return rows.map(({ channel, event }) => `${event} to ${channel}`);
};
const ended = (sessionId: string) => sessionNotifier(DEPS)(pool, sessionId, 'TERMINAL');

const insertGroup = (source: string, more: object = {}) =>
  insertRow(pool, 'alert_groups', {
    ...{ source, group_key: uuidv7(), title: 't', severity: 'ERROR', state: 'FIRING' },
    ...{ alert_type: 'test', opened_at: new Date(), last_received_at: new Date(), ...more },
  });
/** Inserts a session of an alert group of this source. */
const sessionOf = async (source: string) => insertSession(pool, { group_id: await insertGroup(source) });

test('rules select by the source of the alert, and api is the source of submitted alerts', async () => {
  await ended(await insertSession(pool));
  expect(await queued()).toEqual(['session.ended to all', 'session.ended to api']);
  await pool.query('delete from notification_deliveries');
  await ended(await sessionOf('prom'));
  expect(await queued()).toEqual(['session.ended to all', 'session.ended to prom']);
  await pool.query('delete from notification_deliveries');
  const storm = await insertSession(pool);
  await insertGroup('prom', { session_id: storm });
  await ended(storm);
  expect(await queued()).toEqual(['session.ended to all', 'session.ended to prom']);
});

test('an event is queued once for a channel', async () => {
  const id = await insertSession(pool);
  await ended(id);
  await ended(id);
  expect(await queued()).toEqual(['session.ended to all', 'session.ended to api']);
});

test('an event without a rule queues nothing', async () => {
  await sessionNotifier(DEPS)(pool, await insertSession(pool), 'STARTED');
  expect(await queued()).toEqual([]);
});

test('replays and canaries queue nothing', async () => {
  const replayed = await insertRow(pool, 'cases', {
    ...{ name: 'n', document: '""', hash: 'h', alert_type: 'test', world: 'OPEN', max_unrecorded_calls: 5 },
    ...{ recorded_calls: 0, created_by: 'me', expectation: '{}' },
  });
  const replay = await insertSession(pool);
  await insertRow(pool, 'replays', {
    ...{
      case_id: replayed,
      session_id: replay,
      provider: 'p',
      model: 'm',
      config_hash: 'h',
      created_by: 'me',
    },
  });
  await ended(replay);
  await ended(await sessionOf('canary'));
  expect(await queued()).toEqual([]);
});

test('an event that is rolled back leaves no notification', async () => {
  const id = await insertSession(pool);
  const transaction = createTransaction(pool, { publish: async () => {} });
  const event = { event: 'session.ended', key: 'k', notice: {} } as const;
  const work = transaction(async (tx) => {
    await requestNotifications(tx, DEPS, id, event);
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await queued()).toEqual([]);
});

test('a warning is notified once, and again after it was cleared', async () => {
  const warning = { category: 'canary', key: 'k' };
  const notify = () => notifyOfWarning(pool, DEPS, warning, { event: 'canary.failing', text: 'late' });
  const raise = () => insertRow(pool, 'system_warnings', { ...warning, message: 'm' });
  await notify(); // without a warning
  expect(await queued()).toEqual([]);
  await raise();
  await notify();
  await notify();
  expect(await queued()).toEqual(['canary.failing to all']);
  await pool.query('delete from system_warnings');
  await raise();
  await notify();
  expect(await queued()).toEqual(['canary.failing to all', 'canary.failing to all']);
});
