import { z } from 'zod';
import { VERDICTS } from '../db/enums.ts';

/** Version of the format. Increases with changes that an older version cannot read. */
export const CASE_FORMAT = 1;

/** Largest case: its document as JSON (UTF-8 bytes). */
export const MAX_CASE_BYTES = 8 * 1024 * 1024;
const MAX_TOOLS = 1_000;
/** Longest description of a tool (UTF-16 code units): what the MCP client keeps, with its note about a cut. */
export const MAX_DESCRIPTION_UNITS = 5_000;
export const MAX_CALLS = 5_000;
const MAX_EXPECTED = 50;
const MAX_CAUSES = 200;
const MAX_NOTES_UNITS = 20_000;

/** The name of a case, which is also the name of its folder. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const PART = /^[A-Za-z0-9_-]{1,64}$/;

const line = (max: number) => z.string().trim().min(1).max(max);
const serverName = z.string().regex(PART, 'must be 1 to 64 letters, digits, _ or -');
const lines = z.array(line(500)).max(MAX_EXPECTED);

const expectation = z.strictObject({
  verdict: z.enum(VERDICTS).optional(),
  must_say: lines
    .default([])
    .describe('Regular expressions (RE2, case-insensitive); a claim must match each.'),
  must_not_say: lines
    .default([])
    .describe('Regular expressions (RE2, case-insensitive); no claim may match.'),
  entities: lines.default([]).describe('Entities that the report must name.'),
  min_confidence: z.number().min(0).max(1).optional().describe('Lowest confidence of the report, 0–1.'),
  cause: line(200).optional().describe('The right one of the causes.'),
  causes: z
    .array(line(200))
    .max(MAX_CAUSES)
    .default([])
    .describe('Causes from which the model chooses after the report; empty if the cause is not checked.'),
});

const hint = z.boolean().optional();
const jsonObject = z.record(z.string(), z.unknown());

const value = z.strictObject({
  aliases: z.array(line(100)).max(20).default([]).describe('Other spellings; case does not count.'),
  without: z
    .array(line(100))
    .max(20)
    .default([])
    .describe('Parameters that have no meaning together with this value.'),
});

const tool = z.strictObject({
  server: serverName,
  name: serverName,
  description: z.string().max(MAX_DESCRIPTION_UNITS).default(''),
  input_schema: jsonObject.default({ type: 'object' }),
  annotations: z
    .strictObject({ read_only: hint, destructive: hint, idempotent: hint, open_world: hint })
    .optional(),
  aliases: z
    .record(z.string().max(100), z.string().max(100))
    .optional()
    .describe('Other names of parameters, each with the name in the recording.'),
  values: z
    .record(z.string().max(100), z.record(z.string().max(100), value))
    .optional()
    .describe('Values of parameters, as the recording has them.'),
  display: z
    .array(line(100))
    .max(20)
    .optional()
    .describe(
      'Parameters that change how an answer looks, not what was searched. If a call is not recorded, one that differs only in them answers it.',
    ),
  not_found: z
    .string()
    .max(4_000)
    .optional()
    .describe('Answer of the tool, in a closed world, to a call that is not recorded.'),
});

/** A call with its output, as a document and a file of calls have it. */
export const caseCall = z.strictObject({
  agent: z.string().max(200).default(''),
  server: serverName,
  tool: serverName,
  arguments: jsonObject.default({}),
  partial: z
    .literal(true)
    .optional()
    .describe('True if arguments that this call does not have may have any value.'),
  error: z.boolean().default(false),
  duration_ms: z.int().min(0).default(0),
  output: z.string(),
});

const selection = z.strictObject({
  servers: z.array(z.strictObject({ name: serverName, tools: z.array(z.string()).nullable() })).max(100),
});

const shape = {
  format: z.literal(CASE_FORMAT),
  name: z.string().regex(NAME, 'must be 1 to 100 lower-case letters, digits, dots, - or _'),
  world: z
    .enum(['open', 'closed'])
    .default('open')
    .describe(
      'open: nothing is known about an unrecorded call; closed: its answer is that nothing was found.',
    ),
  alert_type: line(200),
  recorded_at: z.iso.datetime().describe('The time that agents of a replay are told is now.'),
  mcp_selection: selection
    .optional()
    .describe(
      'Servers and tools that agents get; in a closed world also servers that the configuration lacks.',
    ),
  notes: z
    .string()
    .min(1)
    .max(MAX_NOTES_UNITS)
    .optional()
    .describe('Remarks for readers. Agents never see them.'),
  expect: expectation.prefault({}),
  max_unrecorded_calls: z
    .int()
    .min(0)
    .max(MAX_CALLS)
    .default(5)
    .describe('Number of unrecorded calls above which a replay in an open world is inconclusive.'),
  alert: z.string().min(1),
  runbook: z.string().optional(),
  tools: z.array(tool).max(MAX_TOOLS).default([]),
};

/** A case as one document: the form in which the API and the database keep it. */
export const caseDocument = z.strictObject({ ...shape, calls: z.array(caseCall).max(MAX_CALLS).default([]) });

/** The file `case.yaml`. Outputs are files beside it, or short texts in it; many calls are one file beside it. */
export const caseFile = z.strictObject({
  ...shape,
  calls: z
    .array(
      z.strictObject({
        ...caseCall.shape,
        output: z.string().optional(),
        output_file: z
          .string()
          .optional()
          .describe('Path in the folder of the case, such as outputs/001-host.disk.txt.'),
      }),
    )
    .max(MAX_CALLS)
    .default([]),
  calls_file: z
    .string()
    .optional()
    .describe('Path of a file with one call as JSON on each line, instead of calls.'),
});

export type CaseDocument = z.output<typeof caseDocument>;
export type CaseFile = z.output<typeof caseFile>;
export type CaseCall = CaseDocument['calls'][number];
export type CaseTool = CaseDocument['tools'][number];
export type CaseExpectation = CaseDocument['expect'];

/**
 * Returns a document with the keys of mappings in a fixed order, so that equal cases are equal texts. Keys that the
 * format names keep its order; others are sorted.
 */
export function orderedDocument(document: CaseDocument): CaseDocument {
  const parsed = caseDocument.parse(document);
  return {
    ...parsed,
    tools: parsed.tools.map((one) => ({
      ...one,
      input_schema: sorted(one.input_schema) as CaseTool['input_schema'],
      ...(one.aliases && { aliases: sorted(one.aliases) as Record<string, string> }),
      ...(one.values && { values: sorted(one.values) as CaseTool['values'] }),
    })),
    calls: parsed.calls.map((one) => ({
      ...one,
      arguments: sorted(one.arguments) as CaseCall['arguments'],
    })),
  };
}

/** Returns a JSON value with all keys sorted. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
