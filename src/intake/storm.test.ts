import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiClient } from '../../test/helpers/api.ts';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  endSession,
  intakeConfig,
  openTestPool,
  passTime,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  // Runs without a worker, so that only the test's own calls run.
  app = await startTestApp({
    role: 'api',
    intake: intakeConfig({ storm: { groups: 4, within: '5m', wait: '0s' } }),
    queue: { max_concurrent_sessions: 5 },
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const fire = (more: Record<string, unknown> = {}) => sendDelivery(app.url, alertBody(more));
const rows = async <T>(sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows as T[];
const sessions = () =>
  rows<{ id: string; status: string; alert_data: string }>(
    'select * from alert_sessions order by created_at',
  );

describe('a storm', () => {
  it('becomes one session beyond the limit, and ends when it calms down', async () => {
    const outcomes = [];
    for (let index = 0; index < 8; index++)
      outcomes.push((await fire({ fingerprint: `f${index}`, group: `g${index}` })).outcome);
    expect(outcomes).toEqual([...Array(4).fill('INVESTIGATED'), ...Array(4).fill('STORM')]);
    expect(await sessions()).toHaveLength(5);
    const [storm] = await rows<{ id: string; alert_data: string }>(
      'select * from alert_sessions where group_id is null',
    );
    expect(storm!.alert_data).toContain('# Storm of alerts from prod');
    expect(await fire({ fingerprint: 'f7', group: 'g7' })).toMatchObject({
      outcome: 'DUPLICATE',
      session: storm!.id,
    });
    await endSession(pool, storm!.id);
    expect((await fire({ fingerprint: 'f6', group: 'g6' })).outcome).toBe('DUPLICATE');
    await passTime(pool, 301);
    expect((await fire({ fingerprint: 'new', group: 'new' })).outcome).toBe('INVESTIGATED');
  });

  it('is counted exactly when groups begin at the same moment', async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => fire({ fingerprint: `f${index}`, group: `g${index}` })),
    );
    const outcomes = all.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'INVESTIGATED')).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === 'STORM')).toHaveLength(8);
    expect(await sessions()).toHaveLength(5);
  });
  it('keeps one session for all groups, even if the first group waits longest', async () => {
    for (let n = 0; n < 4; n++) await fire({ fingerprint: `f${n}`, group: `g${n}` });
    await pool.query(`update alert_groups set investigated_at = now() + interval '10 seconds'`);
    const storm = await fire({ fingerprint: 'f4', group: 'g4' });
    expect(storm.outcome).toBe('STORM');
    expect((await fire({ fingerprint: 'f5', group: 'g5' })).session).toBe(storm.session);
  });

  it('gives its slot to the next session when it is resolved before it begins', async () => {
    for (let n = 0; n < 5; n++) await fire({ fingerprint: `f${n}`, group: `g${n}` });
    const dispatched = async () =>
      (await rows<{ count: number }>('select count(dispatched_at)::int from alert_sessions'))[0]!.count;
    await expect.poll(dispatched).toBe(5);
    await apiClient(app.url).submit('waits for a slot');
    await fire({ fingerprint: 'f4', group: 'g4', state: 'resolved' });
    const next = `select dispatched_at is not null as runs from alert_sessions where author = 'api-client'`;
    await expect.poll(() => rows(next)).toEqual([{ runs: true }]);
    expect(
      await rows(`select status from alert_sessions where group_id is null and author = 'prod'`),
    ).toEqual([{ status: 'CANCELLED' }]);
  });

  it('stores each alert of one delivery once, and each group at most twice', async () => {
    await pool.query(`create table writes (name text);
      create function count_write() returns trigger language plpgsql as
        $$ begin insert into writes values (tg_table_name); return null; end $$;
      create trigger writes after insert or update on alerts for each row execute function count_write();
      create trigger writes after insert or update on alert_groups for each row execute function count_write()`);
    const alerts = Array.from({ length: 20 }, (_, n) => alertBody({ fingerprint: `f${n}`, group: `g${n}` }));
    const { body } = await sendDelivery(app.url, alerts);
    expect(body.decisions!.map(({ outcome }) => outcome)).toEqual([
      ...Array(4).fill('INVESTIGATED'),
      ...Array(16).fill('STORM'),
    ]);
    expect(await rows('select name, count(*)::int from writes group by 1 order by 1')).toEqual([
      { name: 'alert_groups', count: 40 },
      { name: 'alerts', count: 20 },
    ]);
  });
});
