import type { ClaimStatus, FallbackReason, Verdict } from '../../db/enums.ts';
import type { ReviewChange, SessionSnapshot } from './engine.ts';

/** The outcomes of a session whose worker was lost. */
export const LEASE_OUTCOMES = ['REQUEUED', 'FAILED', 'CANCELLED'] as const;

/** Counters for operators. Labels come from the configuration or fixed lists, so that the number of series is bounded. */
export interface EngineMetrics {
  sessionSubmitted(session: SessionSnapshot): void;
  /** A worker claimed it for the first time. `waitMs`: the time since its submission (ms). */
  sessionBegan(session: SessionSnapshot, waitMs: number): void;
  sessionEnded(session: SessionSnapshot): void;
  /** A session whose worker was lost was requeued or ended. */
  leaseRecovered(outcome: (typeof LEASE_OUTCOMES)[number]): void;
  /** A user acted on a review. `rating`: that of the session afterwards. */
  reviewed(action: ReviewChange['action'], rating: ReviewChange['rating']): void;
  /** A score ended. `total`: the points of the judge; `null` if it gave none. */
  scored(outcome: 'COMPLETED' | 'FAILED', total: number | null): void;
  /** The making of a report ended. */
  reported(report: ReportMetrics): void;
  modelCalled(call: ModelCallMetrics): void;
  toolCalled(call: ToolCallMetrics): void;
  /** A run fell back to another provider. `from`, `to`: names in the configuration. */
  fellBack(from: string, to: string, reason: FallbackReason): void;
  /** The circuit of a provider opened, because it is unavailable, or closed. */
  circuitOpen(provider: string, open: boolean): void;
  /** The used share of a budget was read; 1 is all of it. @param key alert type, team or source; '' for all sessions */
  budgetRead(budget: string, key: string, share: number): void;
  /** A persisted event reached this process's subscribers `lagMs` after it was written. */
  eventRead(lagMs: number): void;
}

export interface ReportMetrics {
  of: 'INVESTIGATION' | 'ANSWER';
  outcome: 'COMPLETED' | 'FAILED' | 'TIMED_OUT';
  /** The verdict; `null` for answers and for reports that were not made. */
  verdict: Verdict | null;
  /** The time spent in this process (ms). */
  durationMs: number;
  /** True if the model was asked to repair it. */
  repaired: boolean;
  /** The statuses of its claims. */
  statuses: readonly ClaimStatus[];
}

export interface ModelCallMetrics {
  provider: string;
  model: string;
  durationMs: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  /** The price (US dollars); `null` if the price or the tokens are unknown. */
  costUsd: number | null;
  /** The code of the failure; `null` if the call succeeded. */
  errorCode: string | null;
}

export interface ToolCallMetrics {
  /** The MCP server; empty if the model named an unknown tool. */
  server: string;
  tool: string;
  durationMs: number;
  isError: boolean;
}

/** The attributes of a trace span. Must never contain text of an alert, a model or a tool. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/** Opens nested trace spans. */
export interface Tracing {
  /** Traces one attempt at an investigation or an answer. All attempts of a session form one trace. */
  session<T>(sessionId: string, facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  stage<T>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  agent<T>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  /** Starts the span of a model call. A new `iteration` starts a span of its own, to which tool calls belong too. */
  modelCall(iteration: number | null, facts: TraceAttributes): OpenSpan;
  toolCall(facts: TraceAttributes): OpenSpan;
}

export interface OpenSpan {
  /** Ends the span. @param errorCode a stable code; `null` on success */
  end(errorCode: string | null, facts?: TraceAttributes): void;
}

/** Receives metrics and traces of the engine. Implementations must not throw or wait. */
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
