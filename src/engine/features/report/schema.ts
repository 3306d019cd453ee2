import { z } from 'zod';
import { CLAIM_KINDS, VERDICTS } from '../../../db/enums.ts';
import type { Source } from './verify/types.ts';

/** Maximum lengths (UTF-16 code units) and counts. A longer report is rejected, not cut. */
const MAX = { headline: 200, text: 1000, quote: 2000, entity: 200, entities: 20, claims: 40, citations: 8 };
const MAX_LABELS = 100;
const MAX_FACT = { subject: 200, attribute: 200, value: 500, unit: 50, window: 200, filter: 300, facts: 12 };
const MAX_REPORT_UNITS = 300_000;

const SOURCE = /^\[?(?:T(\d{1,9})|ALERT|RUNBOOK)\]?$/;

export const citationSchema = z.object({
  source: z.string().regex(SOURCE).describe('Number of the tool result, such as T12, or ALERT or RUNBOOK'),
  quote: z
    .string()
    .min(1)
    .max(MAX.quote)
    .describe('One unbroken passage of the source, word for word, 12 to 500 characters'),
});

/**
 * Schema of a text that may be `null`. The JSON schema requires the field, but parsing reads a missing one as
 * `null`.
 */
const orNull = (max: number) => z.string().trim().max(max).nullable().prefault(null);

export const factSchema = z.object({
  subject: z.string().trim().min(1).max(MAX_FACT.subject).describe('Name, as the result writes it'),
  attribute: z
    .string()
    .trim()
    .min(1)
    .max(MAX_FACT.attribute)
    .describe('Field, as the result names it, or absent'),
  value: z.string().trim().max(MAX_FACT.value).describe('As the result writes it; empty with absent'),
  unit: orNull(MAX_FACT.unit),
  negated: z.boolean().prefault(false).describe('True if the subject does not have the value'),
  citation: z.number().int().min(0).describe('Position of the quote in citations, from 0'),
  window: orNull(MAX_FACT.window).describe('With absent: the time range that was searched'),
  filter: orNull(MAX_FACT.filter).describe('With absent: the place that was searched'),
});

const claim = z.object({
  kind: z.enum(CLAIM_KINDS),
  text: z.string().trim().min(1).max(MAX.text).describe('One statement, in one sentence'),
  citations: z.array(citationSchema).max(MAX.citations),
  because: z
    .object({
      cause: z.number().int().min(0).describe('Position of the fact with the time of the cause, from 0'),
      effect: z.number().int().min(0).describe('Position of the fact with the time of the effect, from 0'),
    })
    .nullable()
    .prefault(null)
    .describe('For a CAUSE whose results show both times, else null'),
  // A claim without facts can be parsed, but is not supported.
  facts: z.array(factSchema).max(MAX_FACT.facts).prefault([]).describe('Everything that the sentence states'),
});

const report = z.object({
  verdict: z.enum(VERDICTS),
  headline: z.string().trim().min(1).max(MAX.headline).describe('The problem in one line'),
  confidence: z.number().min(0).max(1).describe('Probability that the cause is right, from 0 to 1'),
  entities: z
    .array(z.string().trim().min(1).max(MAX.entity))
    .max(MAX.entities)
    .describe('Affected entities, such as Deployment payments/api'),
  // Unknown labels are dropped later, because a report is not sent back for a label.
  labels: z.array(z.string().max(MAX.entity)).max(MAX_LABELS).prefault([]),
  claims: z.array(claim).min(1).max(MAX.claims),
});

const answer = report.pick({ claims: true });

/** A report as a model submits it: untrusted and not verified. */
export type SubmittedReport = Omit<z.output<typeof report>, 'claims'> & {
  claims: (Omit<z.output<typeof claim>, 'citations'> & { citations: { source: Source; quote: string }[] })[];
};

export type SubmittedClaims = Pick<SubmittedReport, 'claims'>;

/** A function that a model calls to submit its result. All fields of its schema are required; others are rejected. */
export interface SubmitTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** @param vocabulary descriptions of the operator's labels by name; without any, the report has no labels */
export function submitReportTool(vocabulary: Readonly<Record<string, { description: string }>>): SubmitTool {
  const names = Object.keys(vocabulary);
  const meanings = Object.entries(vocabulary).map(([name, { description }]) => `${name}: ${description}`);
  const labels = z.array(z.enum(names)).max(MAX_LABELS);
  const schema =
    names.length === 0
      ? report.omit({ labels: true })
      : report.extend({
          labels: labels.describe(`The labels that apply, maybe none. ${meanings.join('; ')}`),
        });
  return submitTool('submit_report', 'Submits the report of the incident.', schema);
}

export function submitClaimsTool(): SubmitTool {
  return submitTool('submit_claims', 'Submits the claims of the answer.', answer);
}

export function submitTool(name: string, description: string, schema: z.ZodObject): SubmitTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema.strict(), { target: 'draft-7' });
  return { name, description, inputSchema };
}

export type ReportErrorCode = 'REPORT_TOO_LONG' | 'REPORT_NOT_JSON' | 'REPORT_INVALID';

/** A submitted report that cannot be parsed. The message is for people and the model. */
export class ReportError extends Error {
  override name = 'ReportError';
  readonly code: ReportErrorCode;

  constructor(code: ReportErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const MAX_PROBLEMS = 10;

/** Parses a submitted report: the function's arguments, or a text with one JSON object. @throws ReportError */
export function parseReport(text: string): SubmittedReport {
  const parsed = parseAs(report, text);
  return { ...parsed, claims: parsed.claims.map(withSources) };
}

export function parseClaims(text: string): SubmittedClaims {
  return { claims: parseAs(answer, text).claims.map(withSources) };
}

function withSources(submitted: z.output<typeof claim>): SubmittedClaims['claims'][number] {
  return { ...submitted, ...toProof(submitted) };
}

interface SubmittedProof {
  citations: readonly z.output<typeof citationSchema>[];
  facts: readonly z.output<typeof factSchema>[];
}

/** Converts the submitted citations and facts of a statement to the form that the verification reads. */
export function toProof({ citations, facts }: SubmittedProof) {
  return {
    citations: citations.map(({ source, quote }) => ({ source: parseSource(source), quote })),
    facts: facts.map(({ unit, window, filter, ...fact }) => ({
      ...fact,
      ...{ unit: unit || null, window: window || null, filter: filter || null },
    })),
  };
}

function parseAs<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  if (text.length > MAX_REPORT_UNITS)
    throw new ReportError('REPORT_TOO_LONG', `The report is longer than ${MAX_REPORT_UNITS} characters.`);
  const json = parseJsonObject(text);
  if (json === undefined) throw new ReportError('REPORT_NOT_JSON', 'The report is not one JSON object.');
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new ReportError('REPORT_INVALID', describeIssues(parsed.error, 'the report'));
  return parsed.data;
}

/** Parses the JSON object in a text; `undefined` if there is none. */
export function parseJsonObject(text: string): unknown {
  const start = text.indexOf('{');
  try {
    return start < 0 ? undefined : JSON.parse(text.slice(start, text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

export function describeIssues({ issues }: z.ZodError, root: string): string {
  const lines = issues.map(({ path, message }) => `${path.map(String).join('.') || root}: ${message}`);
  return lines.slice(0, MAX_PROBLEMS).join('\n');
}

function parseSource(source: string): Source {
  const number = SOURCE.exec(source)?.[1];
  if (number !== undefined) return Number(number);
  return source.includes('ALERT') ? 'ALERT' : 'RUNBOOK';
}
