import type { StoredCitation, StoredFact } from '../../../db/entities/index.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { LlmSettings } from '../../model/client.ts';
import { promptUnits } from '../../model/context-window/window.ts';
import type { Replica } from '../../store/hypotheses.ts';
import type { NewAnswerReport, NewReport } from '../../store/reports.ts';
import { readOutputs } from '../tool-outputs/tools.ts';
import { agreementOf } from './agreement.ts';
import type { SubmittedClaims, SubmittedReport } from './schema.ts';
import { excerpt, extractTerms } from './verify/excerpt.ts';
import type { Claim, ClaimedFact, VerifiedClaim, VerifiedReport } from './verify/types.ts';

export interface ListedCall {
  number: number;
  server: string;
  tool: string;
  /** Masked. */
  arguments: string;
  failed: boolean;
  /** Approximate length of the result (UTF-16 code units). */
  units: number;
}

export interface Material {
  calls: ListedCall[];
  outputs: { number: number; text: string }[];
}

/**
 * Share of the prompt for tool results, and its maximum (UTF-16 code units). Quotes are later verified
 * against the complete results.
 */
const RESULTS_SHARE = 0.5;
const MAX_RESULTS_UNITS = 40_000 * 4;

const MAX_CALLS = 200;

/**
 * Remaining budget (UTF-16 code units) below which uncited results get no excerpt, because a shorter one
 * proves little.
 */
const MIN_UNITS = 400;

const MAX_UNCITED_UNITS = 8_000;

interface MaterialQuery {
  sessionId: string;
  analysis: string;
  llm: LlmSettings;
  /**
   * Stage index of a chat answer. Tool calls of chat stages up to this one are included; by default (0) none
   * are.
   */
  stageIndex?: number | undefined;
}

/** Reads the original tool results behind an analysis: those that it cites first, then the latest. */
export async function readMaterial(
  db: Queryable,
  { sessionId, analysis, llm, stageIndex = 0 }: MaterialQuery,
): Promise<Material> {
  const calls = await listCalls(db, sessionId, stageIndex);
  const cited = new Set([...analysis.matchAll(/\bT(\d{1,9})\b/g)].map(([, number]) => Number(number)));
  const budget = Math.floor(Math.min(MAX_RESULTS_UNITS, promptUnits(llm) * RESULTS_SHARE));
  const shares = allocateUnits(calls, cited, budget);
  const outputs = await readOutputs(db, sessionId, [...shares.keys()]);
  const terms = extractTerms(analysis);
  return {
    calls,
    outputs: outputs.map(({ number, text }) => ({ number, text: excerpt(text, shares.get(number)!, terms) })),
  };
}

/** Divides a budget (UTF-16 code units): cited results share it equally, and the latest others get the rest. */
export function allocateUnits(
  calls: readonly Pick<ListedCall, 'number' | 'units'>[],
  cited: ReadonlySet<number>,
  budget: number,
): Map<number, number> {
  const withResult = calls.filter(({ units }) => units > 0);
  const shares = new Map<number, number>();
  let left = budget;
  const allocate = (number: number, units: number) => {
    shares.set(number, units);
    left -= units;
  };
  const first = withResult.filter(({ number }) => cited.has(number)).sort((a, b) => a.units - b.units);
  for (const [index, { number, units }] of first.entries())
    allocate(number, Math.min(units, Math.floor(left / (first.length - index))));
  const rest = withResult.filter(({ number }) => !cited.has(number)).sort((a, b) => b.number - a.number);
  for (const { number, units } of rest)
    if (left >= MIN_UNITS) allocate(number, Math.min(units, MAX_UNCITED_UNITS, left));
  return shares;
}

