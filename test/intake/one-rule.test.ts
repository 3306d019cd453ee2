import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceType } from '../../src/config/enums.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { ONE_RULE } from './one-rule.ts';
import { sendAs, sourcesOfSenders } from './send-as.ts';
import { SENDERS } from './senders.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: { sources: sourcesOfSenders() } });
  pool = openTestPool(app.database.url);
});
const sendTo = (type: SourceType) => (payload: unknown) => sendAs(type, { url: app.url, payload });

afterAll(async () => {
  await pool.end();
  await app.stop();
});

interface Row {
  state: string;
  group_state: string;
  status: string;
}

/** Returns the alerts of a source, oldest first, with the states of their groups and sessions. */
async function alertsOf(type: SourceType): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select a.state, g.state as group_state, s.status from alerts a join alert_groups g on g.id = a.group_id
     left join alert_sessions s on s.id = g.session_id where a.source = $1 order by a.first_received_at, a.id`,
    [type],
  );
  return rows;
}

const FIRING = { state: 'FIRING', group_state: 'FIRING', status: 'PENDING' };

test.each(Object.keys(ONE_RULE) as SourceType[])(
  '%s: two resources of one rule are two alerts; the end of one leaves the other to its investigation',
  async (type) => {
    const send = sendTo(type);
    const report = ONE_RULE[type];
    const take = async (...args: Parameters<typeof report>) => expect(await send(report(...args))).toBe(202);
    await take({ resource: 'a' });
    await take({ resource: 'b' });
    expect(await alertsOf(type)).toEqual([FIRING, FIRING]);
    await take({ resource: 'a' }); // a repeated report
    expect(await alertsOf(type)).toEqual([FIRING, FIRING]);
    if (SENDERS[type].neverEnds) return;
    await take({ resource: 'b', isOver: true });
    const [a, b] = await alertsOf(type);
    expect(a).toEqual(FIRING);
    expect(b).toMatchObject({ state: 'RESOLVED' });
    await pool.query(
      `update alerts set last_received_at = last_received_at - interval '1 hour' where source = $1`,
      [type],
    );
    await take({ resource: 'b', period: 1 }); // b fires again
    const again = await alertsOf(type);
    expect(again.filter(({ state }) => state === 'FIRING')).toHaveLength(2);
    await take({ resource: 'a', isOver: true });
    await take({ resource: 'b', period: 1, isOver: true });
    expect(new Set((await alertsOf(type)).map(({ state }) => state))).toEqual(new Set(['RESOLVED']));
  },
);
