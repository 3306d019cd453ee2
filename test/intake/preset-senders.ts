import { expect } from 'vitest';
import type { PresetType } from '../../src/config/enums.ts';
import { SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { hmac, type Sender, type Told } from './sender.ts';

const START = '2026-11-22T10:00:00Z';
const END = '2026-11-22T10:05:00Z';
const HASHED = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const name = ({ title }: Told) => title ?? 'Disk';
const reported = ({ at, isOver, since, until }: Told) =>
  at ?? (isOver ? until : since) ?? (isOver ? END : START);
const unless = <T>(isBare: boolean | undefined, more: T) => (isBare ? {} : more);

/** Senders whose types are presets. Bodies have the form of each sender's documentation. */
export const PRESET_SENDERS: Readonly<Record<PresetType, Sender>> = {
  nagios: {
    alert: (told) => ({
      ...{ type: told.isOver ? 'RECOVERY' : 'PROBLEM', state: told.isOver ? 'OK' : 'CRITICAL' },
      ...{ at: reported(told), host: told.id, service: told.title === undefined ? 'Disk' : 'Hostile' },
      ...unless(told.isBare, { output: name(told), address: '10.0.0.3', hostgroups: 'db' }),
    }),
    group: (id) => expect.stringMatching(new RegExp(`^${id}/`)),
  },
  splunk: {
    neverEnds: true,
    alert: (told) => ({
      ...{ search_name: name(told), result: { host: told.id, ...unless(told.isBare, { count: '812' }) } },
      ...unless(told.isBare, {
        ...{ sid: `scheduler__admin__search__RMD5_at_1763805600_${told.id}`, owner: 'admin', app: 'search' },
        results_link: 'https://splunk.example.com/app/search/@go?sid=scheduler__admin',
      }),
    }),
    group: () => HASHED,
  },
  kibana: {
    alert: (told) => ({
      ...{
        rule: name(told),
        at: reported(told),
        rule_id: told.id,
        alert_id: 'host-1',
        action_group: told.isOver ? 'recovered' : 'threshold met',
      },
      ...unless(told.isBare, {
        reason: '812 > 500',
        severity: 'critical',
        tags: 'shop,prod',
        url: 'https://k.example.com',
      }),
    }),
    group: (id) => id,
  },
  dynatrace: {
    alert: (told) => ({
      ...{
        PID: `${told.id}${told.period ?? ''}`,
        ProblemTitle: name(told),
        State: told.isOver ? 'RESOLVED' : 'OPEN',
      },
      ...unless(told.isBare, {
        ...{
          ProblemID: 'P-2611',
          ProblemSeverity: 'AVAILABILITY',
          ProblemImpact: 'SERVICE',
          Tags: 'env:prod',
        },
        ...{
          ImpactedEntity: 'checkout',
          ProblemURL: 'https://abc.live.dynatrace.com/#problems/problemdetail;pid=1',
        },
      }),
    }),
    group: (id) => id,
  },
  'uptime-kuma': {
    alert: (told) => ({
      heartbeat: {
        ...{
          monitorID: told.id,
          status: told.isOver ? 1 : 0,
          important: true,
          time: reported(told).replace('T', ' ').replace('Z', ''),
        },
        ...unless(told.isBare, {
          msg: 'connect ECONNREFUSED',
          timezone: 'UTC',
        }),
      },
      monitor: {
        id: told.id,
        name: name(told),
        ...unless(told.isBare, { type: 'http', url: 'https://shop.example.com' }),
      },
      msg: `[${name(told)}] [🔴 Down] connect ECONNREFUSED`,
    }),
    group: (id) => id,
  },
  healthchecks: {
    alert: (told) => ({
      ...{ check: told.id, name: name(told), status: told.isOver ? 'up' : 'down', at: reported(told) },
      ...unless(told.isBare, { tags: 'backup prod' }),
    }),
    group: (id) => id,
  },
  graylog: {
    neverEnds: true,
    alert: (told) => ({
      ...{ event_definition_id: told.id, event_definition_title: 'Too many errors' },
      event: {
        ...{ id: `event-${told.id}`, message: name(told), key_tuple: [told.id], priority: 3, alert: true },
        ...unless(told.isBare, { timestamp: START, source: 'graylog-1', group_by_fields: { host: told.id } }),
      },
      ...unless(told.isBare, { backlog: [{ message: 'failed', timestamp: START }] }),
    }),
    group: (id) => id,
  },
  eventbridge: {
    alert: (told) => ({
      ...{ version: '0', id: `e-${told.id}-${told.isOver}`, 'detail-type': 'CloudWatch Alarm State Change' },
      ...{ source: 'aws.cloudwatch', account: '123456789012', region: 'eu-west-1', time: START },
      resources: [`arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${told.id}`],
      detail: {
        ...{
          alarmName: name(told),
          state: { value: told.isOver ? 'OK' : 'ALARM', timestamp: reported(told) },
        },
        ...unless(told.isBare, { previousState: { value: 'OK' }, configuration: { metrics: [] } }),
      },
    }),
    group: (id) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${id}`,
  },
  argocd: {
    alert: (told) => ({
      ...{
        at: reported(told),
        app: told.id,
        title: name(told),
        health: told.isOver ? 'Healthy' : 'Degraded',
      },
      ...unless(told.isBare, { project: 'shop', namespace: 'shop', sync: 'Synced', message: 'pod crashes' }),
    }),
    group: (id) => id,
  },
  flux: {
    config: { signature: { secrets: [SOURCE_TOKEN] } },
    proof: (body, secret) => ({ 'x-signature': `sha256=${hmac(body, secret)}` }),
    alert: (told) => ({
      involvedObject: { kind: 'Kustomization', namespace: 'apps', name: told.id },
      ...{ severity: told.isOver ? 'info' : 'error', message: name(told), timestamp: reported(told) },
      reason: told.isOver ? 'ReconciliationSucceeded' : 'HealthCheckFailed',
      ...unless(told.isBare, {
        metadata: { revision: 'main@sha1:731f' },
        reportingController: 'kustomize-controller',
      }),
    }),
    group: (id) => `Kustomization/apps/${id}`,
  },
  github: {
    config: { signature: { secrets: [SOURCE_TOKEN] } },
    proof: (body, secret) => ({ 'x-hub-signature-256': `sha256=${hmac(body, secret)}` }),
    alert: (told) => ({
      action: 'completed',
      workflow_run: {
        ...{ id: 1, name: name(told), workflow_id: 7, head_branch: told.id },
        conclusion: told.isOver ? 'success' : 'failure',
        updated_at: reported(told),
        ...unless(told.isBare, {
          run_attempt: 1,
          head_sha: '731f7eaddfb6',
          html_url: 'https://github.com/o/r/actions/runs/1',
        }),
      },
      repository: { full_name: 'example/shop' },
    }),
    group: (id) => `example/shop/7/${id}`,
  },
  jira: {
    config: { signature: { secrets: [SOURCE_TOKEN] } },
    proof: (body, secret) => ({ 'x-hub-signature': `sha256=${hmac(body, secret)}` }),
    alert: (told) => ({
      webhookEvent: 'jira:issue_updated',
      timestamp: Date.parse(reported(told)),
      issue: {
        ...{ id: '10001', key: told.id, self: 'https://acme.atlassian.net/rest/api/2/issue/10001' },
        fields: {
          ...{
            summary: name(told),
            status: { name: 'x', statusCategory: { key: told.isOver ? 'done' : 'new' } },
          },
          ...unless(told.isBare, { priority: { name: 'High' }, project: { key: 'OPS' }, labels: ['db'] }),
        },
      },
    }),
    group: (id) => id,
  },
  glitchtip: {
    tellsNoTime: true,
    alert: (told) => ({
      ...{ alias: 'GlitchTip', text: 'GlitchTip Uptime Alert' },
      attachments: [
        {
          ...{
            title: name(told),
            title_link: `https://glitchtip.example.com/shop/uptime-monitors/${told.id}`,
          },
          text: told.isOver ? 'The monitored site is back up.' : 'The monitored site has gone down.',
          ...unless(told.isBare, {
            color: '#e52b50',
            fields: [{ title: 'Project', value: 'shop', short: true }],
          }),
        },
      ],
    }),
    group: (id) => `https://glitchtip.example.com/shop/uptime-monitors/${id}`,
  },
};
