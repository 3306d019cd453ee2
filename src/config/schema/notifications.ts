import { z } from 'zod';
import { NOTIFICATION_EVENTS, NOTIFIED_VERDICTS } from '../enums.ts';
import {
  checked,
  count,
  ENTRY_NAME,
  envVariable,
  flag,
  httpUrl,
  list,
  matching,
  namedEntries,
  reference,
  text,
} from './common.ts';
import { mapping, settings } from './settings.ts';

const allowPrivate = flag(
  'Allow receivers at private addresses, and for HTTP receivers also http without encryption',
).prefault(false);

/** Matches an address such as `ops@example.com`. Excludes white space and the separators of address lists. */
const address = matching(
  /^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/,
  'expected an e-mail address such as ops@example.com',
);

const emailKeys = z.strictObject({
  kind: z.literal('email').describe('E-mail by SMTP'),
  host: matching(
    /^[A-Za-z0-9.:-]{1,253}$/,
    'expected the host name or IP address of an SMTP server',
  ).describe('Host of the SMTP server'),
  port: count(1, 65_535).describe('Port of the SMTP server').prefault(587),
  security: z
    .enum(['starttls', 'tls', 'none'])
    .describe(
      'Encryption of the connection. starttls: begins unencrypted and requires STARTTLS; tls: from the start; none: no encryption',
    )
    .prefault('starttls'),
  username: text('User name at the SMTP server').max(320).optional(),
  password_env: envVariable('Environment variable with the password at the SMTP server').optional(),
  from: address.describe('Sender address'),
  to: list(address, 'Receiver addresses').min(1).max(50),
  allow_private: allowPrivate,
});

const email = settings(
  emailKeys,
  [
    'password_env',
    ({ username, password_env: password }) =>
      (username === undefined) === (password === undefined)
        ? null
        : 'username and password_env need each other',
  ],
  [
    'security',
    ({ security, username }) =>
      security === 'none' && username !== undefined
        ? 'none would send the password without encryption'
        : null,
  ],
);

const chat = <const Kind extends 'teams' | 'mattermost'>(kind: Kind, description: string) =>
  mapping({
    kind: z.literal(kind).describe(description),
    url_env: envVariable('Environment variable with the URL of the incoming webhook, which is a secret'),
    allow_private: allowPrivate,
  });

const webhookKeys = z.strictObject({
  kind: z.literal('webhook').describe('HTTP POST of a CloudEvent, signed as Standard Webhooks specifies'),
  url: checked(httpUrl('URL of the receiver, without a secret'), (value) => {
    const { username, password } = new URL(value);
    return username === '' && password === '' ? null : 'must not contain a user name or password';
  }),
  secrets_env: list(
    envVariable('Environment variable with a secret (whsec_…)'),
    'Environment variables with the secrets that sign each delivery: one, or two during a rotation',
  )
    .min(1)
    .max(2),
  allow_private: allowPrivate,
});

const webhook = settings(webhookKeys, [
  'url',
  ({ url, allow_private: isPrivate }) =>
    typeof url === 'string' && url.toLowerCase().startsWith('http:') && isPrivate !== true
      ? 'must begin with https://; http:// needs allow_private: true'
      : null,
]);

const slack = mapping({
  kind: z.literal('slack').describe('Slack, by the app of system.slack'),
  channel: text('Channel id, such as C12345678; the bot must be a member'),
  token_env: envVariable('Environment variable with the Slack bot token').prefault('SLACK_BOT_TOKEN'),
});

const channelSchema = z
  .discriminatedUnion('kind', [
    email,
    chat('teams', 'Microsoft Teams, by the webhook of a workflow'),
    chat('mattermost', 'Mattermost, by an incoming webhook'),
    webhook,
    slack,
  ])
  .describe('Channel for notifications');

/** Events that concern no session, so that the properties of sessions cannot select them. */
const WITHOUT_SESSION: readonly string[] = [
  'budget.reached',
  'canary.failing',
  'source.silent',
  'replay.worse',
];
/** Events that concern neither a session nor a team, alert type or source. */
const OF_INTAKE: readonly string[] = ['canary.failing', 'source.silent'];
/** Events that concern no alert type and no source. */
const WITHOUT_ALERT: readonly string[] = [...OF_INTAKE, 'replay.worse'];

const ruleKeys = z.strictObject({
  events: list(z.enum(NOTIFICATION_EVENTS), 'Events that the rule notifies about').min(1),
  verdicts: list(
    z.enum(NOTIFIED_VERDICTS),
    'Verdicts of ended sessions; none: the session has no report. Default: all',
  )
    .min(1)
    .optional(),
  severities: list(
    z.enum(['critical', 'error', 'warning', 'info']),
    'Severities of the session’s alert; default: all',
  )
    .min(1)
    .optional(),
  teams: list(reference('Name of a team'), 'Teams of the session, budget or case; default: all')
    .min(1)
    .optional(),
  alert_types: list(reference('Alert type'), 'Alert types of the session or budget; default: all')
    .min(1)
    .optional(),
  sources: list(
    reference('Name of an alert source; api: alerts submitted through the API'),
    'Sources of the session’s alert or of the budget; default: all',
  )
    .min(1)
    .optional(),
  channels: list(reference('Name of a channel'), 'Channels that are notified').min(1),
});

/** Returns a rule that refuses a filter together with events that lack the filtered property. */
function refuses(
  key: 'verdicts' | 'severities' | 'teams' | 'alert_types' | 'sources',
  without: readonly string[],
) {
  return [
    key,
    (written: { [Name in typeof key]?: unknown } & { events?: readonly string[] | undefined }) => {
      const event =
        written[key] === undefined ? undefined : written.events?.find((name) => without.includes(name));
      return event === undefined ? null : `cannot select ${event}; put that event into a rule of its own`;
    },
  ] as const;
}

const rule = settings(
  ruleKeys,
  refuses(
    'verdicts',
    NOTIFICATION_EVENTS.filter((event) => event !== 'session.ended'),
  ),
  refuses('severities', WITHOUT_SESSION),
  refuses('teams', OF_INTAKE),
  refuses('alert_types', WITHOUT_ALERT),
  refuses('sources', WITHOUT_ALERT),
).describe(
  'Rule: which events go to which channels. Every matching rule applies; a channel gets an event once',
);

export const notificationsSchema = mapping({
  channels: namedEntries(ENTRY_NAME, channelSchema, 'Channels by name'),
  rules: list(rule, 'Rules that select the events for each channel').max(200).prefault([]),
}).describe('Notifications by e-mail, chat and webhooks');
