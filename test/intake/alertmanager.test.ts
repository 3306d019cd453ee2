import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSenders } from '../../scripts/lib/senders.ts';
import { startTestApp } from '../helpers/app.ts';
import { openTestPool, SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { type Monitoring, monitoringPrograms, startMonitoring } from '../helpers/monitoring.ts';

const RULES = `groups:
  - name: disks
    rules:
      - alert: DiskFull
        expr: disk_full == 1
        labels: { severity: critical }
        annotations: { summary: "The disk of {{ $labels.host }} is full" }
`;
const WATCHDOG = `groups:
  - name: always
    rules:
      - { alert: Watchdog, expr: vector(1), labels: { severity: none } }
      - { alert: Backup, expr: vector(1), labels: { severity: warning } }
`;

const eventually = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 60_000, interval: 200 });

let closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  closing = [];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

async function start(intake: Record<string, unknown> = {}) {
  const sources = { am: { type: 'alertmanager', tokens: [SOURCE_TOKEN] } };
  const app = await startTestApp({ role: 'api', intake: { sources, ...intake } });
  closing.push(() => app.stop());
  const pool = openTestPool(app.database.url);
  closing.push(() => pool.end());
  const rows = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
  const outcomes = async () =>
    (await rows(`select distinct outcome from intake_decisions order by 1`)).map(({ outcome }) => outcome);
  const watch = async (options: Parameters<typeof startMonitoring>[0]): Promise<Monitoring> => {
    const monitoring = await startMonitoring(options);
    closing.push(() => monitoring.stop());
    return monitoring;
  };
  return { app, rows, outcomes, watch };
}

it.skipIf('missing' in monitoringPrograms)(
  'Prometheus and Alertmanager fire, repeat, join and resolve: one session, and a decision for each delivery',
  async () => {
    const { app, rows, outcomes, watch } = await start();
    const authorization = { credentials: SOURCE_TOKEN };
    const url = `${app.url}/webhooks/am`;
    const { full } = await watch({
      rules: [RULES],
      alertmanager: {
        route: {
          ...{ receiver: 'tarsy', group_by: ['alertname'], group_wait: '100ms' },
          ...{ group_interval: '500ms', repeat_interval: '1s' },
        },
        receivers: [
          { name: 'tarsy', webhook_configs: [{ url, send_resolved: true, http_config: { authorization } }] },
        ],
      },
    });
    full.add('db-03');
    await eventually(outcomes).toContain('INVESTIGATED');
    await eventually(outcomes).toContain('DUPLICATE');
    full.add('db-04');
    await eventually(outcomes).toContain('JOINED');
    const [session] = await rows('select * from alert_sessions');
    expect(session).toMatchObject({ status: 'PENDING', author: 'am' });
    expect(session!.alert_data).toContain('- host: db-04');
    expect(session!.alert_data).toContain('The disk of db-03 is full');
    full.clear();
    await eventually(outcomes).toContain('RESOLVED');
    await eventually(() => rows('select state, alert_count from alert_groups')).toEqual([
      { state: 'RESOLVED', alert_count: 2 },
    ]);
    expect(await rows('select status from alert_sessions')).toEqual([{ status: 'CANCELLED' }]);
    expect(await rows('select fingerprint from alerts')).toHaveLength(2);
    expect(await rows(`select 1 from intake_decisions where outcome = 'REJECTED'`)).toEqual([]);
  },
  240_000,
);

/** Returns the Alertmanager configuration of docs/how-to/alert-sources, with an address, a token and shorter times. */
async function documented(address: string): Promise<{ route: Record<string, unknown>; receivers: unknown }> {
  const { parts } = readSenders().alertmanager;
  const { text } = parts.find((part) => part.text.includes('receivers:'))!;
  const { route, receivers } = parse(
    text.replace(/https:\S+/, `${address}/webhooks/am`).replace('<token>', SOURCE_TOKEN),
  );
  const [watchdog, ...others] = route.routes;
  expect(watchdog).toMatchObject({ repeat_interval: '5m' }); // well within `canary_within`, which is 15m
  const routes = [{ ...watchdog, repeat_interval: '1s' }, ...others];
  const times = { group_wait: '100ms', group_interval: '500ms', repeat_interval: '1h' };
  return { route: { receiver: 'tarsy', ...times, ...route, routes }, receivers };
}

it.skipIf('missing' in monitoringPrograms)(
  'with the documented configuration Watchdog stays a sign of life, and titles name the worst alert',
  async () => {
    const rule = { name: 'watchdog', match: ['alertname="Watchdog"'], canary: true, canary_within: '20s' };
    const { app, rows, outcomes, watch } = await start({ rules: [rule] });
    const monitoring = await watch({
      alertmanager: await documented(app.url),
      rules: [WATCHDOG, RULES, await readFile('deploy/monitoring/prometheus-rules.yaml', 'utf8')],
      targets: [new URL(app.url).host],
    });
    const { full, query } = monitoring;
    const missing = () => query('ALERTS{alertname="TarsyCanaryMissing"}');
    await eventually(outcomes).toEqual(['CANARY', 'INVESTIGATED']);
    const healthy = 'tarsy_canary_healthy{source="am",rule="watchdog"} == 1';
    await eventually(() => query(healthy)).toHaveLength(1);
    expect(await rows('select title from alert_sessions')).toEqual([{ title: 'Backup' }]);
    full.add('db-03');
    await eventually(() => rows(`select title from alert_groups where severity = 'CRITICAL'`)).toEqual([
      { title: 'DiskFull: host db-03' },
    ]);
    expect(await rows('select title from alert_sessions')).toEqual([{ title: 'DiskFull: host db-03' }]);
    full.clear();
    await eventually(() => rows(`select title from alert_groups where severity = 'WARNING'`)).toEqual([
      { title: 'Backup' },
    ]);
    const repeated = async () =>
      (await rows(`select 1 from intake_decisions where outcome = 'CANARY'`)).length;
    await eventually(repeated).toBeGreaterThan(20); // longer than `canary_within`
    expect(await rows(`select 1 from alert_sessions where alert_data like '%Watchdog%'`)).toEqual([]);
    expect(await query('max_over_time(ALERTS{alertname="TarsyCanaryMissing"}[10m])')).toEqual([]);
    await monitoring.stopAlertmanager();
    await eventually(missing).toMatchObject([{ metric: { rule: 'watchdog', source: 'am' } }]);
  },
  300_000,
);
