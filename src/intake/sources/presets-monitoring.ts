import type { PresetMapping } from './generic.ts';

/**
 * Nagios and its relatives report hosts and services with these words. The notification type says more than the state.
 */
const nagios: PresetMapping = {
  title: ['{$.service} on {$.host}', '$.host'],
  severity: '$.state',
  severities: { down: 'critical', unreachable: 'error', unknown: 'warning' },
  state: ['$.type', '$.state'],
  resolvedValues: ['RECOVERY', 'OK', 'UP'],
  ignoredValues: ['ACKNOWLEDGEMENT', 'FLAPPING*', 'DOWNTIME*'],
  fingerprint: ['{$.host}/{$.service}', '$.host'],
  reportedAt: '$.at',
  url: '$.url',
  labels: {
    host: '$.host',
    service: '$.service',
    address: '$.address',
    hostgroups: '$.hostgroups',
    contacts: '$.contacts',
  },
  annotations: {
    output: '$.output',
    long_output: '$.long_output',
    state: '$.state',
    type: '$.type',
    runbook_url: ['$.notes_url', '$.runbook_url'],
  },
};

const splunk: PresetMapping = {
  title: ['$.search_name', '$.app'],
  severity: ['$.result.severity', '$.result.urgency', '$.result.level'],
  url: '$.results_link',
};

const kibana: PresetMapping = {
  title: ['$.rule', '$.title'],
  severity: ['$.severity', '$.action_group'],
  state: ['$.action_group', '$.state'],
  resolvedValues: ['recovered', 'resolved', 'ok'],
  fingerprint: ['{$.rule_id}/{$.alert_id}', '$.alert_id'],
  group: '$.rule_id',
  startsAt: '$.starts_at',
  reportedAt: '$.at',
  url: '$.url',
  labels: { rule: '$.rule', alert: '$.alert_id', space: '$.space', tags: '$.tags', rule_type: '$.rule_type' },
  annotations: { reason: ['$.reason', '$.message'], value: '$.value', action_group: '$.action_group' },
};

const dynatrace: PresetMapping = {
  title: ['$.ProblemTitle', '$.ProblemID', '$.PID'],
  severity: '$.ProblemSeverity',
  severities: {
    availability: 'critical',
    error: 'error',
    performance: 'warning',
    resource_contention: 'warning',
    custom_alert: 'warning',
    monitoring_unavailable: 'warning',
    info: 'info',
  },
  state: ['$.State', '$.ProblemStatus'],
  resolvedValues: ['RESOLVED', 'CLOSED'],
  ignoredValues: ['MERGED'],
  fingerprint: ['$.PID', '$.ProblemID'],
  episode: ['$.PID', '$.ProblemID'],
  url: ['$.ProblemURL', '$["Problem URL"]'],
  labels: {
    problem: '$.ProblemID',
    impact: '$.ProblemImpact',
    entity: ['$.ImpactedEntityNames', '$.ImpactedEntity'],
    tags: '$.Tags',
  },
  annotations: {
    details: ['$.ProblemDetailsText', '$.ProblemDetailsMarkdown', '$.ProblemDetails'],
    severity: '$.ProblemSeverity',
  },
};

/** Uptime Kuma sends 0 for down, 1 for up, 2 for pending and 3 for maintenance. Without a heartbeat, it sends a text. */
const uptimeKuma: readonly PresetMapping[] = [
  {
    when: '$.heartbeat',
    title: ['{$.monitor.name} is unreachable', '$.msg'],
    severity: 'critical',
    state: '$.heartbeat.status',
    resolvedValues: ['1'],
    ignoredValues: ['2', '3'],
    fingerprint: ['$.monitor.id', '$.heartbeat.monitorID'],
    reportedAt: ['{$.heartbeat.localDateTime}{$.heartbeat.timezoneOffset}', '{$.heartbeat.time}Z'],
    labels: {
      monitor: '$.monitor.name',
      type: '$.monitor.type',
      target: ['$.monitor.hostname', '$.monitor.url'],
      group: '$.monitor.parent',
    },
    annotations: {
      message: '$.heartbeat.msg',
      text: '$.msg',
      at: '$.heartbeat.time',
      zone: '$.heartbeat.timezone',
    },
  },
  { title: '$.msg' },
];

const healthchecks: PresetMapping = {
  title: ['{$.name} does not report', '$.check'],
  severity: ['$.severity', 'error'],
  state: ['$.status', '$.state'],
  resolvedValues: ['up'],
  fingerprint: ['$.check', '$.slug', '$.name'],
  reportedAt: '$.at',
  url: '$.url',
  labels: { check: '$.name', tags: '$.tags', slug: '$.slug' },
  annotations: { status: '$.status', exit_status: '$.exit_status', body: '$.body', at: '$.at' },
};

/** Graylog never reports that an event is over. The group-by fields of an event definition distinguish its events. */
const graylog: PresetMapping = {
  when: '$.event',
  title: ['$.event.message', '$.event_definition_title'],
  severity: '$.event.priority',
  severities: { '4': 'critical', '3': 'error', '2': 'warning', '1': 'info' },
  fingerprint: ['{$.event_definition_id} {$.event.key_tuple}', '{$.event_definition_id} {$.event.message}'],
  group: '$.event_definition_id',
  reportedAt: '$.event.timestamp',
  labels: {
    definition: '$.event_definition_title',
    key: ['$.event.key_tuple', '$.event.key'],
    source: '$.event.source',
    streams: '$.event.source_streams',
  },
};

export const MONITORING_PRESETS = {
  nagios: [nagios],
  splunk: [splunk],
  kibana: [kibana],
  dynatrace: [dynatrace],
  'uptime-kuma': uptimeKuma,
  healthchecks: [healthchecks],
  graylog: [graylog, { title: '$.event_definition_title' }],
} as const;
