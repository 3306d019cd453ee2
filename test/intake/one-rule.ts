import type { SourceType } from '../../src/config/enums.ts';
import { SOURCE_TOKEN } from '../helpers/deliveries.ts';

/** A report of one rule about one of two resources. */
interface Report {
  resource: 'a' | 'b';
  isOver?: boolean;
  /** Number of the resource's firing period. */
  period?: number;
}

const START = Date.parse('2026-11-22T10:00:00Z');
const iso = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const begun = ({ period = 0 }: Report) => iso(period * 30);
const ended = ({ period = 0 }: Report) => iso(period * 30 + 5);

function group(version: string, report: Report) {
  const { resource, isOver } = report;
  const alert = {
    ...{
      status: isOver ? 'resolved' : 'firing',
      labels: { alertname: 'PodRestarts', pod: `checkout-${resource}` },
    },
    ...{ annotations: {}, startsAt: begun(report), endsAt: isOver ? ended(report) : '0001-01-01T00:00:00Z' },
    fingerprint: `f-${resource}`,
  };
  return {
    version,
    groupKey: '{}:{alertname="PodRestarts"}',
    status: alert.status,
    groupLabels: {},
    alerts: [alert],
  };
}

const templated = (report: Report) => ({
  ...{ title: 'Pod restarts', state: report.isOver ? 'resolved' : 'firing', severity: 'high' },
  ...{ labels: { pod: `checkout-${report.resource}` }, starts_at: begun(report) },
});

/**
 * By type of sender, a rule that fires for two resources at a time, in the form that the sender documents.
 */
