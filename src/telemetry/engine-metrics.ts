import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { TERMINAL_SESSION_STATUSES } from '../db/enums.ts';
import { type EngineMetrics, LEASE_OUTCOMES } from '../engine/api/observer.ts';
import type { Bounded } from './registry.ts';
import { reportMetrics } from './report-metrics.ts';

/** Histogram buckets, in seconds unless named otherwise. */
const SESSION_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 2400, 3600];
const WAIT_SECONDS = [0.05, 0.25, 1, 5, 30, 60, 120, 300, 600, 1200, 2400];
const LLM_SECONDS = [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300];
const TOOL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SCORE_POINTS = [10, 20, 34, 45, 59, 70, 80, 90, 100];
const LAG_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Creates the metrics of the engine. */
export function createEngineMetrics(
  registry: Registry,
  bounded: Bounded,
  alertTypes: readonly string[],
): EngineMetrics {
  return {
    ...sessionMetrics(registry, alertTypes),
    ...callMetrics(registry, bounded),
    ...reportMetrics(registry),
  };
}

function sessionMetrics(registry: Registry, alertTypes: readonly string[]) {
  const registers = [registry];
  const submitted = new Counter({
    name: 'tarsy_sessions_submitted_total',
    help: 'Alerts taken.',
    labelNames: ['alert_type'] as const,
    registers,
  });
  const terminal = new Counter({
    name: 'tarsy_sessions_terminal_total',
    help: 'Sessions that ended.',
    labelNames: ['alert_type', 'status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'tarsy_session_duration_seconds',
    help: 'From the start of an investigation to its end.',
    buckets: SESSION_SECONDS,
    registers,
  });
  const wait = new Histogram({
    name: 'tarsy_session_wait_seconds',
    help: 'From the submission of an alert to the start of its investigation.',
    buckets: WAIT_SECONDS,
    registers,
  });
  const recovered = new Counter({
    name: 'tarsy_orphans_recovered_total',
    help: 'Sessions whose lease ran out because their worker was lost, by what became of them.',
    labelNames: ['outcome'] as const,
    registers,
  });
  // Starts each series at 0, because Prometheus sees no increase in a series that begins with its first event.
  for (const outcome of LEASE_OUTCOMES) recovered.inc({ outcome: outcome.toLowerCase() }, 0);
  for (const alert_type of alertTypes)
    for (const status of TERMINAL_SESSION_STATUSES)
      terminal.inc({ alert_type, status: status.toLowerCase() }, 0);
  const reviews = new Counter({
    name: 'tarsy_reviews_total',
    help: 'What people did about reviews, and the rating that the session had then.',
    labelNames: ['action', 'rating'] as const,
    registers,
  });
  const scores = new Counter({
    name: 'tarsy_scores_total',
    help: 'Investigations that a judging model was asked about, by what became of it.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const points = new Histogram({
    name: 'tarsy_score_points',
    help: 'What judging models gave, from 0 to 100.',
    buckets: SCORE_POINTS,
    registers,
  });
  const lag = new Histogram({
    name: 'tarsy_event_lag_seconds',
    help: 'From an event being written to this process reading it for its subscribers.',
    buckets: LAG_SECONDS,
    registers,
  });
  return {
    sessionSubmitted: ({ alertType }) => submitted.inc({ alert_type: alertType }),
    sessionBegan: (_session, waitMs) => wait.observe(Math.max(0, waitMs) / 1000),
    sessionEnded({ alertType, status, startedAt, completedAt }) {
      terminal.inc({ alert_type: alertType, status: status.toLowerCase() });
      if (startedAt && completedAt) duration.observe((completedAt.getTime() - startedAt.getTime()) / 1000);
    },
    leaseRecovered: (outcome) => recovered.inc({ outcome: outcome.toLowerCase() }),
    reviewed: (action, rating) =>
      reviews.inc({ action: action.toLowerCase(), rating: rating?.toLowerCase() ?? 'none' }),
    scored(outcome, total) {
      scores.inc({ outcome: outcome.toLowerCase() });
      if (total !== null) points.observe(total);
    },
    eventRead: (lagMs) => lag.observe(Math.max(0, lagMs) / 1000),
  } satisfies Partial<EngineMetrics>;
}

function callMetrics(registry: Registry, bounded: Bounded) {
  const model = counted(registry, {
    name: 'llm',
    help: 'Calls of language models',
    labelNames: ['provider', 'model'] as const,
    buckets: LLM_SECONDS,
    errorLabels: ['error_code'] as const,
  });
  const tool = counted(registry, {
    name: 'mcp',
    help: 'Calls of MCP tools',
    labelNames: ['server', 'tool'] as const,
    buckets: TOOL_SECONDS,
    errorLabels: [] as const,
  });
  const tokens = new Counter({
    name: 'tarsy_llm_tokens_total',
    help: 'Tokens, as providers count them.',
    labelNames: ['provider', 'model', 'direction'] as const,
    registers: [registry],
  });
  const cost = new Counter({
    name: 'tarsy_llm_cost_usd_total',
    help: 'What calls of language models cost, in USD, as far as their prices are known.',
    labelNames: ['provider', 'model'] as const,
    registers: [registry],
  });
  const unpriced = new Counter({
    name: 'tarsy_llm_unpriced_calls_total',
    help: 'Calls of language models that took tokens and whose price is not known.',
    labelNames: ['provider', 'model'] as const,
    registers: [registry],
  });
  const fallbacks = new Counter({
    name: 'tarsy_llm_fallbacks_total',
    help: 'Agents that went on with another provider, by the names in the configuration and why.',
    labelNames: ['from', 'to', 'reason'] as const,
    registers: [registry],
  });
  const circuits = new Gauge({
    name: 'tarsy_llm_circuit_open',
    help: 'Whether this process leaves a provider alone for a while, because it could not be had: 1 = it does.',
    labelNames: ['provider'] as const,
    registers: [registry],
  });
  const budgets = new Gauge({
    name: 'tarsy_budget_used_ratio',
    help: 'How much of a budget is used, as this process read it before its last call of a model: 1 = all.',
    labelNames: ['budget', 'of'] as const,
    registers: [registry],
  });
  return {
    fellBack: (from, to, reason) => fallbacks.inc({ from, to, reason: reason.toLowerCase() }),
    circuitOpen: (provider, open) => circuits.set({ provider }, open ? 1 : 0),
    budgetRead: (budget, key, share) => budgets.set({ budget, of: bounded('of', key) }, share),
    modelCalled(call) {
      const labels = { provider: call.provider, model: call.model };
      const { errorCode } = call;
      model(
        labels,
        call.durationMs,
        errorCode === null ? null : { error_code: bounded('error_code', errorCode) },
      );
      for (const [direction, count] of [
        ['input', call.inputTokens],
        ['output', call.outputTokens],
        ['thinking', call.thinkingTokens],
      ] as const) {
        if (count > 0) tokens.inc({ ...labels, direction }, count);
      }
      if (call.costUsd !== null) cost.inc(labels, call.costUsd);
      else if (call.inputTokens > 0 || errorCode === null) unpriced.inc(labels);
    },
    toolCalled({ server, tool: name, durationMs, isError }) {
      const labels =
        server === ''
          ? { server: 'unknown', tool: 'unknown' }
          : { server, tool: bounded(`tool`, `${server}.${name}`) };
      tool(labels, durationMs, isError ? {} : null);
    },
  } satisfies Partial<EngineMetrics>;
}

interface CallKind<Label extends string, ErrorLabel extends string> {
  name: string;
  help: string;
  labelNames: readonly Label[];
  /** Upper bounds of the histogram (s). */
  buckets: number[];
  errorLabels: readonly ErrorLabel[];
}

/** Creates counters of calls and errors, and a histogram of durations, for one kind of call. */
function counted<Label extends string, ErrorLabel extends string>(
  registry: Registry,
  { name, help, labelNames, buckets, errorLabels }: CallKind<Label, ErrorLabel>,
) {
  const registers = [registry];
  const calls = new Counter({ name: `tarsy_${name}_calls_total`, help: `${help}.`, labelNames, registers });
  const errors = new Counter({
    name: `tarsy_${name}_errors_total`,
    help: `${help} that failed.`,
    labelNames: [...labelNames, ...errorLabels],
    registers,
  });
  const duration = new Histogram({
    name: `tarsy_${name}_duration_seconds`,
    help: `${help}: how long they took.`,
    labelNames,
    buckets,
    registers,
  });
  return (labels: Record<Label, string>, durationMs: number, failure: Record<ErrorLabel, string> | null) => {
    calls.inc(labels);
    duration.observe(labels, durationMs / 1000);
    if (failure) errors.inc({ ...labels, ...failure });
  };
}
