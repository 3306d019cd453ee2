import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import type { ChannelConfig, NotificationsConfig } from '../../../config/types.ts';
import { writeRowsIf } from '../../store/event-statement.ts';
import { budgetNotifications, notifyOfBudget, type ReachedBudget } from './budget.ts';

const ANY = { verdicts: null, severities: null, teams: null, alertTypes: null, sources: null };
const events = ['budget.reached'] as const;
const NOTIFICATIONS: NotificationsConfig = {
  channels: Object.fromEntries(
    ['all', 'team', 'type', 'source'].map((name) => [name, { name, kind: 'webhook' } as ChannelConfig]),
  ),
  rules: [
    { ...ANY, events, channels: ['all'] },
    { ...ANY, events, teams: ['shop'], channels: ['team'] },
    { ...ANY, events, alertTypes: ['shop'], channels: ['type'] },
    { ...ANY, events, sources: ['shop'], channels: ['source'] },
  ],
};
const DEPS = { config: { notifications: NOTIFICATIONS } };

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterEach(() => pool.query('delete from notification_deliveries'));
afterAll(() => pool.drop());

const TODAY = new Date('2026-01-02');
const reached = ({
  scope = 'all',
  per = 'day',
  ...more
}: Partial<ReachedBudget & ReachedBudget['budget']> = {}): ReachedBudget => ({
  ...{ budget: { name: 'b', scope, per }, key: '', endsAt: TODAY, measure: null, text: 'It is used up.' },
  ...more,
});
const queued = async () => {
  const { rows } = await pool.query<{ channel: string; session: string | null }>(
    'select channel, session_id as session from notification_deliveries order by id',
  );
  return rows;
};
const channels = async () => (await queued()).map(({ channel }) => channel);

test.each([
  ['team', ['all', 'team']],
  ['alert_type', ['all', 'type']],
  ['source', ['all', 'source']],
] as const)('a budget per %s is notified by the rules for it', async (scope, names) => {
  await notifyOfBudget(pool, DEPS, reached({ scope, key: 'shop' }));
  expect(await channels()).toEqual(names);
});

test('is notified once per measure, key and period', async () => {
  const notify = (more: Partial<ReachedBudget> = {}) => notifyOfBudget(pool, DEPS, reached(more));
  for (const measure of [null, null, 'CONCLUDE', 'CONCLUDE']) await notify({ measure });
  expect(await channels()).toEqual(['all', 'all']);
  await notify({ endsAt: new Date('2026-01-03') });
  await notify({ key: 'bank' });
  expect(await channels()).toHaveLength(4);
});

test('the budget of a single session concerns that session, one with a period concerns none', async () => {
  const sessions = [await insertSession(pool, { team: 'shop' }), await insertSession(pool)] as const;
  for (const [at, session] of sessions.entries()) {
    const of = at === 0 ? reached({ scope: 'session', per: null, endsAt: null }) : reached();
    const changes = await budgetNotifications({ ...DEPS, db: pool }, session, of);
    await writeRowsIf(pool, session, { guard: 'true' }, changes);
  }
  expect(await queued()).toEqual([
    { channel: 'all', session: sessions[0] },
    { channel: 'team', session: sessions[0] }, // its properties are those of the session
    { channel: 'all', session: null },
  ]);
});
