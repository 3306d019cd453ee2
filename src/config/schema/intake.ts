import { z } from 'zod';
import { SOURCE_TYPES, type SourceType } from '../enums.ts';
import { parseFieldPath, parseMappedText } from '../field-path.ts';
import {
  count,
  duration,
  ENTRY_NAME,
  flag,
  headerName,
  list,
  matching,
  namedEntries,
  reference,
  text,
} from './common.ts';
import { ruleSchema } from './intake-rules.ts';
import { mapping, settings } from './settings.ts';
import { WRITE_BACKS_OF, writeBackSchema } from './write-back.ts';

/** Minimum length of a sender's secret (characters), because shorter ones can be guessed. */
const MIN_SECRET_LENGTH = 16;

/** Schema of a secret. Refinements check it, because their error messages do not show the value. */
const secret = (description: string) =>
  z
    .string()
    .describe(description)
    .refine((value) => value.length >= MIN_SECRET_LENGTH, `needs at least ${MIN_SECRET_LENGTH} characters`)
    .refine((value) => /^[\x21-\x7e]+$/.test(value), 'must be ASCII without spaces');

const secrets = (what: string) =>
  list(secret(what), `${what}; each of them is accepted, so that secrets can be rotated without loss`)
    .min(1)
    .max(10);

const lowerCaseHeader = (description: string) =>
  headerName.describe(description).transform((name) => name.toLowerCase());

const fieldPath = (description: string) =>
  z
    .string()
    .describe(description)
    .refine(
      (written) => parseFieldPath(written) !== null,
      'expected a path such as $.alert.name, $.tags["k8s.io/app"] or $.items[*]',
    );

const isSingle = (written: string) => {
  const parsed = parseMappedText(written);
  if (parsed === null) return false;
  const paths = 'path' in parsed ? [parsed.path] : parsed.parts.filter((part) => typeof part !== 'string');
  return !paths.some((path) => path.includes('*'));
};

const mappedText = z
  .string()
  .min(1)
  .refine(
    isSingle,
    'expected a path such as $.alert.name, a text with paths such as "{$.host}: {$.check}", or a text alone; [*] is for the list of alerts only',
  );

const pathOfMap = (description: string) =>
  fieldPath(description).refine(isSingle, '[*] is for the list of alerts only');

/**
 * Schema of how to read one value of an alert: a path, a text with paths in braces, or a constant; or a list to try.
 */
const single = (description: string) =>
  z.union([mappedText, z.array(mappedText).min(1).max(10)]).describe(description);

const genericMapping = mapping({
  alerts: fieldPath('Path of the alerts; [*] stands for each item of a list; default: the body').optional(),
  title: single(
    'Path of the title, relative to the alert like the following ones; a text such as "{$.host}: {$.check}"; or a list whose first entry with a value counts',
  ).optional(),
  severity: single('Path of the severity, such as critical or P1').optional(),
  severities: z
    .record(z.string(), z.enum(['critical', 'error', 'warning', 'info']))
    .describe('Severity by the sender’s word, for words of its own, such as "1": critical')
    .optional(),
  state: single('Path of the state, such as firing or resolved').optional(),
  resolved_values: list(
    text('Value of the state'),
    'Values of the state that mean resolved; * stands for any text. Default: resolved, ok, closed and similar',
  ).optional(),
  ignored_values: list(
    text('Value of the state'),
    'Values of the state that are no alert, such as acknowledgements; * stands for any text',
  ).optional(),
  fingerprint: single(
    'Path of an id that is equal in all deliveries of an alert; default: made of title and mapped labels, else of the content',
  ).optional(),
  group: single(
    'Path of the group key; alerts with equal keys are investigated together. Default: each alert alone',
  ).optional(),
  episode: single('Path of the id of one firing period').optional(),
  object: single('Path of the id of the object, such as an incident, that write_back writes to').optional(),
  starts_at: single('Path of the start time').optional(),
  ends_at: single('Path of the end time').optional(),
  reported_at: single('Path of the time of the report, which tells late reports from new ones').optional(),
  url: single('Path of the link to the alert in the source').optional(),
  labels: z
    .union([pathOfMap('Path of a mapping of labels'), z.record(z.string(), single('Path of one label'))])
    .describe('Path of a mapping of labels, or a path for each label; default: the short values of the alert')
    .optional(),
  annotations: z
    .union([
      pathOfMap('Path of a mapping of annotations'),
      z.record(z.string(), single('Path of one annotation')),
    ])
    .describe('Path of a mapping of annotations, or a path for each annotation; default: the whole alert')
    .optional(),
}).describe('Type generic: how an alert’s JSON is read; paths, joined texts or constants');

