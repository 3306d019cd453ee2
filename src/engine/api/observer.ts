import type { ClaimStatus, ConclusionReason, Verdict } from '../../db/enums.ts';
import type { ReviewChange, SessionSnapshot } from './engine.ts';
import type { ModelCallEnd, Tracing } from './tracing.ts';

/** Why an agent fell back to another provider. */
export type FallbackReason =
  | 'REFUSED' // the provider rejects all calls (credentials, quota, address, model)
  | 'BUSY' // unreachable, busy or failing, even after the retries of the LLM service
  | 'SILENT' // the call was accepted, but no answer came
  | 'BROKEN_OFF' // the answer was interrupted
  | 'MALFORMED' // the answer was unusable
  | 'TOO_LONG' // the conversation exceeds the limit even when shortened
  | 'CIRCUIT_OPEN'; // recent calls of this process found the provider unavailable

/** The outcomes of a session whose worker was lost. */
export const LEASE_OUTCOMES = ['REQUEUED', 'FAILED', 'CANCELLED'] as const;

/** Counters for operators. Labels come from the configuration or fixed lists, which bounds the number of series. */
export interface EngineMetrics {
  sessionSubmitted(session: SessionSnapshot): void;
  /** A worker claimed a session for the first time. `waitMs`: time since the session was submitted. */
  sessionBegan(session: SessionSnapshot, waitMs: number): void;
  sessionEnded(session: SessionSnapshot): void;
  leaseRecovered(outcome: (typeof LEASE_OUTCOMES)[number]): void;
  /** `rating`: the session's rating after the action. */
  reviewed(action: ReviewChange['action'], rating: ReviewChange['rating']): void;
  /** `total`: the judge's points; `null` if the judge gave no score. */
  scored(outcome: 'COMPLETED' | 'FAILED', total: number | null): void;
  reported(report: ReportMetrics): void;
  modelCalled(call: ModelCallMetrics): void;
  toolCalled(call: ToolCallMetrics): void;
  /** An agent had to conclude early. */
  concludedEarly(reason: ConclusionReason): void;
  fellBack(from: string, to: string, reason: FallbackReason): void;
  circuitOpen(provider: string, open: boolean): void;
  /** `share`: used share of the budget; 1 is all of it. @param key alert type, team or source; '' for all sessions */
  budgetRead(budget: string, key: string, share: number): void;
  /** `lagMs`: time from the write of an event to this process's subscribers. */
  eventRead(lagMs: number): void;
}

export interface ReportMetrics {
  of: 'INVESTIGATION' | 'ANSWER';
  outcome: 'COMPLETED' | 'FAILED' | 'TIMED_OUT';
  /** `null` for answers and for reports that were not made. */
  verdict: Verdict | null;
  durationMs: number;
  /** True if the model was asked to repair the report. */
  repaired: boolean;
  statuses: readonly ClaimStatus[];
}

interface ModelCallMetrics extends Omit<ModelCallEnd, 'text' | 'toolCalls'> {
  provider: string;
  model: string;
  durationMs: number;
  /** W3C trace context of the call; `null` if calls are not traced. */
  traceparent: string | null;
}

interface ToolCallMetrics {
  /** '' if the model named an unknown tool; `tool` is '' too then. */
  server: string;
  tool: string;
  durationMs: number;
  isError: boolean;
}

/** Receives metrics and traces of the engine. Implementations must not throw or wait. */
export interface Observer {
  readonly metrics: EngineMetrics;
  readonly tracing: Tracing;
}
