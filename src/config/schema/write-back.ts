import { z } from 'zod';
import type { SourceType } from '../enums.ts';
import { checked, envVariable, flag, httpUrl, list, matching, text } from './common.ts';
import { settings } from './settings.ts';

const VERDICTS = ['action_required', 'action_suggested', 'no_action', 'inconclusive'] as const;

const baseUrl = (description: string) =>
  checked(httpUrl(description), (value) => {
    const { username, password, search, hash } = new URL(value);
    return username + password + search + hash === ''
      ? null
      : 'must not contain a user name, password, query or fragment';
  });

const common = {
  allow_private: flag('Allow private addresses, and http without encryption').prefault(false),
};
const token = (description: string) => ({
  token_env: envVariable(`Environment variable with ${description}`),
});
const acknowledge = {
  acknowledge: list(
    z.enum(VERDICTS),
    'Verdicts after which TARSy also acknowledges, which stops the escalation; default: never',
  ).prefault([]),
};
const resolve = {
  resolve: list(
    z.enum(['no_action']),
    'Verdicts after which TARSy also resolves; only no_action is possible. Default: never',
  ).prefault([]),
};

/** Returns a rule that refuses http unless private addresses are allowed. */
const encrypted = [
  'url',
  ({ url, allow_private: isPrivate }: { url?: string; allow_private?: boolean }) =>
    url?.toLowerCase().startsWith('http:') && isPrivate !== true
      ? 'must begin with https://; http:// needs allow_private: true'
      : null,
] as const;

const pagerduty = settings(
  z.strictObject({
    kind: z.literal('pagerduty').describe('PagerDuty: note of the incident'),
    url: baseUrl('URL of the REST API').prefault('https://api.pagerduty.com'),
    ...token('an API key that may write'),
    from: matching(/^[^\s@<>]{1,64}@[A-Za-z0-9.-]+$/, 'expected an e-mail address').describe(
      'E-mail address of the PagerDuty user who writes',
    ),
    ...{ ...acknowledge, ...resolve, ...common },
  }),
  encrypted,
);

const opsgenie = settings(
  z.strictObject({
    kind: z.literal('opsgenie').describe('Opsgenie: note of the alert'),
    url: baseUrl('URL of the API; in the EU https://api.eu.opsgenie.com').prefault(
      'https://api.opsgenie.com',
    ),
    ...token('an API key with the rights to read, create and update'),
    ...{ ...acknowledge, ...resolve, ...common },
  }),
  encrypted,
);

const jsm = settings(
  z.strictObject({
    kind: z.literal('jsm').describe('Jira Service Management: note of the alert'),
    url: baseUrl('URL of the API').prefault('https://api.atlassian.com'),
    cloud_id: matching(
      /^[A-Za-z0-9-]{1,64}$/,
      'expected the id that https://<site>/_edge/tenant_info shows',
    ).describe('Id of the site'),
    username: text('E-mail address of the account').max(320),
    ...token('an API token of the account'),
    ...{ ...acknowledge, ...resolve, ...common },
  }),
  encrypted,
);

const grafana = settings(
  z.strictObject({
    kind: z.literal('grafana').describe('Grafana: annotation on the panel of the alert rule'),
    url: baseUrl('URL of Grafana'),
    ...token('the token of a service account that may read and write annotations'),
    ...common,
  }),
  encrypted,
);

const datadog = settings(
  z.strictObject({
    kind: z.literal('datadog').describe('Datadog: event with the monitor’s tag'),
    url: baseUrl('URL of the API of the site').prefault('https://api.datadoghq.com'),
    ...token('an API key'),
    application_key_env: envVariable('Environment variable with an application key that may read events'),
    ...common,
  }),
  encrypted,
);

const sentry = settings(
  z.strictObject({
    kind: z.literal('sentry').describe('Sentry: comment on the issue'),
    url: baseUrl('URL of Sentry').prefault('https://sentry.io'),
    organization: matching(/^[A-Za-z0-9_-]{1,64}$/, 'expected the slug of an organization').describe(
      'Slug of the organization',
    ),
    ...token('the token of an internal integration with Issue & Event: Read & Write'),
    ...{ ...resolve, ...common },
  }),
  encrypted,
);

const zabbix = settings(
  z.strictObject({
    kind: z.literal('zabbix').describe('Zabbix: message on the problem'),
    url: baseUrl('URL of the frontend, without api_jsonrpc.php'),
    ...token('an API token'),
    ...{ ...acknowledge, ...resolve, ...common },
  }),
  encrypted,
);

const servicenow = settings(
  z.strictObject({
    kind: z.literal('servicenow').describe('ServiceNow: work note of the incident'),
    url: baseUrl('URL of the instance'),
    username: text('User name; without one, the token is an API key').max(320).optional(),
    ...token('the password of the user, or the API key'),
    table: matching(/^[a-z0-9_]{1,80}$/, 'expected the name of a table')
      .describe('Table of the objects')
      .prefault('incident'),
    ...common,
  }),
  encrypted,
);

const jira = settings(
  z.strictObject({
    kind: z.literal('jira').describe('Jira: comment on the issue'),
    url: baseUrl('URL of the site'),
    edition: z.enum(['cloud', 'data-center']).describe('Edition, which decides the API').prefault('cloud'),
    username: text('E-mail address of the account; without one, the token is a bearer token')
      .max(320)
      .optional(),
    ...token('an API token or a personal access token'),
    ...common,
  }),
  encrypted,
);

export const writeBackSchema = z
  .discriminatedUnion('kind', [pagerduty, opsgenie, jsm, grafana, datadog, sentry, zabbix, servicenow, jira])
  .describe('Note with verdict and link that TARSy writes to the sender after an investigation');

type Kind = z.output<typeof writeBackSchema>['kind'];

/** The kinds of write-back that fit a type of source. Types that name no object are missing. */
export const WRITE_BACKS_OF: Readonly<Partial<Record<SourceType, readonly Kind[]>>> = {
  pagerduty: ['pagerduty'],
  opsgenie: ['opsgenie', 'jsm'],
  grafana: ['grafana'],
  datadog: ['datadog'],
  sentry: ['sentry'],
  zabbix: ['zabbix'],
  jira: ['jira'],
  generic: ['pagerduty', 'opsgenie', 'jsm', 'grafana', 'datadog', 'sentry', 'zabbix', 'servicenow', 'jira'],
};
