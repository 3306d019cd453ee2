import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** Schedules start investigations. Tests move the stored time of the last run instead of waiting for the next. */
let app: TestApp | null = null;
let cluster: Cluster | null = null;
let sql: pg.Pool;
afterEach(async () => {
  await sql.end();
  await app?.stop();
  await cluster?.stop();
  app = null;
  cluster = null;
});

/** Minute of the hour of the hourly runs, half an hour away, so that none is due during a test. */
const MINUTE = (new Date().getUTCMinutes() + 30) % 60;
const HOURLY = { text: 'Check the disks.', cron: `${MINUTE} * * * *` };

async function start(options: Parameters<typeof startTestApp>[0]): Promise<ApiClient> {
  app = await startTestApp(options);
  app.llm.otherwise({ text: 'All is fine.' });
  sql = new pg.Pool({ connectionString: app.database.url, max: 2 });
  return apiClient(app.url);
}

/** Waits until the schedule counts, then moves its last run into the past, as after an outage of this length. */
async function missFor(hours: number): Promise<void> {
  await vi.waitFor(
    async () => expect((await sql.query('select 1 from schedule_runs')).rows).toHaveLength(1),
    { timeout: 30_000 },
  );
  await sql.query(`update schedule_runs set due_at = due_at - $1 * interval '1 hour'`, [hours]);
}

const SCHEDULES = `{ schedules { name alertType text cron timeZone after enabled nextRunAt
  lastRun { id author title status team } } }`;
interface Shown {
  name: string;
  nextRunAt: string | null;
  lastRun: { id: string; author: string; title: string; status: string; team: string | null } | null;
}
const schedulesOf = async (api: ApiClient) => (await api.query<{ schedules: Shown[] }>(SCHEDULES)).schedules;

async function untilRun(api: ApiClient, count = 1): Promise<Shown> {
  return vi.waitFor(
    async () => {
      const { rows } = await sql.query('select 1 from schedule_runs where session_id is not null');
      expect(rows).toHaveLength(count);
      const [shown] = await schedulesOf(api);
      expect(shown!.lastRun?.status).toBe('COMPLETED');
      return shown!;
    },
    { timeout: 60_000 },
  );
}

test('a new schedule waits for its next time, and missed times run once', async () => {
  const api = await start({ schedules: { disks: HOURLY, off: { ...HOURLY, enabled: false } } });
  await missFor(30);
  const shown = await untilRun(api);
  expect(shown).toMatchObject({
    name: 'disks',
    lastRun: { author: 'schedule:disks', title: 'Check the disks.' },
    nextRunAt: expect.stringMatching(`:${String(MINUTE).padStart(2, '0')}:00`),
  });
  expect((await schedulesOf(api))[1]).toMatchObject({ name: 'off', lastRun: null, nextRunAt: null });
  // A further round starts nothing: the state stays as it is until the next hour.
  const { rows } = await sql.query(`select cause, session_id is null as new from schedule_runs order by id`);
  expect(rows).toEqual([
    { cause: 'CRON', new: true },
    { cause: 'CRON', new: false },
  ]);
});

test('a process that is killed loses no run of its schedules', async () => {
  cluster = await startCluster({ schedules: { disks: HOURLY } });
  cluster.llm.otherwise({ text: 'All is fine.' });
  sql = new pg.Pool({ connectionString: cluster.database.url, max: 2 });
  await cluster.startWorker();
  const others = [await cluster.startApi(), await cluster.startApi()];
  await missFor(5);
  await others[0]!.end('SIGKILL');
  await untilRun(cluster.api);
  await sql.query(`update schedule_runs set due_at = due_at - interval '5 hours'`);
  await untilRun(cluster.api, 2);
});

/** Key of the lock that the rows of runs wait for. */
const GATE = 4711;

