import type { ClaimStatus, FallbackReason, Verdict } from '../../db/enums.ts';
import type { ReviewChange, SessionSnapshot } from './engine.ts';

/** What becomes of a session whose worker was lost. */
export const LEASE_OUTCOMES = ['REQUEUED', 'FAILED', 'CANCELLED'] as const;

/** What operators count. Every label comes from the configuration or a fixed list: the numbers of series are bounded. */
export interface EngineMetrics {
  sessionSubmitted(session: SessionSnapshot): void;
  /** A worker took it for the first time; `waitMs` since it was submitted. */
  sessionBegan(session: SessionSnapshot, waitMs: number): void;
  sessionEnded(session: SessionSnapshot): void;
  /** A session whose worker was lost: back to the queue, or at its end. */
  leaseRecovered(outcome: (typeof LEASE_OUTCOMES)[number]): void;
  /** Somebody did something about the review of a session; `rating`: the one that it has then. */
  reviewed(action: ReviewChange['action'], rating: ReviewChange['rating']): void;
  /** A judge was asked; `total`: its points, null when it gave none. */
  scored(outcome: 'COMPLETED' | 'FAILED', total: number | null): void;
  /** A report was made, or not. */
  reported(report: ReportMetrics): void;
  modelCalled(call: ModelCallMetrics): void;
  toolCalled(call: ToolCallMetrics): void;
  /** Another provider took over. Both by their names in the configuration. */
  fellBack(from: string, to: string, reason: FallbackReason): void;
  /** Whether a provider is left alone for a while, because it could not be had. */
  circuitOpen(provider: string, open: boolean): void;
  /** How much of a budget is used: 1 = all. @param key alert type, team or source; '' of everything */
  budgetRead(budget: string, key: string, share: number): void;
  /** A persisted event reached this process's subscribers so long after it was written. */
  eventRead(lagMs: number): void;
}

export interface ReportMetrics {
  of: 'INVESTIGATION' | 'ANSWER';
  outcome: 'COMPLETED' | 'FAILED' | 'TIMED_OUT';
  /** Null: answers have none, and what was not made. */
  verdict: Verdict | null;
  /** Of this process's part of it. */
  durationMs: number;
  /** It went back to the model. */
  repaired: boolean;
  /** Of its claims. */
  statuses: readonly ClaimStatus[];
}

export interface ModelCallMetrics {
  provider: string;
  model: string;
  durationMs: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  /** Null: no price is known, or no tokens were told. */
  costUsd: number | null;
  /** Code of the failure; null = it succeeded. */
  errorCode: string | null;
}

export interface ToolCallMetrics {
  /** Empty when the model named no tool that there is. */
  server: string;
  tool: string;
  durationMs: number;
  isError: boolean;
}

/** Names and figures that describe a piece of work: never text of an alert, a model or a tool. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/** Pieces of work within each other, as a trace shows them. */
export interface Tracing {
  /** One attempt at an investigation, or at an answer; all of one session are one trace. */
  session<T>(sessionId: string, facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  stage<T>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  agent<T>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  /** A call of the model. With a number, the iteration of that number begins when it has not; tool calls belong to it. */
  modelCall(iteration: number | null, facts: TraceAttributes): OpenSpan;
  toolCall(facts: TraceAttributes): OpenSpan;
}

export interface OpenSpan {
  /** @param errorCode a stable code; null = it succeeded */
  end(errorCode: string | null, facts?: TraceAttributes): void;
}

/** How the engine tells what it does to whoever watches. Nothing here may throw or wait. */
export interface Observer {
  readonly metrics: EngineMetrics;
  readonly tracing: Tracing;
}

const NO_SPAN: OpenSpan = { end() {} };

/** Nobody traces. */
export const NO_TRACING: Tracing = {
  session: (_id, _facts, work) => work(),
  stage: (_facts, work) => work(),
  agent: (_facts, work) => work(),
  modelCall: () => NO_SPAN,
  toolCall: () => NO_SPAN,
};
