import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { ChannelConfig } from '../../../config/types.ts';
import { createTransaction } from '../../store/database.ts';
import { listNotificationChannels, type ManageDeps, redeliverNotification } from './manage.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const ROOT = { name: 'root', via: 'PROXY', address: null } as const;

/** Inserts a delivery that is due at this time (ms from now), and sends it again. */
async function again(dueInMs: number, row: object) {
  const channels = { hook: { name: 'hook', kind: 'webhook' } as ChannelConfig };
  const deps: ManageDeps = {
    ...{ db: pool, transaction: createTransaction(pool, { publish: async () => {} }) },
    config: { notifications: { channels, rules: [] } },
  };
  const id = await insertRow(pool, 'notification_deliveries', {
    ...{ channel: 'hook', kind: 'webhook', event: 'session.ended', event_key: uuidv7(), notice: '{}' },
    ...{ due_at: new Date(Date.now() + dueInMs), ...row },
  });
  await redeliverNotification(deps, id, ROOT);
  const { rows } = await pool.query(
    `select status, ended_at as "endedAt", due_at <= now() as "isDue", queued_at > now() - interval '1 day' as "isQueued"
     from notification_deliveries where id = $1`,
    [id],
  );
  return rows[0];
}

const MINUTE = 60_000;
const SENT = { status: 'PENDING', endedAt: null, isDue: true, isQueued: true };

test('a delivery that has ended is queued as if it were new', async () => {
  const before = new Date(Date.now() - 7 * 24 * 60 * MINUTE);
  expect(await again(0, { status: 'FAILED', ended_at: before, queued_at: before })).toEqual(SENT);
});

test('a delivery that waits for its next attempt is attempted now, unless an attempt may be under way', async () => {
  expect(await again(60 * MINUTE, { status: 'PENDING' })).toEqual(SENT);
  await expect(again(MINUTE, { status: 'PENDING' })).rejects.toThrow('is being attempted');
  await expect(again(-MINUTE, { status: 'PENDING' })).rejects.toThrow('is being attempted');
});

test('a delivery of a channel that was removed is not sent', async () => {
  await expect(again(0, { status: 'FAILED', channel: 'gone' })).rejects.toThrow(
    'The channel gone is not in the configuration any more.',
  );
});

const ANY = { verdicts: null, severities: null, teams: null, alertTypes: null, sources: null };

test('channels are listed with what they get, what waits and where they lead, without secrets', async () => {
  const channels = Object.fromEntries(
    [
      { name: 'hook', kind: 'webhook', url: 'https://hooks.example/secret' },
      { name: 'mail', kind: 'email', to: ['ana@example.com', 'bo@example.com'] },
      { name: 'teams', kind: 'teams', urlEnv: 'TEAMS_URL' },
      { name: 'write-back:pd', kind: 'write_back', writeBack: { url: 'https://pd.example/secret' } },
    ].map((channel) => [channel.name, channel as unknown as ChannelConfig]),
  );
  const rules = [
    { ...ANY, events: ['session.ended', 'budget.reached'] as const, channels: ['hook'] },
    { ...ANY, events: ['session.ended'] as const, channels: ['hook', 'mail'] },
  ];
  await pool.query('delete from notification_deliveries');
  for (const [channel, status] of [
    ['hook', 'PENDING'],
    ['hook', 'FAILED'],
    ['mail', 'DELIVERED'],
  ])
    await insertRow(pool, 'notification_deliveries', {
      ...{ channel, status, kind: 'webhook', event: 'session.ended', event_key: uuidv7(), notice: '{}' },
    });
  for (const [category, key, message] of [
    ['notifications', 'hook', 'It is away.'],
    ['notifications', 'mail', 'It is away.'],
    ['notifications_disabled', 'mail', 'It is disabled.'],
  ])
    await insertRow(pool, 'system_warnings', { category, key, message });
  const config = { notifications: { channels, rules } };
  const deps = { db: pool, config } as unknown as ManageDeps;
  const [ended, idle] = [['session.ended'], { pending: 0, problem: null }];
  const events = [...ended, 'budget.reached'];
  expect(await listNotificationChannels(deps)).toEqual([
    { name: 'hook', kind: 'webhook', target: 'hooks.example', events, pending: 1, problem: 'It is away.' },
    {
      name: 'mail',
      kind: 'email',
      target: 'ana@example.com, bo@example.com',
      events: ended,
      pending: 0,
      problem: 'It is disabled.',
    },
    { name: 'teams', kind: 'teams', target: 'URL in TEAMS_URL', events: [], ...idle },
    { name: 'write-back:pd', kind: 'write_back', target: 'pd.example', events: ended, ...idle },
  ]);
});
