import { jsmSpec, opsgenieSpec, pagerdutySpec, servicenowSpec } from './incidents.ts';
import { jiraCloudSpec, jiraDataCenterSpec } from './jira.ts';
import { datadogSpec, grafanaSpec, sentrySpec, zabbixSpec } from './monitoring.ts';
import type { SenderSpec } from './server.ts';

/** Environment of all write-backs in tests. */
export const SENDER_ENV = {
  SENDER_TOKEN: 'a-secret-token',
  SENDER_APPLICATION_KEY: 'a-secret-application-key',
};

/** A sender with a source for its alerts, an object, and the delivery that names it. */
export interface SenderCase {
  name: string;
  spec: SenderSpec;
  /** Type of the source, and its mapping if it is `generic`. */
  source: Record<string, unknown>;
  /** Keys of `write_back` without `url`. */
  config: Record<string, string>;
  object: string;
  /** Body of a delivery about an alert with the object. */
  delivery: object;
  headers?: Record<string, string>;
}

const SYS_ID = '0123456789abcdef0123456789abcdef';

const jiraDelivery = (key: string) => ({
  webhookEvent: 'jira:issue_created',
  timestamp: 1_795_860_000_000,
  issue: {
    key,
    self: 'https://jira.example.com/rest/api/2/issue/1',
    fields: {
      summary: 'Disk full',
      priority: { name: 'Highest' },
      status: { statusCategory: { key: 'new' } },
    },
  },
});

const opsgenieDelivery = (id: string) => ({
  action: 'Create',
  alert: {
    alertId: id,
    alias: `alias of ${id}`,
    message: 'Disk full',
    priority: 'P1',
    createdAt: 1_795_860_000_000,
  },
});

export const SENDERS: readonly SenderCase[] = [
  {
    ...{ name: 'pagerduty', spec: pagerdutySpec, object: 'Q1WERTY', source: { type: 'pagerduty' } },
    config: { kind: 'pagerduty', from: 'tarsy@example.com' },
    delivery: {
      event: {
        ...{ id: 'E1', event_type: 'incident.triggered', occurred_at: '2026-11-28T10:00:00Z' },
        data: {
          id: 'Q1WERTY',
          title: 'Disk full',
          urgency: 'high',
          priority: { summary: 'P1' },
          status: 'triggered',
        },
      },
    },
  },
  {
    ...{ name: 'opsgenie', spec: opsgenieSpec, object: '8743a1b2-11da-480e-8493-744660987bef-1795860000000' },
    ...{ source: { type: 'opsgenie' }, config: { kind: 'opsgenie' } },
    delivery: opsgenieDelivery('8743a1b2-11da-480e-8493-744660987bef-1795860000000'),
  },
  {
    ...{ name: 'jsm', spec: jsmSpec, object: '9b251e07-73c9-4907-9996-8cb53a6a20d0-1704440650350' },
    source: { type: 'opsgenie' },
    config: { kind: 'jsm', cloud_id: 'cloud-1', username: 'me@example.com' },
    delivery: opsgenieDelivery('9b251e07-73c9-4907-9996-8cb53a6a20d0-1704440650350'),
  },
  {
    ...{ name: 'grafana', spec: grafanaSpec, object: 'cIBgcSjkk/4', source: { type: 'grafana' } },
    config: { kind: 'grafana' },
    delivery: {
      ...{ status: 'firing', groupKey: 'g', groupLabels: {} },
      alerts: [
        {
          ...{ status: 'firing', labels: { alertname: 'Disk full', severity: 'critical' }, annotations: {} },
          ...{ fingerprint: 'f1', startsAt: '2026-11-28T10:00:00Z' },
          dashboardURL: 'https://grafana.example.com/d/cIBgcSjkk?orgId=1',
          panelURL: 'https://grafana.example.com/d/cIBgcSjkk?orgId=1&viewPanel=4',
        },
      ],
    },
  },
  {
    ...{ name: 'datadog', spec: datadogSpec, object: '12345', source: { type: 'datadog' } },
    config: { kind: 'datadog', application_key_env: 'SENDER_APPLICATION_KEY' },
    delivery: {
      title: 'Disk full',
      severity: 'P1',
      state: 'Triggered',
      monitor: '12345',
      scope: 'host:db-1',
    },
  },
  {
    ...{ name: 'sentry', spec: sentrySpec, object: '4567890123', source: { type: 'sentry' } },
    config: { kind: 'sentry', organization: 'acme' },
    delivery: {
      action: 'triggered',
      data: { event: { issue_id: '4567890123', title: 'Disk full', level: 'fatal' }, triggered_rule: 'all' },
    },
    headers: { 'sentry-hook-resource': 'event_alert' },
  },
  {
    ...{
      name: 'zabbix',
      spec: zabbixSpec,
      object: '90210',
      source: { type: 'zabbix' },
      config: { kind: 'zabbix' },
    },
    delivery: { title: 'Disk full', severity: '5', state: '1', fingerprint: 't/h', episode: '90210' },
  },
  {
    ...{ name: 'servicenow', spec: servicenowSpec, object: SYS_ID },
    source: { type: 'generic', mapping: { object: '$.sys_id' } },
    config: { kind: 'servicenow', username: 'me@example.com' },
    delivery: { title: 'Disk full', severity: 'critical', fingerprint: 'disk', sys_id: SYS_ID },
  },
  {
    ...{ name: 'jira', spec: jiraCloudSpec, object: 'OPS-42', source: { type: 'jira' } },
    config: { kind: 'jira', username: 'me@example.com' },
    delivery: jiraDelivery('OPS-42'),
  },
  {
    ...{ name: 'jira-data-center', spec: jiraDataCenterSpec, object: 'OPS-43', source: { type: 'jira' } },
    config: { kind: 'jira', edition: 'data-center' },
    delivery: jiraDelivery('OPS-43'),
  },
];

/** Returns the `write_back` of a source. @param more further keys, such as `resolve` */
export function writeBackOf({ config }: SenderCase, url: string, more: object = {}): Record<string, unknown> {
  return { ...config, url, token_env: 'SENDER_TOKEN', allow_private: true, ...more };
}