const sourceKeys = z.strictObject({
  type: z.enum(SOURCE_TYPES).describe('Sending system, which decides the format'),
  alert_type: reference(
    'Alert type of its alerts, unless a rule sets another; default: defaults.alert_type',
  ).optional(),
  tokens: secrets('Tokens that deliveries carry').optional(),
  api_tokens: flag('Accept API tokens with the scope SUBMIT_ALERTS, but never in the URL').optional(),
  token_header: lowerCaseHeader('Header that carries the token; default: Authorization').optional(),
  tokens_in_url: flag(
    'Accept tokens in the URL (?token=); only for senders that cannot set a header',
  ).prefault(false),
  basic: z
    .strictObject({ username: text('User name'), passwords: secrets('Passwords') })
    .describe('HTTP basic authentication of deliveries')
    .optional(),
  signature: mapping({
    secrets: secrets('Secrets that deliveries are signed with'),
    header: lowerCaseHeader('Header of the signature; default: that of the type').optional(),
    timestamp_header: lowerCaseHeader('Header of the signed time (seconds since 1970)').optional(),
  })
    .describe('HMAC-SHA256 signature over the body')
    .optional(),
  topic_arns: list(
    matching(
      /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}(?:\.fifo)?$/,
      'expected the ARN of an SNS topic',
    ),
    'Type cloudwatch: SNS topics whose signed messages are accepted',
  )
    .min(1)
    .optional(),
  verification: z
    .enum(['none'])
    .describe(
      'none: deliveries of this source are not authenticated; every client that reaches the server can send',
    )
    .optional(),
  insufficient_data: z
    .enum(['ignore', 'fire'])
    .describe('Type cloudwatch: handling of alarms without data')
    .prefault('ignore'),
  mapping: genericMapping.optional(),
  write_back: writeBackSchema.optional(),
});

/** Default signature headers by source type. PagerDuty and Sentry sign no time: timestamp_header would refuse them. */
const SIGNATURE_HEADERS: Readonly<Partial<Record<SourceType, string>>> = {
  grafana: 'x-grafana-alerting-signature',
  pagerduty: 'x-pagerduty-signature',
  sentry: 'sentry-hook-signature',
  flux: 'x-signature',
  github: 'x-hub-signature-256',
  jira: 'x-hub-signature',
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

function writeBackProblem({ type, mapping, write_back: writeBack }: Written): string | null {
  if (!writeBack || type === undefined) return null;
  const kinds = WRITE_BACKS_OF[type] ?? [];
  if (kinds.length === 0)
    return `is not possible for sources of type ${type}, which name no object to write to; use type generic with mapping.object`;
  if (!kinds.includes(writeBack.kind))
    return `of kind ${writeBack.kind} does not fit sources of type ${type}; use ${kinds.join(' or ')}`;
  return type === 'generic' && !mapping?.object
    ? 'needs mapping.object, the path of the id of the object to write to'
    : null;
}

const source = settings(
  sourceKeys,
  [
    'verification',
    (source) => {
      const proofs = proofsOf(source);
      if (source.verification === 'none' && proofs.length > 0)
        return 'conflicts with the configured authentication; remove one of them';
      return source.verification === undefined && proofs.length === 0
        ? 'is required for a source without tokens, api_tokens, basic, signature and topic_arns; set none to accept every sender'
        : null;
    },
  ],
  ['write_back', writeBackProblem],
  ['topic_arns', (source) => onlyFor('cloudwatch', source.topic_arns, source)],
  ['mapping', (source) => onlyFor('generic', source.mapping, source)],
  [
    'signature',
    ({ type, signature }) =>
      type !== undefined && signature !== undefined && signature.header === null && !SIGNATURE_HEADERS[type]
        ? `needs a header: ${type} has no default one`
        : null,
  ],
  [
    'tokens_in_url',
    ({ tokens_in_url: inUrl, tokens }) => (inUrl === true && tokens === undefined ? 'needs tokens' : null),
  ],
).transform(({ verification: _, ...source }) => ({
  ...source,
  tokens: source.tokens ?? [],
  apiTokens: source.apiTokens ?? false,
  signature: source.signature && {
    ...source.signature,
    header: source.signature.header ?? SIGNATURE_HEADERS[source.type]!,
  },
}));

/** Source names that TARSy itself uses, for submitAlert and its canary, with the message that refuses each. */
const OWN_SOURCES: Readonly<Record<string, string>> = {
  api: 'is the source of alerts that are submitted as text; choose another name',
  canary: 'is the source of the canary; choose another name',
};

export const intakeSchema = mapping({
  sources: namedEntries(
    ENTRY_NAME,
    source,
    'Senders of alerts by name; each posts to /webhooks/<name>',
  ).superRefine((sources, context) => {
    for (const [name, message] of Object.entries(OWN_SOURCES))
      if (Object.hasOwn(sources, name))
        context.addIssue({ code: 'custom', path: [name], message, input: name });
  }),
  rules: list(ruleSchema, 'Rules; the first that matches an alert applies').prefault([]),
  storm: mapping({
    groups: count(1, 10_000)
      .describe('Number of new groups of one source that are investigated separately')
      .prefault(20),
    within: duration('Time window in which new groups are counted', '1s').prefault('5m'),
    wait: duration('Time that the session about the remaining groups waits for more', '0s').prefault('30s'),
  })
    .describe('Alert storms: new groups beyond the limit are investigated together in one session')
    .prefault({}),
  canary: mapping({
    every: duration('Interval between test alerts through source, queue, worker, model and tool', '1s'),
    within: duration('Time within which the investigation must end', '1s').prefault('5m'),
    alert_type: reference(
      'Alert type of the test alert, which selects the chain; default: defaults.alert_type',
    ).optional(),
  })
    .describe('Regular test alert that TARSy sends to itself, to prove that alerts are investigated')
    .optional(),
  stale_after: duration(
    'Time without a delivery after which an alert counts as resolved; use at least three times the longest gap between deliveries',
    '1m',
  ).prefault('24h'),
}).describe('Intake of alerts from monitoring systems');
