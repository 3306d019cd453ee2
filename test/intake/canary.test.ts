import type pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { alertBody, emptyTables, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let pool: pg.Pool;
afterEach(async () => {
  await pool.end();
  await app.stop();
});

async function start(intake: Record<string, unknown>, role: 'all' | 'api' = 'all') {
  app = await startTestApp({ role, intake: intakeConfig(intake) });
  pool = openTestPool(app.database.url);
}

const eventually = <T>(read: () => Promise<T>) =>
  expect.poll(() => read(), { timeout: 30_000, interval: 100 });
const health = async (check = '?check=pipeline') => (await fetch(`${app.url}/health${check}`)).status;
const metrics = async () => (await fetch(`${app.url}/metrics`)).text();

interface Source {
  name: string;
  canary: Record<string, unknown> | null;
}

async function sources(): Promise<Source[]> {
  const { alertSources } = await apiClient(app.url).query<{ alertSources: Source[] }>(
    `{ alertSources { name canary { healthy everySeconds lastArrivedAt lastCompletedAt lastDurationMs lastError } } }`,
  );
  return alertSources;
}

async function warnings(): Promise<string[]> {
  const { rows } = await pool.query(`select details from system_warnings where category = 'canary'`);
  return rows.map(({ details }) => details);
}

/** Scripts a model whose canary investigation calls a tool, or does not. */
function answer(looks: boolean) {
  app.llm.otherwise((request) => {
    if (request.tools.length === 0) return { text: 'In short: it answers.' };
    const answers = request.messages.filter(({ role }) => role === 'assistant').length;
    return answers === 0 && looks ? [toolCall('tools.echo', { text: 'alive' })] : { text: 'It answers.' };
  });
}

test('a process sends itself alerts through source, queue, worker, model and tool, and reports the result', async () => {
  await start({ canary: { every: '1s', within: '1m' }, rules: [{ name: 'all', investigate: 'never' }] });
  answer(true);
  await eventually(async () => (await sources())[1]?.canary?.lastCompletedAt ?? null).not.toBeNull();
  expect(await sources()).toMatchObject([
    { name: 'prod', canary: null },
    {
      name: 'canary',
      canary: { healthy: true, everySeconds: 1, lastArrivedAt: expect.any(String), lastError: null },
    },
  ]);
  expect((await sources())[1]!.canary!.lastDurationMs).toBeGreaterThan(0);
  const told = app.llm.requests[0]!.messages.map(({ content }) => content).join();
  expect(told).toContain('TARSy tests itself with this alert');
  expect(await health()).toBe(200);
  expect(await warnings()).toEqual([]);
  // Canaries are new each time and run one at a time; only the newest healthy session is kept.
  const taken = async () =>
    (await pool.query(`select 1 from intake_decisions where outcome = 'CANARY'`)).rows.length;
  await eventually(taken).toBeGreaterThan(2);
  await eventually(
    async () => (await pool.query('select 1 from alert_sessions where deleted_at is not null')).rows.length,
  ).toBeGreaterThan(0);
  const shown = await pool.query(`select status from alert_sessions where deleted_at is null`);
  expect(shown.rows.length).toBeLessThanOrEqual(2);
  expect((await pool.query('select 1 from alert_groups')).rows).toHaveLength(1);
  // A canary whose model called no tool is not healthy.
  answer(false);
  await eventually(health).toBe(503);
  expect(await health('')).toBe(200); // the process itself is healthy, so it must not be restarted
  await eventually(warnings).toEqual(['No tool answered its investigation.']);
  expect((await sources())[1]!.canary).toMatchObject({
    healthy: false,
    lastError: 'No tool answered its investigation.',
  });
  answer(true);
  await eventually(health).toBe(200);
  await eventually(warnings).toEqual([]);
  expect(await metrics()).toMatch(/^tarsy_canary_duration_seconds\{source="canary",rule=""\} \d/m);
}, 120_000);

test('a canary that is not investigated is reported, and no second one is sent before it ended', async () => {
  await start({ canary: { every: '1s', within: '1s' } }, 'api');
  await eventually(health).toBe(503);
  await eventually(warnings).toEqual(['No canary investigation completed for 2 s.']);
  expect(await metrics()).toMatch(/^tarsy_canary_healthy\{source="canary",rule=""\} \d/m);
  expect((await pool.query('select status from alert_sessions')).rows).toEqual([{ status: 'PENDING' }]);
});

test('an alert that a rule treats as a heartbeat is not investigated, and is reported when it is missing', async () => {
  const rule = { name: 'watchdog', match: ['alertname="Watchdog"'], canary: true, canary_within: '5s' };
  await start({ rules: [rule] }, 'api');
  const watchdog = () =>
    sendDelivery(app.url, alertBody({ title: 'Watchdog', fingerprint: 'w', group: 'w' }));
  await eventually(health).toBe(503); // the expected heartbeat never came
  await eventually(warnings).toEqual([
    'No canary of the rule "watchdog" received for 5 s. None received yet.',
  ]);
  expect((await watchdog()).outcome).toBe('CANARY');
  expect(await health()).toBe(200);
  // The heartbeat is sent repeatedly, because on a busy machine it may be too old at the next check.
  await eventually(async () => {
    await watchdog();
    return warnings();
  }).toEqual([]);
  const again = await watchdog();
  expect(again).toMatchObject({ outcome: 'CANARY', session: null });
  expect(again.body.decisions![0]!.reason).toMatch(
    /^The rule "watchdog" marks this alert as a canary\. Previous canary: /,
  );
  expect((await sources())[0]).toMatchObject({
    name: 'prod',
    canary: { healthy: true, everySeconds: 5, lastCompletedAt: null, lastDurationMs: null },
  });
  expect((await pool.query('select 1 from alert_sessions')).rows).toEqual([]);
  await eventually(health).toBe(503);
  await eventually(async () => (await warnings()).join()).toMatch(
    /received for 5 s\. Last received \d+ s ago\.$/,
  );
  expect((await sendDelivery(app.url, alertBody({ title: 'Disk full' }))).outcome).toBe('INVESTIGATED');
});

test('a heartbeat among other alerts of one group stays a heartbeat, also when its rule comes later', async () => {
  const rule = { name: 'watchdog', match: ['alertname="Watchdog"'], canary: true, canary_within: '1h' };
  await start({ rules: [rule] }, 'api');
  const watchdog = alertBody({ title: 'Watchdog', fingerprint: 'w', severity: 'none' });
  const mixed = await sendDelivery(app.url, [watchdog, alertBody()]);
  const outcomes = (answer: typeof mixed) => answer.body.decisions!.map(({ outcome }) => outcome);
  expect(outcomes(mixed)).toEqual(['CANARY', 'INVESTIGATED']);
  const sessions = async () => (await pool.query('select title, alert_data from alert_sessions')).rows;
  expect(await sessions()).toMatchObject([{ title: 'Disk full: host db-03' }]);
  expect((await sessions())[0].alert_data).not.toContain('Watchdog');
  expect(await health()).toBe(200);
  const over = await sendDelivery(app.url, [watchdog, alertBody({ state: 'resolved' })]);
  expect(outcomes(over)).toEqual(['CANARY', 'RESOLVED']);

  // Before a watchdog rule existed, the heartbeat was an alert of a shared group.
  await emptyTables(pool, 'alert_groups, canaries');
  await sendDelivery(app.url, [alertBody({ title: 'A', fingerprint: 'w', severity: 'none' })]);
  const [shared] = (await pool.query('select id from alert_groups')).rows;
  expect((await sendDelivery(app.url, watchdog)).outcome).toBe('CANARY');
  const left = await pool.query('select state, firing_count from alert_groups where id = $1', [shared.id]);
  expect(left.rows).toEqual([{ state: 'RESOLVED', firing_count: 0 }]);
  expect((await pool.query('select 1 from alert_groups where resolved_at is null')).rows).toHaveLength(1);
});

test('only this process can send as the canary, and its name is reserved', async () => {
  await start({ canary: { every: '1h' } }, 'api');
  expect((await sendDelivery(app.url, alertBody(), { source: 'canary' })).status).toBe(401);
  await expect(
    startTestApp({ intake: { sources: { canary: { type: 'generic', verification: 'none' } } } }),
  ).rejects.toThrow('is the source of the canary');
});
