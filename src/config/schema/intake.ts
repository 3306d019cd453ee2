import { z } from 'zod';
import { SOURCE_TYPES, type SourceType } from '../enums.ts';
import { parseFieldPath } from '../field-path.ts';
import { count, duration, ENTRY_NAME, namedEntries, reference, text, withRules } from './common.ts';
import { ruleSchema } from './intake-rules.ts';
import { settings } from './settings.ts';

/** Characters of what proves a sender: shorter ones can be guessed. */
const MIN_SECRET_LENGTH = 16;

/** The text itself must not stand in an error. */
const secret = (description: string) =>
  z
    .string()
    .describe(description)
    .refine((value) => value.length >= MIN_SECRET_LENGTH, `needs at least ${MIN_SECRET_LENGTH} characters`)
    .refine((value) => /^[\x21-\x7e]+$/.test(value), 'must be ASCII without spaces');

const secrets = (what: string) =>
  z
    .array(secret(what))
    .min(1)
    .max(10)
    .describe(`${what}; any of them is taken, so that they can be changed without loss`);

const headerName = (description: string) =>
  z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of an HTTP header')
    .describe(description)
    .transform((name) => name.toLowerCase());

const fieldPath = (description: string) =>
  z
    .string()
    .describe(description)
    .refine(
      (written) => parseFieldPath(written) !== null,
      'expected a path such as $.alert.name, $.tags["k8s.io/app"] or $.items[*]',
    );

const single = (description: string) =>
  fieldPath(description).refine(
    (path) => !parseFieldPath(path)?.includes('*'),
    '[*] is for the list of alerts only',
  );

const mapping = settings(
  z
    .strictObject({
      alerts: fieldPath(
        'Where the alerts are; [*] stands for each item of a list; default: the body',
      ).optional(),
      title: single('From the alert on, as those that follow').optional(),
      severity: single('A word such as critical, or P1').optional(),
      state: single('A word such as firing or resolved').optional(),
      fingerprint: single(
        'The same in each delivery about an alert; default: made of title and labels',
      ).optional(),
      group: single('What is investigated together; default: each alert for itself').optional(),
      episode: single('One run of firing').optional(),
      starts_at: single('Time').optional(),
      ends_at: single('Time').optional(),
      url: single('Where the source shows it').optional(),
      labels: z
        .union([single('A mapping of labels'), z.record(z.string(), single('Of one label'))])
        .describe('Path of a mapping, or a path for each label')
        .optional(),
      annotations: z
        .union([single('A mapping of annotations'), z.record(z.string(), single('Of one annotation'))])
        .describe('Path of a mapping, or a path for each annotation')
        .optional(),
      resolved_values: z
        .array(text('Word of the state'))
        .describe('Words of the state that mean that it is over; default: resolved, ok, closed and the like')
        .optional(),
    })
    .describe('Type generic: where the parts of an alert stand in its JSON'),
);

const sourceKeys = z.strictObject({
  type: z.enum(SOURCE_TYPES).describe('Who sends, and so in which form'),
  alert_type: reference(
    'Alert type of its alerts where no rule says another; default: defaults.alert_type',
  ).optional(),
  tokens: secrets('Tokens that deliveries carry').optional(),
  api_tokens: z
    .boolean()
    .describe('Whether an API token with the scope SUBMIT_ALERTS is a proof; never in the address')
    .optional(),
  token_header: headerName('Header that carries the token; default: Authorization').optional(),
  tokens_in_url: z
    .boolean()
    .describe('Whether the address may carry the token (?token=): only for senders that can set no header')
    .prefault(false),
  basic: z
    .strictObject({ username: text('Name'), passwords: secrets('Passwords') })
    .describe('HTTP basic authentication')
    .optional(),
  signature: settings(
    z.strictObject({
      secrets: secrets('Secrets that deliveries are signed with'),
      header: headerName('Header of the signature; default: that of the type').optional(),
      timestamp_header: headerName('Header of the signed time, in seconds since 1970').optional(),
    }),
  )
    .describe('HMAC-SHA256 over the body')
    .optional(),
  topic_arns: z
    .array(
      z
        .string()
        .regex(
          /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}(?:\.fifo)?$/,
          'expected the ARN of an SNS topic',
        ),
    )
    .min(1)
    .describe('Type cloudwatch: the topics whose signed messages are taken')
    .optional(),
  verification: z
    .enum(['none'])
    .describe('none: deliveries of this source need no proof; anyone who reaches the server can send')
    .optional(),
  insufficient_data: z
    .enum(['ignore', 'fire'])
    .describe('Type cloudwatch: what an alarm without data is')
    .prefault('ignore'),
  mapping: mapping.optional(),
});

