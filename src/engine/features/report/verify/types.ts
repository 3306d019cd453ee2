import type { StoredFact } from '../../../../db/entities/index.ts';
import type { CitationStatus, ClaimKind, ClaimStatus } from '../../../../db/enums.ts';
import type { Problem } from './problems.ts';

/** A cited source: a tool call (by its sequence number in the session's timeline), the alert or the runbook. */
export type Source = number | 'ALERT' | 'RUNBOOK';

export interface Citation {
  source: Source;
  /** Verbatim passage as the model gave it: untrusted. */
  quote: string;
}

/** One checkable statement of a claim: in the cited quote, the subject has this value for the attribute. */
export type ClaimedFact = Readonly<Omit<StoredFact, 'status' | 'problem'>>;

export interface Claim {
  kind: ClaimKind;
  text: string;
  facts: readonly ClaimedFact[];
  citations: readonly Citation[];
  /** Indexes (from 0) of the facts with the times of a cause and of its effect; `null` if the claim names no times. */
  because?: { cause: number; effect: number } | null;
}

/** A tool call with its whole stored result: masked, never a summary. */
export interface ToolOutput {
  number: number;
  server: string;
  tool: string;
  arguments: unknown;
  text: string;
  succeeded: boolean;
  /** True if the tool answered, in the terms of its API, that the requested object does not exist. */
  notFound: boolean;
  /** True if the operator marked the tool as untrusted, because outsiders can write into its results. */
  untrusted: boolean;
}

export interface VerifyReportInput {
  claims: readonly Claim[];
  outputs: readonly ToolOutput[];
  alert: string;
  runbook: string | null;
}

export interface VerifiedCitation {
  status: CitationStatus;
  problem: Problem | null;
  /** Position of the quote in the whole output, in UTF-16 code units, end exclusive; `null` if not found. */
  start: number | null;
  end: number | null;
}

/** SUPPORTED, or UNSUPPORTED with the reason. */
export interface VerifiedFact {
  status: ClaimStatus;
  problem: Problem | null;
}

export interface VerifiedClaim {
  status: ClaimStatus;
  citations: VerifiedCitation[];
  /** In the order of the claim's facts. */
  facts: VerifiedFact[];
  /** Problems of the claim, of its citations or of its facts. */
  problems: Problem[];
  /**
   * True if a fact is shown only by the result of an untrusted tool. In a claim without facts, true if all
   * cited results are of such tools.
   */
  onlyUntrusted: boolean;
}

export interface VerifiedReport {
  claims: VerifiedClaim[];
  /** Share of causes and observations that are SUPPORTED, 0–1; `null` if the report has none. */
  evidenceScore: number | null;
}
