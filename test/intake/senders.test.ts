import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SourceType } from '../../src/config/enums.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { emptyIntake, openTestPool, SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { sendAs, sourcesOfSenders } from './send-as.ts';
import { HOSTILE, SENDERS } from './senders.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: { sources: sourcesOfSenders() } });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const send = (type: SourceType, payload: unknown, secret = SOURCE_TOKEN) =>
  sendAs(type, { url: app.url, payload, secret });

/** Returns the decisions about a source, oldest first. */
async function decided(type: SourceType): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select d.outcome, g.group_key as key from intake_decisions d left join alert_groups g on g.id = d.group_id
     where d.source = $1 order by d.at, g.group_key, d.id`,
    [type],
  );
  return rows.map(({ outcome, key }) => (key === null ? outcome : [outcome, key]));
}

test.each(Object.keys(SENDERS) as SourceType[])(
  '%s: an alert that fires, repeats and resolves; several; one with the least; hostile text; a wrong proof',
  async (type) => {
    const { alert, several, group, neverEnds = false } = SENDERS[type];
    const take = async (payload: unknown) => expect(await send(type, payload)).toBe(202);
    await take(alert({ id: 'a' }));
    expect(await decided(type)).toEqual([['INVESTIGATED', group('a')]]);
    const { rows } = await pool.query('select state, severity, starts_at from alerts where source = $1', [
      type,
    ]);
    expect(rows).toMatchObject([{ state: 'FIRING' }]);
    await take(alert({ id: 'a', isOver: true }));
    if (several) await take(several([{ id: 'b' }, { id: 'c' }]));
    else for (const id of ['b', 'c']) await take(alert({ id }));
    await take(alert({ id: 'd', isBare: true }));
    await take(alert({ id: 'e', title: HOSTILE }));
    // A delivery of these types contains one group.
    const together = type === 'alertmanager' || type === 'grafana';
    const all = await decided(type);
    expect(all.slice(1)).toHaveLength(5);
    expect(all.slice(1)).toEqual(
      expect.arrayContaining([
        [neverEnds ? 'DUPLICATE' : 'RESOLVED', group('a')],
        ['INVESTIGATED', group('b')],
        ['INVESTIGATED', group(together ? 'b' : 'c')],
        ['INVESTIGATED', group('d')],
        ['INVESTIGATED', group('e')],
      ]),
    );
    const alerts = await pool.query('select count(*)::int as count from alerts where source = $1', [type]);
    expect(alerts.rows).toEqual([{ count: 5 }]);
    const sessions = await pool.query<{ status: string; text: string }>(
      'select status, alert_data as text from alert_sessions where author = $1 order by created_at, id',
      [type],
    );
    expect(sessions.rows.map(({ status }) => status)).toEqual([
      neverEnds ? 'PENDING' : 'CANCELLED',
      ...Array(together ? 3 : 4).fill('PENDING'),
    ]);
    // The only headings are the document's own.
    for (const { text } of sessions.rows) expect(text.match(/^# /gm)).toHaveLength(1);
    expect(sessions.rows.at(-1)!.text).toContain('<script>alert(1)</script>');
    expect(await send(type, alert({ id: 'f' }), 'a-secret-that-is-not-the-right-one')).toBe(401);
    await expect.poll(async () => (await decided(type)).at(-1)).toBe('REJECTED');
  },
);

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test.each((Object.keys(SENDERS) as SourceType[]).filter((type) => !SENDERS[type].neverEnds))(
  '%s: the end of an alert keeps its start',
  async (type) => {
    const [since, until] = [ago(3), ago(1)];
    const take = async (told: { at: string; until?: string; isOver?: boolean }) =>
      expect(await send(type, SENDERS[type].alert({ id: 'x', since, ...told }))).toBe(202);
    const read = async () =>
      (await pool.query<{ state: string; starts_at: Date }>('select state, starts_at from alerts')).rows;
    await take({ at: since });
    const [began] = await read();
    expect(began!.state).toBe('FIRING');
    await take({ at: until, until, isOver: true });
    expect(await read()).toEqual([{ state: 'RESOLVED', starts_at: began!.starts_at }]);
  },
);
