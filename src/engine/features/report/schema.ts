import { z } from 'zod';
import { CLAIM_KINDS, VERDICTS } from '../../../db/enums.ts';
import type { Source } from './verify/types.ts';

/** In UTF-16 code units, and counts: what is longer is refused, not cut. */
const MAX = { headline: 200, text: 1000, quote: 2000, entity: 200, entities: 20, claims: 40, citations: 8 };
const MAX_REPORT_UNITS = 300_000;

const SOURCE = /^\[?(?:T(\d{1,9})|ALERT|RUNBOOK)\]?$/;

const citation = z.object({
  source: z.string().regex(SOURCE).describe('Number of the tool result, such as T12, or ALERT or RUNBOOK'),
  quote: z
    .string()
    .min(1)
    .max(MAX.quote)
    .describe('One unbroken passage of it, word for word, 12 to 500 characters'),
});

const claim = z.object({
  kind: z.enum(CLAIM_KINDS),
  text: z.string().trim().min(1).max(MAX.text).describe('One statement, in one sentence'),
  absence: z.boolean().describe('True when it says that something is not there'),
  citations: z.array(citation).max(MAX.citations),
});

const report = z.object({
  verdict: z.enum(VERDICTS),
  headline: z.string().trim().min(1).max(MAX.headline).describe('What is wrong, in one line'),
  confidence: z.number().min(0).max(1).describe('How sure the cause is, from 0 to 1'),
  entities: z
    .array(z.string().trim().min(1).max(MAX.entity))
    .max(MAX.entities)
    .describe('What is affected, such as Deployment payments/api'),
  claims: z.array(claim).min(1).max(MAX.claims),
});

const answer = report.pick({ claims: true });

/** As a model hands it in: what it claims is untrusted and not checked yet. */
export type SubmittedReport = Omit<z.output<typeof report>, 'claims'> & {
  claims: (Omit<z.output<typeof claim>, 'citations'> & { citations: { source: Source; quote: string }[] })[];
};

/** … of the answer to a question. */
export type SubmittedClaims = Pick<SubmittedReport, 'claims'>;

/** A function by which a model hands in what it claims. All fields of its schema are required, and no others are allowed. */
export interface SubmitTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export function submitReportTool(): SubmitTool {
  return {
    name: 'submit_report',
    description: 'Hands in the report of the incident.',
    inputSchema: formOf(report),
  };
}

export function submitClaimsTool(): SubmitTool {
  return {
    name: 'submit_claims',
    description: 'Hands in the claims of the answer.',
    inputSchema: formOf(answer),
  };
}

function formOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...form } = z.toJSONSchema(schema.strict(), { target: 'draft-7' });
  return form;
}

export type ReportErrorCode = 'REPORT_TOO_LONG' | 'REPORT_NOT_JSON' | 'REPORT_INVALID';

/** What is wrong with a report that cannot be read, in words that a model can mend it by. */
export class ReportError extends Error {
  override name = 'ReportError';
  readonly code: ReportErrorCode;

  constructor(code: ReportErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Problems that are told at once. */
const MAX_PROBLEMS = 10;

/**
 * Reads a report: the arguments of the function, or a text that holds one JSON object, as models without functions write it.
 * @throws ReportError
 */
export function parseReport(text: string): SubmittedReport {
  const read = readAs(report, text);
  return { ...read, claims: read.claims.map(sourced) };
}

/** Reads the claims of an answer, likewise. @throws ReportError */
export function parseClaims(text: string): SubmittedClaims {
  return { claims: readAs(answer, text).claims.map(sourced) };
}

function sourced({ citations, ...rest }: z.output<typeof claim>): SubmittedClaims['claims'][number] {
  return { ...rest, citations: citations.map(({ source, quote }) => ({ source: sourceOf(source), quote })) };
}

function readAs<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  if (text.length > MAX_REPORT_UNITS)
    throw new ReportError('REPORT_TOO_LONG', `The report is longer than ${MAX_REPORT_UNITS} characters.`);
  const read = schema.safeParse(parsed(text));
  if (!read.success) {
    const lines = read.error.issues
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message }) => `${placeOf(path)}: ${message}`);
    throw new ReportError('REPORT_INVALID', lines.join('\n'));
  }
  return read.data;
}

function parsed(text: string): unknown {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    if (start >= 0) return JSON.parse(text.slice(start, end + 1));
  } catch {
    // said below
  }
  throw new ReportError(
    'REPORT_NOT_JSON',
    'The report is not one JSON object: write nothing else, and close every bracket.',
  );
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the report' : path.map(String).join('.');
}

function sourceOf(source: string): Source {
  const number = SOURCE.exec(source)?.[1];
  if (number !== undefined) return Number(number);
  return source.includes('ALERT') ? 'ALERT' : 'RUNBOOK';
}
