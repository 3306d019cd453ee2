import { z } from 'zod';
import { ON_RESOLVE, SOURCE_TYPES, type SourceType } from '../enums.ts';
import { parseFieldPath } from '../field-path.ts';
import type { GenericMapping, IntakeRule, SignatureConfig } from '../intake-types.ts';
import { compileMatchers, MatcherError } from '../matchers.ts';
import { duration, ENTRY_NAME, named, reference, text, withRules } from './common.ts';

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

const mapping = z
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
  .describe('Type generic: where the parts of an alert stand in its JSON')
  .transform(
    (written): GenericMapping => ({
      alerts: written.alerts ?? null,
      title: written.title ?? null,
      severity: written.severity ?? null,
      state: written.state ?? null,
      fingerprint: written.fingerprint ?? null,
      group: written.group ?? null,
      episode: written.episode ?? null,
      startsAt: written.starts_at ?? null,
      endsAt: written.ends_at ?? null,
      url: written.url ?? null,
      labels: written.labels ?? null,
      annotations: written.annotations ?? null,
      resolvedValues: written.resolved_values ?? null,
    }),
  );

const sourceKeys = z.strictObject({
  type: z.enum(SOURCE_TYPES).describe('Who sends, and so in which form'),
  alert_type: reference(
    'Alert type of its alerts where no rule says another; default: defaults.alert_type',
  ).optional(),
  tokens: secrets('Tokens that deliveries carry').optional(),
  token_header: headerName('Header that carries the token; default: Authorization').optional(),
  tokens_in_url: z
    .boolean()
    .describe('Whether the address may carry the token (?token=): only for senders that can set no header')
    .prefault(false),
  basic: z
    .strictObject({ username: text('Name'), passwords: secrets('Passwords') })
    .describe('HTTP basic authentication')
    .optional(),
  signature: z
    .strictObject({
      secrets: secrets('Secrets that deliveries are signed with'),
      header: headerName('Header of the signature; default: that of the type').optional(),
      timestamp_header: headerName('Header of the signed time, in seconds since 1970').optional(),
    })
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

function proofsOf({ tokens, basic, signature, topic_arns }: Written): unknown[] {
  return [tokens, basic, signature, topic_arns].filter((proof) => proof !== undefined);
}

const onlyFor = (type: SourceType, value: unknown, source: Written) =>
  value !== undefined && source.type !== undefined && source.type !== type
    ? `is for sources of type ${type}, this one is ${source.type}`
    : null;

const source = withRules(
  sourceKeys,
  [
    'verification',
    (source) => {
      const proofs = proofsOf(source);
      if (source.verification === 'none' && proofs.length > 0)
        return 'stands beside a proof; remove one of them';
      return source.verification === undefined && proofs.length === 0
        ? 'is required where a source has no tokens, basic, signature or topic_arns: say none if anyone may send'
        : null;
    },
  ],
  ['topic_arns', (source) => onlyFor('cloudwatch', source.topic_arns, source)],
  ['mapping', (source) => onlyFor('generic', source.mapping, source)],
  [
    'signature',
    ({ type, signature }) =>
      type !== undefined &&
      signature !== undefined &&
      signature.header === undefined &&
      !SIGNATURE_HEADERS[type]
        ? `needs a header: ${type} has no usual one`
        : null,
  ],
  [
    'tokens_in_url',
    ({ tokens_in_url: inUrl, tokens }) => (inUrl === true && tokens === undefined ? 'needs tokens' : null),
  ],
).transform((source) => ({
  type: source.type,
  alertType: source.alert_type ?? null,
  tokens: source.tokens ?? [],
  tokenHeader: source.token_header ?? null,
  tokensInUrl: source.tokens_in_url,
  basic: source.basic ?? null,
  signature: signatureOf(source),
  topicArns: source.topic_arns ?? null,
  insufficientData: source.insufficient_data,
  mapping: source.mapping ?? null,
}));

function signatureOf({ type, signature }: z.output<typeof sourceKeys>): SignatureConfig | null {
  if (signature === undefined) return null;
  return {
    secrets: signature.secrets,
    header: signature.header ?? SIGNATURE_HEADERS[type]!,
    timestampHeader: signature.timestamp_header ?? null,
  };
}

const rule = z
  .strictObject({
    name: text('Of the rule, unique: decisions name it').max(100),
    match: z
      .array(z.string())
      .describe(
        'Conditions on labels in Alertmanager’s syntax, such as namespace=~"prod-.*"; all must hold; source, severity and alert_type are labels too',
      )
      .prefault([])
      .superRefine((matchers, context) => {
        for (const [index, matcher] of matchers.entries()) {
          const problem = problemOf(matcher);
          if (problem !== null)
            context.addIssue({ code: 'custom', path: [index], message: problem, input: matcher });
        }
      }),
    alert_type: reference('Alert type, and so the chain that investigates').optional(),
    severity: z
      .enum(['critical', 'error', 'warning', 'info'])
      .describe('Instead of what the source says')
      .optional(),
    group_by: z
      .array(text('Name of a label'))
      .min(1)
      .describe(
        'Alerts with equal values of these labels are investigated together; default: as the source groups them',
      )
      .optional(),
    group_wait: duration(
      'How long an investigation waits for more alerts of its group; critical ones do not wait; default: 10s',
      '0s',
    ).optional(),
    reinvestigate_after: duration(
      'How long an investigation stands for its group, unless it gets worse; default: 4h',
      '0s',
    ).optional(),
    investigate: z.enum(['never']).describe('never: alerts are kept, but not investigated').optional(),
    on_resolve: z
      .enum(ON_RESOLVE)
      .describe(
        'When the problem ends while it is investigated: tell the agents, stop and conclude, or ignore it; default: tell',
      )
      .optional(),
    investigate_resolved: z
      .boolean()
      .describe('Whether a problem that ends before its investigation begins is investigated all the same')
      .prefault(false),
  })
  .describe('What goes for alerts that match')
  .transform(
    (rule): IntakeRule => ({
      name: rule.name,
      match: rule.match,
      alertType: rule.alert_type ?? null,
      severity: rule.severity ?? null,
      groupBy: rule.group_by ?? null,
      groupWaitMs: rule.group_wait ?? null,
      reinvestigateAfterMs: rule.reinvestigate_after ?? null,
      investigate: rule.investigate ?? null,
      onResolve: rule.on_resolve ?? null,
      investigateResolved: rule.investigate_resolved,
    }),
  );

function problemOf(matcher: string): string | null {
  try {
    compileMatchers([matcher]);
    return null;
  } catch (error) {
    if (error instanceof MatcherError) return error.message;
    throw error;
  }
}

export const intakeSchema = z
  .strictObject({
    sources: named(ENTRY_NAME, source, 'Senders of alerts by name; each sends to /webhooks/<name>'),
    rules: z
      .array(rule)
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
  })
  .describe('Alerts that monitoring systems send');
