import type { CitationStatus, ClaimKind, ClaimStatus } from '../../../../db/enums.ts';

export type { CitationStatus, ClaimKind, ClaimStatus };

/** What is cited: the number of a tool call (its place in the session's timeline), the alert or the runbook. */
export type Source = number | 'ALERT' | 'RUNBOOK';

export interface Citation {
  source: Source;
  /** Word for word, as the model gave it: untrusted. */
  quote: string;
}

export interface Claim {
  kind: ClaimKind;
  /** Untrusted. */
  text: string;
  /** The model says that the claim is about something that is not there. */
  absence: boolean;
  citations: readonly Citation[];
}

/** A tool call with the whole of its result as it is stored: masked, never a summary. */
export interface ToolOutput {
  /** Its place in the session's timeline. */
  number: number;
  server: string;
  tool: string;
  /** As they are kept: masked. */
  arguments: unknown;
  text: string;
  succeeded: boolean;
  /** The tool answered, in its own terms, that what it was asked for does not exist. */
  notFound: boolean;
  /** The operator marked the tool: its results are what strangers wrote. */
  untrusted: boolean;
}

export interface CheckInput {
  claims: readonly Claim[];
  outputs: readonly ToolOutput[];
  /** The alert as agents got it. */
  alert: string;
  /** Null: there was none. */
  runbook: string | null;
}

/** Why a claim or one of its citations is not as good as it could be. */
export type ProblemCode =
  | 'NOTHING_CITED'
  | 'NO_SUCH_OUTPUT'
  | 'TOOL_FAILED'
  | 'OUTPUT_EMPTY'
  | 'QUOTE_NOT_FOUND'
  | 'QUOTE_TOO_SHORT'
  | 'QUOTE_TOO_LONG'
  | 'QUOTE_SHORTENED'
  | 'QUOTE_CUTS_WORD'
  | 'NEGATION_CUT'
  | 'NEGATION_DIFFERS'
  | 'FIGURE_NOT_QUOTED'
  | 'NAME_NOT_QUOTED'
  | 'TIME_NOT_QUOTED'
  | 'FIGURE_OF_OTHER_NAME'
  | 'ONLY_THE_ALERT_SAYS_SO'
  | 'ABSENCE_NOT_SAID'
  | 'ABSENCE_NOT_LOOKED_FOR'
  | 'ABSENCE_OUTPUT_CUT';

export interface Problem {
  code: ProblemCode;
  /** A sentence for people and for the model: what is wrong and how to mend it. Holds pieces of the claim: untrusted. */
  words: string;
}

export interface CheckedCitation {
  status: CitationStatus;
  /** Null: it holds. */
  problem: Problem | null;
  /** Where the quote stands in the whole output, in UTF-16 code units, end exclusive; null when it does not. */
  start: number | null;
  end: number | null;
}

export interface CheckedClaim {
  status: ClaimStatus;
  /** In the order of the claim's citations. */
  citations: CheckedCitation[];
  /** Those of its citations too. */
  problems: Problem[];
  /** All that it rests on was written by strangers: results of tools that the operator marked. */
  onlyUntrusted: boolean;
}

export interface CheckedReport {
  /** In the order of the claims. */
  claims: CheckedClaim[];
  /** Share of causes and observations that are SUPPORTED, 0 to 1; null when there are none. */
  evidenceScore: number | null;
}
