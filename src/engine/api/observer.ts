import type { ClaimStatus, FallbackReason, Verdict } from '../../db/enums.ts';
import type { ReviewChange, SessionSnapshot } from './engine.ts';

/** Outcomes of a session whose worker was lost. */
export const LEASE_OUTCOMES = ['REQUEUED', 'FAILED', 'CANCELLED'] as const;

/** Metrics for operators. Labels come from the configuration or a fixed list, so the number of series is bounded. */
export interface EngineMetrics {
  sessionSubmitted(session: SessionSnapshot): void;
  /** A worker claimed the session for the first time, `waitMs` after its submission. */
  sessionBegan(session: SessionSnapshot, waitMs: number): void;
  sessionEnded(session: SessionSnapshot): void;
  /** A session whose worker was lost was requeued or ended. */
  leaseRecovered(outcome: (typeof LEASE_OUTCOMES)[number]): void;
  /** A reviewer changed a session's review; `rating` is the resulting rating. */
  reviewed(action: ReviewChange['action'], rating: ReviewChange['rating']): void;
  /** An investigation was scored; `total` is its points, `null` if scoring failed. */
  scored(outcome: 'COMPLETED' | 'FAILED', total: number | null): void;
  /** A report was written or failed. */
  reported(report: ReportMetrics): void;
  modelCalled(call: ModelCallMetrics): void;
  toolCalled(call: ToolCallMetrics): void;
  /** An agent fell back to another provider. Both are configured names. */
  fellBack(from: string, to: string, reason: FallbackReason): void;
  /** A provider's circuit opened (unavailable, not called for a while) or closed. */
  circuitOpen(provider: string, open: boolean): void;
  /** The used share of a budget; 1 = all. @param key alert type, team or source; '' for the scope of everything */
  budgetRead(budget: string, key: string, share: number): void;
  /** A persisted event reached this process's subscribers `lagMs` after it was written. */
  eventRead(lagMs: number): void;
}

export interface ReportMetrics {
  of: 'INVESTIGATION' | 'ANSWER';
  outcome: 'COMPLETED' | 'FAILED' | 'TIMED_OUT';
  /** `null` for answers and failed reports. */
  verdict: Verdict | null;
  /** Duration of this process's part. */
  durationMs: number;
  /** True if the model was asked to repair it. */
  repaired: boolean;
  /** Status of each claim. */
  statuses: readonly ClaimStatus[];
}

export interface ModelCallMetrics {
  provider: string;
  model: string;
  durationMs: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  /** `null` if the price or the token count is unknown. */
  costUsd: number | null;
  /** Code of the failure; `null` if the call succeeded. */
  errorCode: string | null;
}

export interface ToolCallMetrics {
  /** Empty if the model named an unknown tool. */
  server: string;
  tool: string;
  durationMs: number;
  isError: boolean;
}

/** Names and numbers that describe a span; never text of an alert, a model or a tool. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/** Nested spans of a trace. */
export interface Tracing {
  /** One attempt at an investigation or answer. All attempts of a session form one trace. */
  session<T>(sessionId: string, facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  stage<T>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  agent<T>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  /** A model call. The first call with an iteration number opens that iteration's span; its tool calls belong to it. */
  modelCall(iteration: number | null, facts: TraceAttributes): OpenSpan;
  toolCall(facts: TraceAttributes): OpenSpan;
}

export interface OpenSpan {
  /** @param errorCode a stable code; `null` if it succeeded */
  end(errorCode: string | null, facts?: TraceAttributes): void;
}

/** Receives the engine's metrics and spans. No method may throw or block. */
export interface Observer {
  readonly metrics: EngineMetrics;
  readonly tracing: Tracing;
}

const NO_SPAN: OpenSpan = { end() {} };

/** Tracing that does nothing. */
export const NO_TRACING: Tracing = {
  session: (_id, _facts, work) => work(),
  stage: (_facts, work) => work(),
  agent: (_facts, work) => work(),
  modelCall: () => NO_SPAN,
  toolCall: () => NO_SPAN,
};
