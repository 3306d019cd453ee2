import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  intakeConfig,
  openTestPool,
  passTime,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';
import { lockGroupKeys } from './store/groups.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({
    role: 'api',
    chains: OTHER,
    intake: intakeConfig({ storm: { groups: 10_000 } }),
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const rows = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
const WAITS = { timeout: 20_000, interval: 100 };
const silence = (matcher: string) =>
  pool.query(
    `insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
     values (gen_random_uuid(), array[$1], 'known', 'ana', now() - interval '1 minute', now() + interval '1 hour')`,
    [matcher],
  );
const end = (matcher: string) =>
  pool.query('update silences set ends_at = now() where matchers = array[$1]', [matcher]);

it('reevaluates a group with an ended silence, even if many others are silenced', async () => {
  await silence('team="a"');
  await silence('team="b"');
  const of = (team: string, n: number) =>
    alertBody({ fingerprint: `${team}${n}`, group: `${team}${n}`, labels: { team } });
  await sendDelivery(
    app.url,
    Array.from({ length: 401 }, (_, n) => of('a', n)),
  );
  await sendDelivery(app.url, of('b', 0));
  await end('team="b"');
  await expect
    .poll(() => rows(`select group_key from alert_groups where session_id is not null`), WAITS)
    .toEqual([{ group_key: 'b0' }]);
  expect(await rows(`select count(*)::int from intake_decisions where outcome = 'SILENCED'`)).toEqual([
    { count: 402 },
  ]);
}, 60_000);

it('records no second decision if a new silence covers the group by the time it is reevaluated', async () => {
  await silence('host="db-03"');
  await sendDelivery(app.url, alertBody());
  const client = await pool.connect();
  await client.query('begin');
  await lockGroupKeys(client, 'prod', ['db']);
  await end('host="db-03"');
  await expect.poll(() => rows(WAITING_FOR_KEY), WAITS).toHaveLength(1);
  await silence('host=~"db-.*"');
  await client.query('commit');
  client.release();
  expect((await sendDelivery(app.url, alertBody())).outcome).toBe('SILENCED'); // waits for the reevaluation
  expect(await rows('select outcome from intake_decisions')).toEqual(Array(2).fill({ outcome: 'SILENCED' }));
});

/** Selects the transactions that wait for a group's key. */
const WAITING_FOR_KEY = `select 1 from pg_stat_activity where datname = current_database()
  and wait_event_type = 'Lock' and wait_event = 'advisory'`;

it('investigates a group that flapped and then keeps firing without a further delivery', async () => {
  for (const _ of [1, 2, 3]) {
    await sendDelivery(app.url, alertBody());
    await passTime(pool, 30);
    await sendDelivery(app.url, alertBody({ state: 'resolved' }));
  }
  expect((await sendDelivery(app.url, alertBody())).outcome).toBe('FLAPPING');
  expect(await rows(`select flapping from alert_groups where state = 'FIRING'`)).toEqual([
    { flapping: true },
  ]);
  await passTime(pool, 1801);
  await expect
    .poll(() => rows(`select last_outcome, flapping from alert_groups where state = 'FIRING'`), WAITS)
    .toEqual([{ last_outcome: 'INVESTIGATED', flapping: false }]);
  const [decision] = await rows('select reason from intake_decisions order by at desc, id desc limit 1');
  expect(decision!.reason).toMatch(/^The alerts stopped flapping\. 1 firing alert, severity critical/);
});

it('a group does not flap by episodes that were closed as stale, or ended in the delivery that began them', async () => {
  for (const _ of [1, 2, 3]) {
    await sendDelivery(app.url, alertBody());
    await passTime(pool, 30);
    await sendDelivery(app.url, alertBody({ state: 'resolved' }));
  }
  await pool.query('update alert_groups set is_stale = true');
  const brief = [alertBody(), alertBody({ state: 'resolved' })];
  for (const _ of [1, 2, 3]) expect((await sendDelivery(app.url, brief)).outcome).toBe('RESOLVED');
  expect((await sendDelivery(app.url, alertBody())).outcome).toBe('INVESTIGATED');
});

it('a group flaps until no episode ended for 30 minutes', async () => {
  const episode = async (quiet: number) => {
    const { outcome } = await sendDelivery(app.url, alertBody({ severity: 'info' }));
    await passTime(pool, 30);
    await sendDelivery(app.url, alertBody({ severity: 'info', state: 'resolved' }));
    await passTime(pool, quiet);
    return outcome;
  };
  for (const _ of [1, 2]) await episode(30);
  await episode(1_200);
  expect(await episode(1_200)).toBe('FLAPPING'); // because three episodes ended in 30 min
  expect(await episode(1_200)).toBe('FLAPPING'); // because an episode ended within 30 min
  expect(await episode(1_801)).toBe('FLAPPING');
  expect(await episode(0)).toBe('INVESTIGATED');
});

const OTHER = { other: { alert_types: ['other'], stages: [{ name: 's', agents: [{ name: 'TestAgent' }] }] } };

/** Submits a text of the alert type `other`, which a silence covers. */
async function submitSilenced(host: string): Promise<void> {
  const query = `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename } }`;
  const input = {
    data: `db-03 is down\npassword=hunter2hunter2\n${'and more '.repeat(2_000)}`,
    alertType: 'other',
  };
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: { ...input, labels: { host } } } }),
  });
  expect(await response.json()).toMatchObject({
    data: { submitAlert: { __typename: 'AlertNotInvestigatedError' } },
  });
}

it('sends a text with an ended silence unchanged to the chain of its type, or to the default chain if the type is gone', async () => {
  await silence('alert_type="other"');
  await submitSilenced('db-03');
  await silence('host="db-04"');
  await submitSilenced('db-04');
  await pool.query(
    `update alert_groups set alert_type = 'gone' where id = (select max(id::text)::uuid from alert_groups)`,
  );
  await silence('host="db-05"'); // the round that ends this silence finds the other groups covered
  await sendDelivery(app.url, alertBody({ labels: { host: 'db-05' } }));
  await end('host="db-05"');
  const sessions = () => rows('select alert_type, chain_id, alert_data from alert_sessions order by id');
  await expect.poll(sessions, WAITS).toHaveLength(1);
  await end('alert_type="other"');
  await end('host="db-04"');
  await expect
    .poll(sessions, WAITS)
    .toMatchObject([
      { alert_type: 'test' },
      { alert_type: 'other', chain_id: 'other' },
      { alert_type: 'test', chain_id: 'test' },
    ]);
  const text = String((await sessions())[1]!.alert_data);
  expect(text).toMatch(
    /Annotations:\n- text: \n {4}db-03 is down\n {4}password=\[MASKED_PASSWORD\](?: and| more){2000,}.*…/,
  );
}, 60_000);
