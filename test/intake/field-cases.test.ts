import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SourceType } from '../../src/config/enums.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { emptyIntake, openTestPool } from '../helpers/deliveries.ts';
import { sendAs, sourcesOfSenders } from './send-as.ts';

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: { sources: sourcesOfSenders() } });
  pool = openTestPool(app.database.url);
});
beforeEach(() => emptyIntake(pool));
const sendTo = (type: SourceType) => (payload: unknown) => sendAs(type, { url: app.url, payload });

afterAll(async () => {
  await pool.end();
  await app.stop();
});

async function alertsOf(source: string): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query(
    `select a.state, a.labels, a.url, g.state as group, s.status as session, s.runbook_url as runbook
     from alerts a join alert_groups g on g.id = a.group_id left join alert_sessions s on s.id = g.session_id
     where a.source = $1 order by a.first_received_at, a.id`,
    [source],
  );
  return rows;
}

/** Writes an alert of Azure Monitor: one rule on one cluster. */
const azure = (id: string, context: unknown, more: Record<string, unknown> = {}) => ({
  schemaId: 'azureMonitorCommonAlertSchema',
  data: {
    essentials: {
      ...{ alertId: `/subscriptions/s/providers/Microsoft.AlertsManagement/alerts/${id}`, originAlertId: id },
      ...{ alertRule: 'Pod restarts', alertRuleId: '/rules/r1', severity: 'Sev1', monitorCondition: 'Fired' },
      ...{ alertTargetIDs: ['/clusters/c1'], firedDateTime: '2026-11-26T09:05:00Z', ...more },
    },
    alertContext: context,
  },
});

test('an Azure rule that is split by dimension has an alert for each value', async () => {
  const send = sendTo('azure-monitor');
  const pod = (value: string) => ({
    condition: {
      allOf: [
        {
          dimensions: [{ name: 'PodName', value }],
          linkToFilteredSearchResultsUI: 'https://portal.azure.com/#view/logs/abc',
        },
      ],
    },
  });
  await send(azure('a1', pod('checkout-1')));
  await send(azure('b2', pod('payments-7')));
  const over = { monitorCondition: 'Resolved', resolvedDateTime: '2026-11-26T09:08:00Z' };
  await send(azure('b2', pod('payments-7'), over));
  expect(await alertsOf('azure-monitor')).toMatchObject([
    { state: 'FIRING', labels: { PodName: 'checkout-1' }, group: 'FIRING', session: 'PENDING' },
    { state: 'RESOLVED', labels: { PodName: 'payments-7' }, url: 'https://portal.azure.com/#view/logs/abc' },
  ]);
});

test('a Google Cloud policy has an alert for each incident', async () => {
  const send = sendTo('gcp-monitoring');
  const incident = (id: string, condition: string, labels: object, state = 'open') => ({
    version: '1.2',
    incident: {
      ...{
        incident_id: id,
        state,
        policy_name: 'Cluster health',
        condition_name: condition,
        severity: 'Critical',
      },
      ...{ started_at: 1795683900, ended_at: state === 'open' ? null : 1795684200, summary: 's' },
      resource: { type: 'k8s_cluster', labels: { cluster_name: 'c1', project_id: 'p1' } },
      metric: { type: 'logging.googleapis.com/user/errors', labels },
    },
  });
  await send(incident('i1', 'Errors in a pod', { pod: 'checkout-1' }));
  await send(incident('i2', 'Errors in a pod', { pod: 'payments-7' }));
  await send(incident('i3', 'Node not ready', {}));
  await send(incident('i4', 'Node not ready', {})); // the report without labels keeps all labels of i3
  await send(incident('i4', 'Node not ready', {}, 'closed'));
  await send(incident('i3', 'Node not ready', {}, 'CLOSED'));
  const alerts = await alertsOf('gcp-monitoring');
  expect(alerts.map(({ state }) => state)).toEqual(['FIRING', 'FIRING', 'RESOLVED', 'RESOLVED']);
  expect(alerts[0]).toMatchObject({ group: 'FIRING', session: 'PENDING' });
});

test('a CloudWatch alarm has an alert for each contributor', async () => {
  const send = sendTo('cloudwatch');
  const message = (id: string, name: string, value: string) => ({
    ...{
      AlarmName: 'lambda-errors',
      AlarmArn: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:lambda-errors',
    },
    ...{ NewStateValue: value, StateChangeTime: '2026-11-26T09:05:00.000+0000', AlarmContributorId: id },
    AlarmContributorAttributes: { FunctionName: name },
  });
  await send(message('c-a', 'checkout', 'ALARM'));
  await send(message('c-b', 'payments', 'ALARM'));
  await send(message('c-b', 'payments', 'OK'));
  expect(await alertsOf('cloudwatch')).toMatchObject([
    { state: 'FIRING', labels: { FunctionName: 'checkout' }, group: 'FIRING', session: 'PENDING' },
    { state: 'RESOLVED', labels: { FunctionName: 'payments' } },
  ]);
});

const RUNBOOK = 'https://github.com/example/runbooks/blob/main/disk.md';

test.each([
  ['runbook_url', RUNBOOK, RUNBOOK],
  ['runbook', RUNBOOK, RUNBOOK],
  ['runbookUrl', RUNBOOK, RUNBOOK],
  ['runbook-url', RUNBOOK, RUNBOOK],
  // Accepted, although reading the runbook will fail later.
  ['runbook_url', 'https://elsewhere.example.com/disk', 'https://elsewhere.example.com/disk'],
  ['runbook_url', 'Ask the team', null],
  ['runbook_url', 'https://user:pass@github.com/x', null],
  ['dashboard_url', RUNBOOK, null],
])('the annotation %s with %s is the runbook of the session', async (name, text, runbook) => {
  const alert = (host: string, annotations: object) => ({
    ...{ status: 'firing', labels: { alertname: 'DiskFull', host }, annotations, fingerprint: host },
    startsAt: '2026-11-26T09:05:00Z',
  });
  const alerts = [alert('a', { [name]: text }), alert('b', {})];
  await sendTo('alertmanager')({ version: '4', groupKey: '{}:{}', groupLabels: {}, alerts });
  expect(await alertsOf('alertmanager')).toMatchObject([{ runbook }, { runbook }]);
});

test('alerts of Azure and New Relic name runbooks, too', async () => {
  const labels = { alertname: 'PodKilled', pod: 'checkout-1' };
  await sendTo('azure-monitor')(azure('p', { labels, annotations: { runbook_url: RUNBOOK } }));
  expect(await alertsOf('azure-monitor')).toMatchObject([
    { runbook: RUNBOOK, labels: { pod: 'checkout-1' } },
  ]);
  await sendTo('newrelic')({ id: 'i', title: 'x', state: 'ACTIVATED', runbookUrl: [RUNBOOK] });
  expect(await alertsOf('newrelic')).toMatchObject([{ runbook: RUNBOOK }]);
});