async function listCalls(db: Queryable, sessionId: string, stageIndex: number): Promise<ListedCall[]> {
  const { rows } = await db.query<ListedCall>(
    prepared(`select t.sequence_number as number, coalesce(t.metadata ->> 'server_name', '') as server,
       coalesce(t.metadata ->> 'tool_name', '') as tool, coalesce(t.metadata ->> 'arguments', '') as arguments,
       t.status <> 'COMPLETED' as failed, greatest(coalesce(m.units, 0), length(t.content)) as units
     from timeline_events t join stages s on s.id = t.stage_id and (s.type <> 'CHAT' or s.index <= $2)
     left join lateral (
       select length(m.result ->> 'content') as units from mcp_interactions m where m.session_id = $1 and m.execution_id = t.execution_id
         and m.type = 'TOOL_CALL' and m.tool_call_id = t.metadata ->> 'tool_call_id' order by m.id desc limit 1) m on true
     where t.session_id = $1 and t.type = 'LLM_TOOL_CALL' and t.status <> 'STREAMING'
     order by t.sequence_number desc limit ${MAX_CALLS}`),
    [sessionId, stageIndex],
  );
  return rows.reverse();
}

export function toTaskOutputs({ calls, outputs }: Material) {
  const byNumber = new Map(calls.map((call) => [call.number, call]));
  return outputs.map(({ number, text: content }) => {
    const { server, tool, arguments: args, failed } = byNumber.get(number)!;
    return { number, tool: `${server}.${tool}`, arguments: args, content, failed };
  });
}

interface StoredReportOptions {
  /** Labels that the operator configured. Others are dropped. */
  vocabulary: readonly string[];
  replicas: readonly Replica[];
}

/** Returns the report to store. If replicas disagree, the confidence is at most the share of those that agree. */
export function toStoredReport(
  report: SubmittedReport,
  verified: VerifiedReport,
  { vocabulary, replicas }: StoredReportOptions,
): NewReport {
  const { verdict, headline, entities, labels } = report;
  const claims = claimsOf(report, verified);
  const agreement = agreementOf(claims, replicas);
  const share = agreement === null ? 1 : agreement.agreeing / agreement.runs;
  const confidence = Math.min(report.confidence, share);
  return {
    ...{ verdict, headline, confidence, entities: [...new Set(entities)] },
    labels: vocabulary.filter((label) => labels.includes(label)),
    evidenceScore: verified.evidenceScore,
    agreement,
    claims,
  };
}

/** Returns the claims to store with a chat answer. Drops advice and gaps, because they cannot be verified. */
export function toStoredClaims(
  submitted: SubmittedClaims,
  verified: VerifiedReport,
): Omit<NewAnswerReport, 'stageId'> {
  const claims = claimsOf(submitted, verified).filter(({ status }) => status !== 'NOT_CHECKABLE');
  return { evidenceScore: verified.evidenceScore, claims };
}

const isAbsence = ({ attribute }: ClaimedFact): boolean => attribute === 'absent';

function claimsOf(submitted: SubmittedClaims, verified: VerifiedReport): NewReport['claims'] {
  return submitted.claims.map(({ kind, text, facts, citations }, index) => {
    const { status, problems, onlyUntrusted, ...checks } = verified.claims[index]!;
    return {
      ...{ kind, text, absence: facts.some(isAbsence), status, onlyUntrusted },
      problem: problems.map(({ message }) => message).join(' ') || null,
      ...toStoredProof({ citations, facts }, checks),
    };
  });
}

/** Joins the citations and facts of a statement with the results of their verification. */
export function toStoredProof(
  { citations, facts }: Pick<Claim, 'citations' | 'facts'>,
  checks: Pick<VerifiedClaim, 'citations' | 'facts'>,
): { citations: StoredCitation[]; facts: StoredFact[] } {
  return {
    citations: citations.map((citation, at) => {
      const { problem, ...rest } = checks.citations[at]!;
      return { ...citation, ...rest, problem: problem?.message ?? null };
    }),
    facts: facts.map((fact, at) => {
      const { status, problem } = checks.facts[at]!;
      return { ...fact, status, problem: problem?.message ?? null };
    }),
  };
}
