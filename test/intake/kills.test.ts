import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installWriteGate, type WriteGate } from '../crash/gate.ts';
import { SHORT_LEASE, testConfig, writeConfig } from '../helpers/config.ts';
import { emptyIntake, emptyTables, openTestPool, SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';

/** Kills the process at every n-th write; `INTAKE_KILL_EVERY=1` covers all writes. */
const EVERY = Number(process.env.INTAKE_KILL_EVERY ?? 9);

const TABLES = [
  'intake_deliveries',
  'alert_groups',
  'alerts',
  'alert_sessions',
  'session_events',
  'timeline_events',
  'intake_decisions',
];

/**
 * Deliveries in order: alerts begin, one joins a group, one belongs to a running investigation, this one gets
 * worse, and all are resolved.
 */
const STORY: readonly Record<string, unknown>[] = [
  { fingerprint: 'a', group: 'one', severity: 'critical' },
  { fingerprint: 'b', group: 'one', severity: 'error' },
  { fingerprint: 'c', group: 'two', severity: 'critical' },
  { fingerprint: 'b', group: 'one', severity: 'critical' },
  { fingerprint: 'c', group: 'two', state: 'resolved', ends_at: '2026-11-22T10:05:00Z' },
  { fingerprint: 'd', group: 'run', severity: 'error' },
  { fingerprint: 'd', group: 'run', state: 'resolved', ends_at: '2026-11-22T10:05:00Z' },
];

let database: TestDatabase;
let pool: pg.Pool;
let gate: WriteGate;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  const intake = { sources: { prod: { type: 'cloudevents', tokens: [SOURCE_TOKEN] } } };
  env = {
    DATABASE_URL: database.url,
    CONFIG_DIR: await writeConfig(testConfig({ intake, queue: SHORT_LEASE })),
    HTTP_PORT: '0',
  };
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Sends a delivery with the same delivery id each time, as a sender that repeats it does. */
function send(url: string, index: number): Promise<Response> {
  return fetch(`${url}/webhooks/prod`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents+json', authorization: `Bearer ${SOURCE_TOKEN}` },
    body: JSON.stringify({
      ...{ specversion: '1.0', id: `d${index}`, source: 'test', type: 'alert' },
      data: { title: 'Disk full', starts_at: '2026-11-22T10:00:00Z', labels: { host: 'h' }, ...STORY[index] },
    }),
  });
}

/** Empties the intake and starts an investigation of the group `run`. */
async function prepare(): Promise<void> {
  await emptyIntake(pool);
  await emptyTables(pool, 'session_events, timeline_events');
  await pool.query(`insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, attempt, started_at, group_id)
    values ('00000000-0000-7000-8000-000000000001', 'test', 'x', 'test', 'IN_PROGRESS', 'prod', 1, now(), gen_random_uuid())`);
  await pool.query(`insert into alert_groups (id, source, group_key, title, severity, state, alert_type, opened_at, last_received_at,
      resolved_at, session_id, investigated_at, investigated_severity, investigated_names)
    select group_id, 'prod', 'run', 'x', 'ERROR', 'RESOLVED', 'test', now(), now(), now(), id, now(), 'ERROR', '{}' from alert_sessions`);
}

/**
 * SQL of the alerts that an investigation covers. Ids, which differ between runs, are replaced by
 * fingerprints.
 */
const COVERED = `(select array_agg(coalesce((select fingerprint from alerts where id::text = name), name) order by place)
  from unnest(investigated_names) with ordinality as covered (name, place)) as covered`;

/** Returns all stored rows of the intake, without values that differ between runs. */
async function stored(): Promise<unknown> {
  const { rows } = await pool.query(`select
    (select jsonb_agg(x order by x) from (select delivery_key, alerts from intake_deliveries) x) as deliveries,
    (select jsonb_agg(x order by x) from (select group_key, title, severity, state, alert_count, firing_count, flapping,
       last_outcome, session_id is null as alone, resolved_at is null as open, investigated_severity, ${COVERED}
       from alert_groups) x) as groups,
    (select jsonb_agg(x order by x) from (select fingerprint, state, severity, deliveries, labels, starts_at, ends_at from alerts) x) as alerts,
    (select jsonb_agg(x order by x) from (select status, alert_data, attempt, error_message, last_event_seq, last_timeline_sequence,
       resolved_at is null as unresolved from alert_sessions) x) as sessions,
    (select jsonb_agg(x order by x) from (select seq, type from session_events) x) as events,
    (select jsonb_agg(x order by x) from (select sequence_number, type, content from timeline_events) x) as timeline,
    (select jsonb_agg(x order by x) from (select a.fingerprint, d.outcome, d.count, d.session_id is null as alone
       from intake_decisions d join alerts a on a.id = d.alert_id) x) as decisions`);
  return rows[0];
}

const writes = async () =>
  Number((await pool.query(`select last_value - (not is_called)::int as n from write_count`)).rows[0].n);

test(`a process killed after any write of a delivery (every ${EVERY}): once the sender repeats it, the result is as after one delivery`, async () => {
  let next = startProcess('api', env);
  const ended: Promise<unknown>[] = [];
  let current = await next;
  next = startProcess('api', env);
  gate = await installWriteGate(database.url, { application: 'tarsy-api-intake', tables: TABLES });
  const replace = async (killed: TarsyProcess) => {
    ended.push(killed.end('SIGKILL'));
    current = await next;
    next = startProcess('api', env);
  };
  /** Runs STORY and kills the process at its k-th write; if k is null, right after each delivery's commit. */
  const tell = async (k: number | null) => {
    await prepare();
    const closed = await gate.closeAt(k ?? 0);
    let kills = 0;
    for (const index of STORY.keys()) {
      const answer = send(current.url!, index).then(
        ({ status }) => status,
        () => null,
      );
      const reached = closed.reached.then(() => kills === 0);
      const isStopped = await Promise.race([answer.then(() => false), ...(kills === 0 ? [reached] : [])]);
      if (!isStopped) {
        expect(await answer).toBe(202);
        continue;
      }
      kills += 1;
      await replace(current);
      await closed.open();
      expect(await answer).toBeNull();
      expect((await send(current.url!, index)).status).toBe(202);
    }
    await closed.open();
    return kills;
  };
  try {
    expect(await tell(null)).toBe(0);
    const [whole, count] = [await stored(), await writes()];
    expect(count).toBeGreaterThan(30);
    let places = 0;
    for (let k = 1; k <= count; k += EVERY) {
      expect(await tell(k), `write ${k}`).toBe(1);
      expect(await stored(), `write ${k}`).toEqual(whole);
      places += 1;
    }
    process.stdout.write(`killed at ${places} of ${count} writes\n`);
    // The delivery is stored, but the answer is lost, so the sender repeats the delivery.
    await prepare();
    for (const index of STORY.keys()) {
      const sent = send(current.url!, index).catch(() => null);
      if (index % 3 === 0) {
        const isStored = async () =>
          (await pool.query('select 1 from intake_deliveries where delivery_key like $1', [`%"d${index}"%`]))
            .rows.length;
        await expect.poll(isStored, { timeout: 20_000, interval: 1 }).toBe(1);
        await replace(current);
        await sent;
        expect(await (await send(current.url!, index)).json()).toMatchObject({ status: 'repeated' });
      } else await sent;
    }
    expect(await stored()).toEqual(whole);
  } finally {
    await Promise.all([...ended, current.end('SIGTERM'), next.then((process) => process.end('SIGTERM'))]);
    await gate.end();
  }
}, 900_000);
