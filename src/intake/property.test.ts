import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
import { randomFrom } from '../../test/helpers/random.ts';

const RULES = [{ name: 'waits', match: ['host="h1"'], group_wait: '1m' }];
const GROUPS = ['a', 'b'];
const HOSTS = ['h1', 'h2', 'h3'];
const STEPS = 40;

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({
    role: 'api',
    intake: intakeConfig({ rules: RULES, storm: { groups: 3, within: '10m' } }),
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

const rows = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];

type Random = (limit: number) => number;

/** The possible events with their weights. */
const STEPS_OF: readonly (readonly [weight: number, step: (random: Random) => Promise<unknown>])[] = [
  [8, (random) => deliver(random, 'firing')],
  [6, (random) => deliver(random, 'resolved')],
  [3, (random) => passTime(pool, [5, 120, 1900, 15_000][random(4)]!)],
  [
    2,
    async (random) => {
      const [running] = await rows(`select id from alert_sessions where status = 'PENDING' limit 1`);
      if (running)
        await endSession(pool, String(running.id), ['COMPLETED', 'COMPLETED', 'FAILED'][random(3)]);
    },
  ],
  [
    1,
    (random) =>
      pool.query(
        `insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
     values (gen_random_uuid(), array[$1], 'x', 'ana', now(), now() + interval '30 minutes')`,
        [`host="${HOSTS[random(3)]}"`],
      ),
  ],
];

async function deliver(random: Random, state: string) {
  const alerts = Array.from({ length: 1 + random(3) }, () => {
    const [group, host] = [GROUPS[random(2)]!, HOSTS[random(3)]!];
    const severity = ['critical', 'error', 'warning'][random(3)];
    return alertBody({
      state,
      group,
      severity,
      fingerprint: `${group}/${host}`,
      title: `on ${host}`,
      labels: { host },
    });
  });
  const answer = await sendDelivery(app.url, alerts);
  expect(answer.status).toBe(202);
  for (const { outcome, session, reason } of answer.body.decisions!) {
    if (outcome === 'INVESTIGATED' || outcome === 'JOINED' || outcome === 'STORM')
      expect(session).not.toBeNull();
    expect(reason).toMatch(/\S/);
  }
}

const CHOICES = STEPS_OF.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

async function checkInvariants(): Promise<void> {
  const twice =
    await rows(`select g.source, g.group_key from alert_sessions s join alert_groups g on g.id = s.group_id
    where s.status = 'PENDING' group by 1, 2 having count(*) > 1`);
  expect(twice).toEqual([]);
  const open = await rows(
    `select source, group_key from alert_groups where resolved_at is null group by 1, 2 having count(*) > 1`,
  );
  expect(open).toEqual([]);
  const unexplained =
    await rows(`select id from alert_groups g where state = 'FIRING' and (last_outcome is null or not exists (
    select 1 from intake_decisions d where d.group_id = g.id and d.outcome = g.last_outcome and d.reason <> ''))`);
  expect(unexplained).toEqual([]);
  const withoutSession =
    await rows(`select id from alert_groups where last_outcome in ('INVESTIGATED', 'JOINED', 'STORM')
    and session_id is null and state = 'FIRING'`);
  expect(withoutSession).toEqual([]);
  const counts = await rows(`select g.id from alert_groups g where resolved_at is null and
    (firing_count <> (select count(*) from alerts a where a.group_id = g.id and a.state = 'FIRING') or firing_count = 0)`);
  expect(counts).toEqual([]);
  const undecided = await rows(
    'select id from alerts a where not exists (select 1 from intake_decisions d where d.alert_id = a.id)',
  );
  expect(undecided).toEqual([]);
}

/** Asserts that no group stays refused after the reason against its investigation has ended. */
async function checkNothingForgotten(): Promise<void> {
  await passTime(pool, 6 * 3600);
  await pool.query(
    `update alert_sessions set status = 'COMPLETED', started_at = created_at, completed_at = created_at, attempt = 1 where status = 'PENDING'`,
  );
  for (const { id, group_key: group } of await rows(
    `select id, group_key from alert_groups where state = 'FIRING'`,
  )) {
    const [alert] = await rows(
      `select fingerprint, title, labels, severity from alerts where group_id = '${id}' and state = 'FIRING' limit 1`,
    );
    const again = await sendDelivery(
      app.url,
      alertBody({ ...alert, severity: String(alert!.severity).toLowerCase(), group }),
    );
    const [looked] = await rows(`select last_outcome from alert_groups where id = '${id}'`); // upkeep may be faster
    expect(['INVESTIGATED', 'STORM'], again.outcome).toContain(looked!.last_outcome);
  }
}

it.each([1, 2, 3, 4, 5, 6])(
  'creates one session of a group at a time, and a reason for every decision, in any order of deliveries (seed %i)',
  async (seed) => {
    await emptyIntake(pool);
    const next = randomFrom(seed);
    const random: Random = (limit) => Math.floor(next() * limit);
    for (let count = 0; count < STEPS; count++) {
      await CHOICES[random(CHOICES.length)]!(random);
      await checkInvariants();
    }
    await checkNothingForgotten();
  },
  60_000,
);