export const ONE_RULE: Readonly<Record<SourceType, (report: Report) => Record<string, unknown>>> = {
  alertmanager: (report) => group('4', report),
  grafana: (report) => ({ ...group('1', report), orgId: 1 }),
  pagerduty: (report) => ({
    event: {
      id: `E-${report.resource}-${report.isOver}-${report.period}`,
      event_type: report.isOver ? 'incident.resolved' : 'incident.triggered',
      occurred_at: report.isOver ? ended(report) : begun(report),
      data: {
        ...{ id: `Q${report.resource}${report.period ?? 0}`, type: 'incident', title: 'Pod restarts' },
        ...{ status: report.isOver ? 'resolved' : 'triggered', created_at: begun(report) },
      },
    },
  }),
  'pagerduty-events': ({ resource, isOver }) => ({
    ...{
      routing_key: SOURCE_TOKEN,
      event_action: isOver ? 'resolve' : 'trigger',
      dedup_key: `restarts/${resource}`,
    },
    payload: { summary: 'Pod restarts', source: `checkout-${resource}`, severity: 'error' },
  }),
  opsgenie: (report) => ({
    action: report.isOver ? 'Close' : 'Create',
    alert: {
      ...{ alertId: `${report.resource}-${report.period ?? 0}`, alias: `restarts/${report.resource}` },
      ...{ message: 'Pod restarts', createdAt: Date.parse(begun(report)) },
    },
  }),
  datadog: ({ resource, isOver }) => ({
    ...{
      id: `${Math.random()}`,
      title: `[${isOver ? 'Recovered' : 'Triggered'} on {pod:checkout-${resource}}] Pod restarts`,
    },
    ...{ body: 'restarts', event_type: 'query_alert_monitor', alert_type: isOver ? 'success' : 'error' },
    ...{ alert_transition: isOver ? 'Recovered' : 'Triggered', org: { id: '1', name: 'acme' } },
  }),
  cloudwatch: (report) => ({
    ...{ AlarmName: 'restarts', AlarmArn: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:restarts' },
    ...{ NewStateValue: report.isOver ? 'OK' : 'ALARM', AlarmContributorId: `c-${report.resource}` },
    AlarmContributorAttributes: { PodName: `checkout-${report.resource}` },
    StateChangeTime: report.isOver ? ended(report) : begun(report),
  }),
  sentry: (report) => ({
    action: report.isOver ? 'resolved' : 'critical',
    data: {
      metric_alert: {
        id: `${report.resource}${report.period ?? 0}`,
        ...{ date_started: begun(report), alert_rule: { id: 'r', name: 'Pod restarts' } },
      },
      description_title: 'Critical: Pod restarts',
    },
  }),
  newrelic: (report) => ({
    ...{
      id: `i-${report.resource}-${report.period ?? 0}`,
      title: 'Pod restarts',
      createdAt: Date.parse(begun(report)),
    },
    ...{ state: report.isOver ? 'CLOSED' : 'ACTIVATED', alertConditionNames: ['restarts'] },
  }),
  'gcp-monitoring': (report) => ({
    version: '1.2',
    incident: {
      ...{ incident_id: `${report.resource}${report.period ?? 0}`, state: report.isOver ? 'closed' : 'open' },
      ...{
        policy_name: 'Pods',
        condition_name: 'Pod restarts',
        started_at: Date.parse(begun(report)) / 1000,
      },
      resource: { type: 'k8s_cluster', labels: { cluster_name: 'c1' } },
      metric: { type: 'restarts', labels: { pod: `checkout-${report.resource}` } },
    },
  }),
  'azure-monitor': (report) => ({
    schemaId: 'azureMonitorCommonAlertSchema',
    data: {
      essentials: {
        ...{
          alertId: `/alerts/${report.resource}${report.period ?? 0}`,
          alertRule: 'Pod restarts',
          alertRuleId: '/rules/r1',
        },
        ...{ monitorCondition: report.isOver ? 'Resolved' : 'Fired', alertTargetIDs: ['/clusters/c1'] },
        firedDateTime: begun(report),
      },
      alertContext: {
        condition: { allOf: [{ dimensions: [{ name: 'PodName', value: `checkout-${report.resource}` }] }] },
      },
    },
  }),
  zabbix: (report) => ({
    ...{ event_id: `${report.resource}${report.period ?? 0}`, event_value: report.isOver ? '0' : '1' },
    ...{ trigger_id: '23140', host_name: 'log-1', event_name: 'An error is logged', event_nseverity: '4' },
  }),
  nagios: ({ resource, isOver }) => ({
    ...{ type: isOver ? 'RECOVERY' : 'PROBLEM', state: isOver ? 'OK' : 'CRITICAL', output: 'DISK' },
    ...{ host: `db-${resource}`, service: 'Disk /' },
  }),
  splunk: ({ resource }) => ({
    search_name: 'Too many 5xx',
    result: { host: `web-${resource}`, count: '812' },
  }),
  kibana: ({ resource, isOver }) => ({
    ...{ rule: 'Pod restarts', rule_id: 'r1', alert_id: `checkout-${resource}` },
    action_group: isOver ? 'recovered' : 'threshold met',
  }),
  dynatrace: ({ resource, isOver, period = 0 }) => ({
    ...{ PID: `${resource}${period}_V2`, ProblemTitle: 'Pod restarts', State: isOver ? 'RESOLVED' : 'OPEN' },
  }),
  'uptime-kuma': ({ resource, isOver }) => ({
    heartbeat: { status: isOver ? 1 : 0, msg: 'connection refused' },
    monitor: { id: resource === 'a' ? 29 : 30, name: 'Shop' },
  }),
  healthchecks: ({ resource, isOver }) => ({
    ...{ check: `0f8a-${resource}`, name: 'Backup', status: isOver ? 'up' : 'down' },
  }),
  graylog: ({ resource }) => ({
    ...{ event_definition_id: 'd1', event_definition_title: 'Too many errors' },
    event: { id: `${resource}1`, message: 'Too many errors', key_tuple: [`web-${resource}`], priority: 3 },
  }),
  eventbridge: (report) => ({
    ...{ 'detail-type': 'CloudWatch Alarm State Change', region: 'eu-west-1', account: '123456789012' },
    resources: [`arn:aws:cloudwatch:eu-west-1:123456789012:alarm:restarts-${report.resource}`],
    detail: {
      alarmName: 'restarts',
      state: { value: report.isOver ? 'OK' : 'ALARM', timestamp: begun(report) },
    },
  }),
  argocd: ({ resource, isOver }) => ({
    app: `shop-${resource}`,
    title: 'Degraded',
    health: isOver ? 'Healthy' : 'Degraded',
  }),
  flux: ({ resource, isOver }) => ({
    involvedObject: { kind: 'Kustomization', namespace: 'apps', name: `shop-${resource}` },
    ...{
      severity: isOver ? 'info' : 'error',
      reason: isOver ? 'ReconciliationSucceeded' : 'BuildFailed',
      message: 'x',
    },
  }),
  github: ({ resource, isOver }) => ({
    action: 'completed',
    workflow_run: {
      name: 'CI',
      workflow_id: 7,
      head_branch: resource,
      conclusion: isOver ? 'success' : 'failure',
    },
    repository: { full_name: 'example/shop' },
  }),
  jira: ({ resource, isOver }) => ({
    webhookEvent: 'jira:issue_updated',
    issue: {
      key: `OPS-${resource}`,
      fields: { summary: 'Pod restarts', status: { statusCategory: { key: isOver ? 'done' : 'new' } } },
    },
  }),
  glitchtip: ({ resource, isOver }) => ({
    attachments: [
      {
        ...{ title: 'Shop', title_link: `https://glitchtip.example.com/shop/uptime-monitors/${resource}` },
        text: isOver ? 'The monitored site is back up.' : 'The monitored site has gone down.',
      },
    ],
  }),
  cloudevents: (report) => ({
    ...{
      specversion: '1.0',
      id: `${report.resource}${report.isOver}${report.period}`,
      source: '/pods',
      type: 'restarts',
    },
    ...{ time: report.isOver ? ended(report) : begun(report), data: templated(report) },
  }),
  generic: templated,
};
