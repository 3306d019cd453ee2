import type { Queryable } from '../../../db/queryable.ts';
import type { NewAnswerReport, NewReport } from '../../store/reports.ts';
import { readOutputs } from '../tool-outputs/tools.ts';
import type { SubmittedClaims, SubmittedReport } from './schema.ts';
import { excerpt, extractTerms } from './verify/excerpt.ts';
import type { VerifiedReport } from './verify/types.ts';

/**
 * Results of tools that the report is made of: at most this part of what fits into the model's window, and so many UTF-16 code
 * units, 40k tokens at 4 a token. What is cut of them is held against the whole all the same.
 */
export const REPORT_RESULTS_SHARE = 0.5;

export const REPORT_RESULTS_MAX_UNITS = 40_000 * 4;

/** A result as it is put before the model that makes the report. */
export interface ShownOutput {
  number: number;
  /** Whole, or passages of it that say what is missing between them. */
  text: string;
}

/** A tool call of the investigation, whether its result is shown or not. */
export interface ListedCall {
  number: number;
  server: string;
  tool: string;
  /** As they are kept: masked. */
  arguments: string;
  failed: boolean;
  /** About as long as its result is, in UTF-16 code units. */
  units: number;
}

export interface Material {
  /** By number; the latest ones where there are very many. */
  calls: ListedCall[];
  /** By number. */
  outputs: ShownOutput[];
}

/** Calls that are listed and can be shown: more than any model keeps apart. */
const MAX_CALLS = 200;

/** Less of a result than this proves nothing. */
const LEAST_UNITS = 400;

/** Most of a result that the analysis does not cite: it may matter, and is not known to. */
const UNCITED_UNITS = 8_000;

/**
 * What a report is made of besides the analysis: the results themselves, not what agents were shown of them. First those that
 * the analysis cites, then the latest.
 * @param budgetUnits of all results together, in UTF-16 code units
 * @param question index of the stage that answers one: then its calls count, and those for the questions before; else those for none
 */
export async function readMaterial(
  db: Queryable,
  sessionId: string,
  analysis: string,
  budgetUnits: number,
  question = 0,
): Promise<Material> {
  const calls = await listCalls(db, sessionId, question);
  const shares = allocateUnits(calls, citedIn(analysis), budgetUnits);
  const outputs = await readOutputs(db, sessionId, [...shares.keys()]);
  const terms = extractTerms(analysis);
  return {
    calls,
    outputs: outputs.map(({ number, text }) => ({ number, text: excerpt(text, shares.get(number)!, terms) })),
  };
}

/** Numbers by which the analysis cites results, in its order. */
function citedIn(analysis: string): Set<number> {
  return new Set([...analysis.matchAll(/\bT(\d{1,9})\b/g)].map(([, number]) => Number(number)));
}

/**
 * How much of each result is shown, by its number. Those that are cited share all of the budget, where each short one leaves its
 * rest to the others; then come the latest of the others.
 */
export function allocateUnits(
  calls: readonly Pick<ListedCall, 'number' | 'units'>[],
  cited: ReadonlySet<number>,
  budgetUnits: number,
): Map<number, number> {
  const there = calls.filter(({ units }) => units > 0);
  const shares = new Map<number, number>();
  let left = budgetUnits;
  const give = (number: number, units: number) => {
    shares.set(number, units);
    left -= units;
  };
  const first = there.filter(({ number }) => cited.has(number)).sort((a, b) => a.units - b.units);
  for (const [index, { number, units }] of first.entries())
    give(number, Math.min(units, Math.floor(left / (first.length - index))));
  const rest = there.filter(({ number }) => !cited.has(number)).sort((a, b) => b.number - a.number);
  for (const { number, units } of rest)
    if (left >= LEAST_UNITS) give(number, Math.min(units, UNCITED_UNITS, left));
  return shares;
}

async function listCalls(db: Queryable, sessionId: string, question: number): Promise<ListedCall[]> {
  const { rows } = await db.query<ListedCall>(
    `select t.sequence_number as number, coalesce(t.metadata ->> 'server_name', '') as server,
       coalesce(t.metadata ->> 'tool_name', '') as tool, coalesce(t.metadata ->> 'arguments', '') as arguments,
       t.status <> 'COMPLETED' as failed, greatest(coalesce(m.units, 0), length(t.content)) as units
     from timeline_events t join stages s on s.id = t.stage_id and (s.type <> 'CHAT' or s.index <= $2)
     left join lateral (
       select length(m.result ->> 'content') as units from mcp_interactions m where m.execution_id = t.execution_id
         and m.type = 'TOOL_CALL' and m.tool_call_id = t.metadata ->> 'tool_call_id' order by m.id desc limit 1) m on true
     where t.session_id = $1 and t.type = 'LLM_TOOL_CALL' and t.status <> 'STREAMING'
     order by t.sequence_number desc limit ${MAX_CALLS}`,
    [sessionId, question],
  );
  return rows.reverse();
}

/** The results that the model is shown, as data. */
export function toTaskOutputs({ calls, outputs }: Material) {
  const byNumber = new Map(calls.map((call) => [call.number, call]));
  return outputs.map(({ number, text: content }) => {
    const { server, tool, arguments: args, failed } = byNumber.get(number)!;
    return { number, tool: `${server}.${tool}`, arguments: args, content, failed };
  });
}

/** A report with what the check found, as it is kept. */
export function toStoredReport(report: SubmittedReport, checked: VerifiedReport): NewReport {
  const { verdict, headline, confidence, entities } = report;
  return {
    ...{ verdict, headline, confidence, entities: [...new Set(entities)] },
    evidenceScore: checked.evidenceScore,
    claims: claimsOf(report, checked),
  };
}

/** What an answer claims: advice and what it did not find out stand in its text, and nothing could prove them. */
export function toStoredClaims(
  given: SubmittedClaims,
  checked: VerifiedReport,
): Omit<NewAnswerReport, 'stageId'> {
  const claims = claimsOf(given, checked).filter(({ status }) => status !== 'NOT_CHECKABLE');
  return { evidenceScore: checked.evidenceScore, claims };
}

function claimsOf(given: SubmittedClaims, checked: VerifiedReport): NewReport['claims'] {
  return given.claims.map(({ kind, text, absence, citations }, index) => {
    const { status, problems, onlyUntrusted, citations: found } = checked.claims[index]!;
    return {
      ...{ kind, text, absence, status, onlyUntrusted },
      problem: problems.map(({ message }) => message).join(' ') || null,
      citations: citations.map((citation, at) => {
        const { problem, ...rest } = found[at]!;
        return { ...citation, ...rest, problem: problem?.message ?? null };
      }),
    };
  });
}