test('of several processes that start a run at the same moment, one stores a session', async () => {
  cluster = await startCluster({ schedules: { disks: HOURLY } });
  cluster.llm.otherwise({ text: 'All is fine.' });
  sql = new pg.Pool({ connectionString: cluster.database.url, max: 2 });
  await Promise.all([cluster.startWorker(), cluster.startApi(), cluster.startApi()]);
  await missFor(0);
  await sql.query(`create function wait_at_gate() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${GATE}); return new; end $$;
    create trigger gate before insert on schedule_runs for each row execute function wait_at_gate()`);
  const holder = await sql.connect();
  await holder.query(`select pg_advisory_lock(${GATE})`);
  await missFor(5);
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`;
  await vi.waitFor(async () => expect((await sql.query(waiting)).rowCount).toBe(3), { timeout: 60_000 });
  await holder.query(`select pg_advisory_unlock(${GATE})`);
  holder.release();
  await untilRun(cluster.api);
  expect((await sql.query('select 1 from alert_sessions')).rowCount).toBe(1);
});

test('a delivery of the source starts a run', async () => {
  const api = await start({
    intake: intakeConfig({}),
    schedules: { deployed: { text: 'Check the deployment.', after: 'prod' } },
  });
  await vi.waitFor(
    async () => expect((await sql.query('select 1 from schedule_runs')).rows).toHaveLength(1),
    {
      timeout: 30_000,
    },
  );
  await sendDelivery(app!.url, alertBody({ state: 'ok' }));
  expect(await untilRun(api)).toMatchObject({ lastRun: { title: 'Check the deployment.' }, nextRunAt: null });
});

test('a time and a delivery that are due together run one after the other', async () => {
  await start({
    intake: intakeConfig({}),
    schedules: { disks: { ...HOURLY, after: 'prod' } },
  });
  const counting = 'select 1 from schedule_runs where session_id is null';
  await vi.waitFor(async () => expect((await sql.query(counting)).rowCount).toBe(2), { timeout: 30_000 });
  await sql.query(`with delivered as (
      insert into intake_deliveries (id, source, received_at, alerts) values (gen_random_uuid(), 'prod', now() + interval '1 second', 1))
    update schedule_runs set due_at = due_at - interval '5 hours' where cause = 'CRON'`);
  const ended =
    'select created_at, completed_at from alert_sessions where completed_at is not null order by created_at';
  await vi.waitFor(async () => expect((await sql.query(ended)).rowCount).toBe(2), { timeout: 60_000 });
  const [first, second] = (await sql.query(ended)).rows;
  expect(second.created_at.getTime()).toBeGreaterThanOrEqual(first.completed_at.getTime());
});

test('a responder starts a run by hand, others do not, and teams hide schedules', async () => {
  await start({
    auth: { mode: 'proxy' },
    access: {
      roles: { viewer: { users: ['*'] }, responder: { users: ['ana', 'bo'] }, admin: { users: ['root'] } },
      teams: { payments: { users: ['ana'] }, search: { users: ['bo', 'vera'] } },
    },
    schedules: { disks: { ...HOURLY, team: 'payments' }, open: { ...HOURLY, enabled: false } },
  });
  const as = (name: string) => apiClient(app!.url, { 'x-forwarded-user': name });
  const run = async (who: string, name: string) => {
    const { runSchedule } = await as(who).query<{
      runSchedule: { session?: { id: string }; message?: string };
    }>(
      `mutation ($name: String!) { runSchedule(name: $name) { ... on RunScheduleSuccess { session { id } } ... on Error { message } } }`,
      { name },
    );
    return runSchedule;
  };
  expect((await schedulesOf(as('bo'))).map(({ name }) => name)).toEqual(['open']);
  expect(await run('bo', 'disks')).toEqual(await run('bo', 'nothing'));
  expect((await run('vera', 'open')).message).toContain('RESPONDER');
  const { session } = await run('ana', 'disks');
  await as('ana').waitFor(session!.id, ({ status }) => ENDED.has(status));
  expect((await schedulesOf(as('ana')))[0]!.lastRun).toMatchObject({ author: 'ana', team: 'payments' });
  const { auditEvents } = await as('root').query<{ auditEvents: { nodes: object[] } }>(
    `{ auditEvents(action: ["schedule.run"]) { nodes { actor } } }`,
  );
  expect(auditEvents.nodes).toEqual([{ actor: 'ana' }]);
});