/** Headers of the types that sign by themselves; pagerduty and sentry sign no time. */
const SIGNATURE_HEADERS: Readonly<Partial<Record<SourceType, string>>> = {
  grafana: 'x-grafana-alerting-signature',
  pagerduty: 'x-pagerduty-signature',
  sentry: 'sentry-hook-signature',
};

type Written = Partial<z.output<typeof sourceKeys>>;

function proofsOf({ tokens, api_tokens, basic, signature, topic_arns }: Written): unknown[] {
  return [tokens, api_tokens || undefined, basic, signature, topic_arns].filter(
    (proof) => proof !== undefined,
  );
}

const onlyFor = (type: SourceType, value: unknown, source: Written) =>
  value !== undefined && source.type !== undefined && source.type !== type
    ? `is for sources of type ${type}, this one is ${source.type}`
    : null;

const source = settings(
  withRules(
    sourceKeys,
    [
      'verification',
      (source) => {
        const proofs = proofsOf(source);
        if (source.verification === 'none' && proofs.length > 0)
          return 'stands beside a proof; remove one of them';
        return source.verification === undefined && proofs.length === 0
          ? 'is required where a source has no tokens, api_tokens, basic, signature or topic_arns: say none if anyone may send'
          : null;
      },
    ],
    ['topic_arns', (source) => onlyFor('cloudwatch', source.topic_arns, source)],
    ['mapping', (source) => onlyFor('generic', source.mapping, source)],
    [
      'signature',
      ({ type, signature }) =>
        type !== undefined && signature !== undefined && signature.header === null && !SIGNATURE_HEADERS[type]
          ? `needs a header: ${type} has no usual one`
          : null,
    ],
    [
      'tokens_in_url',
      ({ tokens_in_url: inUrl, tokens }) => (inUrl === true && tokens === undefined ? 'needs tokens' : null),
    ],
  ),
).transform(({ verification: _, ...source }) => ({
  ...source,
  tokens: source.tokens ?? [],
  apiTokens: source.apiTokens ?? false,
  signature: source.signature && {
    ...source.signature,
    header: source.signature.header ?? SIGNATURE_HEADERS[source.type]!,
  },
}));

/** Their groups would be those of submitAlert, and of the canary. */
const OWN_SOURCES: Readonly<Record<string, string>> = {
  api: 'is the source of alerts that are submitted as text; name this one otherwise',
  canary: 'is the source of the canary; name this one otherwise',
};

export const intakeSchema = settings(
  z
    .strictObject({
      sources: namedEntries(
        ENTRY_NAME,
        source,
        'Senders of alerts by name; each sends to /webhooks/<name>',
      ).superRefine((sources, context) => {
        for (const [name, message] of Object.entries(OWN_SOURCES))
          if (Object.hasOwn(sources, name))
            context.addIssue({ code: 'custom', path: [name], message, input: name });
      }),
      rules: z
        .array(ruleSchema)
        .describe('Rules; the first that matches an alert goes for it')
        .prefault([])
        .superRefine((rules, context) => {
          for (const [index, { name }] of rules.entries()) {
            if (rules.findIndex((other) => other.name === name) < index)
              context.addIssue({
                code: 'custom',
                path: [index, 'name'],
                message: `another rule is named "${name}"`,
                input: name,
              });
          }
        }),
      storm: settings(
        z
          .strictObject({
            groups: count(
              'New groups of one source that are investigated each by itself',
              1,
              10_000,
            ).prefault(20),
            within: duration('… within this time', '1s').prefault('5m'),
            wait: duration('How long the one session about the rest waits for more', '0s').prefault('30s'),
          })
          .describe('When many groups come at once, those beyond the limit are investigated as one'),
      ).prefault({}),
      canary: settings(
        z
          .strictObject({
            every: duration('How often an alert is sent through source, queue, worker, model and tool', '1s'),
            within: duration('By when its investigation is to have ended', '1s').prefault('5m'),
            alert_type: reference(
              'Alert type of it, and so the chain; default: defaults.alert_type',
            ).optional(),
          })
          .describe('An alert that TARSy sends to itself, to show that alerts are investigated'),
      ).optional(),
      stale_after: duration(
        'An alert that is not told of for so long counts as over; at least three times the longest gap between its deliveries',
        '1m',
      ).prefault('24h'),
    })
    .describe('Alerts that monitoring systems send'),
);
