import { CONCLUSION_REASON_MEANINGS, TERMINAL_SESSION_STATUSES } from '../db/enums.ts';
import { type EngineMetrics, LEASE_OUTCOMES } from '../engine/api/observer.ts';
import { createGenAiMetrics } from './gen-ai-metrics.ts';
import type { Metrics } from './metrics.ts';

/** Upper limits of histogram buckets, in seconds except for SCORE_POINTS. */
const SESSION_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 2400, 3600];
const WAIT_SECONDS = [0.05, 0.25, 1, 5, 30, 60, 120, 300, 600, 1200, 2400];
const LLM_SECONDS = [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300];
const TOOL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REPORT_SECONDS = [0.25, 1, 2.5, 5, 10, 20, 30, 60, 120, 240];
const SCORE_POINTS = [10, 20, 34, 45, 59, 70, 80, 90, 100];
const LAG_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export function createEngineMetrics(metrics: Metrics, alertTypes: readonly string[]): EngineMetrics {
  return {
    ...sessionMetrics(metrics, alertTypes),
    ...modelMetrics(metrics),
    ...toolMetrics(metrics),
    ...reportMetrics(metrics),
    ...conclusionMetrics(metrics),
  };
}

function sessionMetrics({ counter, histogram }: Metrics, alertTypes: readonly string[]) {
  const submitted = counter('tarsy_sessions_submitted_total', 'Accepted alerts.', 'alert_type');
  const terminal = counter('tarsy_sessions_terminal_total', 'Ended sessions.', 'alert_type', 'status');
  const duration = histogram(
    'tarsy_session_duration_seconds',
    'Seconds from the start of an investigation to its end.',
    SESSION_SECONDS,
  );
  const wait = histogram(
    'tarsy_session_wait_seconds',
    'Seconds from the submission of an alert to the start of its investigation.',
    WAIT_SECONDS,
  );
  const recovered = counter('tarsy_orphans_recovered_total', 'Sessions that lost their worker.', 'outcome');
  // Starts each series at 0, because Prometheus sees no increase if a series begins with its first event.
  for (const outcome of LEASE_OUTCOMES) recovered.inc({ outcome: outcome.toLowerCase() }, 0);
  for (const alert_type of alertTypes)
    for (const status of TERMINAL_SESSION_STATUSES)
      terminal.inc({ alert_type, status: status.toLowerCase() }, 0);
  const reviews = counter('tarsy_reviews_total', 'Review actions, by action and rating.', 'action', 'rating');
  const scores = counter('tarsy_scores_total', 'Scored investigations.', 'outcome');
  const points = histogram('tarsy_score_points', 'Scores of investigations, 0–100.', SCORE_POINTS);
  const lag = histogram(
    'tarsy_event_lag_seconds',
    'Seconds from the write of an event to its read for subscribers.',
    LAG_SECONDS,
  );
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

function modelMetrics(metrics: Metrics) {
  const { counter, gauge, histogram, bounded } = metrics;
  const labelNames = ['provider', 'model'] as const;
  const calls = counter('tarsy_llm_calls_total', 'Model calls.', ...labelNames);
  const errors = counter('tarsy_llm_errors_total', 'Failed model calls.', ...labelNames, 'error_code');
  const duration = histogram(
    'tarsy_llm_duration_seconds',
    'Seconds of a model call.',
    LLM_SECONDS,
    ...labelNames,
  );
  const tokens = counter(
    'tarsy_llm_tokens_total',
    'Tokens, as providers count them.',
    ...labelNames,
    'direction',
  );
  const cost = counter(
    'tarsy_llm_cost_usd_total',
    'Cost of model calls with a known price (USD).',
    ...labelNames,
  );
  const unpriced = counter(
    'tarsy_llm_unpriced_calls_total',
    'Model calls without a known price.',
    ...labelNames,
  );
  const fallbacks = counter(
    'tarsy_llm_fallbacks_total',
    'Provider fallbacks of agents.',
    'from',
    'to',
    'reason',
  );
  const circuits = gauge('tarsy_llm_circuit_open', 'Unavailable providers: 1 = circuit open.', 'provider');
  const budgets = gauge('tarsy_budget_used_ratio', 'Used share of a budget: 1 = all.', 'budget', 'of');
  const countByConvention = createGenAiMetrics(metrics);
  return {
    fellBack: (from, to, reason) => fallbacks.inc({ from, to, reason: reason.toLowerCase() }),
    circuitOpen: (provider, open) => circuits.set({ provider }, open ? 1 : 0),
    budgetRead: (budget, key, share) => budgets.set({ budget, of: bounded('of', key) }, share),
    modelCalled(call) {
      countByConvention(call);
      const { provider, model, durationMs, errorCode, costUsd, ...used } = call;
      const labels = { provider, model };
      calls.inc(labels);
      duration.observe(labels, durationMs / 1000);
      if (errorCode !== null) errors.inc({ ...labels, error_code: bounded('error_code', errorCode) });
      for (const direction of ['input', 'output', 'thinking'] as const) {
        const count = used[`${direction}Tokens`];
        if (count > 0) tokens.inc({ ...labels, direction }, count);
      }
      if (costUsd !== null) cost.inc(labels, costUsd);
      else if (used.inputTokens > 0 || errorCode === null) unpriced.inc(labels);
    },
  } satisfies Partial<EngineMetrics>;
}

function toolMetrics({ counter, histogram, bounded }: Metrics) {
  const calls = counter('tarsy_mcp_calls_total', 'Calls of MCP tools.', 'server', 'tool');
  const errors = counter('tarsy_mcp_errors_total', 'Failed calls of MCP tools.', 'server', 'tool');
  const duration = histogram(
    'tarsy_mcp_duration_seconds',
    'Seconds of a call of an MCP tool.',
    TOOL_SECONDS,
    'server',
    'tool',
  );
  return {
    toolCalled({ server, tool, durationMs, isError }) {
      const labels =
        server === ''
          ? { server: 'unknown', tool: 'unknown' }
          : { server, tool: bounded('tool', `${server}.${tool}`) };
      calls.inc(labels);
      duration.observe(labels, durationMs / 1000);
      if (isError) errors.inc(labels);
    },
  } satisfies Partial<EngineMetrics>;
}

function reportMetrics({ counter, histogram }: Metrics) {
  const reports = counter('tarsy_reports_total', 'Reports, by verdict or none.', 'of', 'outcome', 'verdict');
  const repairs = counter('tarsy_report_repairs_total', 'Reports that the model was asked to repair.', 'of');
  const claims = counter('tarsy_report_claims_total', 'Claims of reports, by verification.', 'of', 'status');
  const duration = histogram(
    'tarsy_report_duration_seconds',
    'Seconds to create, check and repair a report.',
    REPORT_SECONDS,
    'of',
  );
  return {
    reported({ of: made, outcome, verdict, durationMs, repaired, statuses }) {
      const of = made.toLowerCase();
      reports.inc({ of, outcome: outcome.toLowerCase(), verdict: verdict?.toLowerCase() ?? 'none' });
      duration.observe({ of }, durationMs / 1000);
      if (repaired) repairs.inc({ of });
      for (const status of statuses) claims.inc({ of, status: status.toLowerCase() });
    },
  } satisfies Partial<EngineMetrics>;
}

function conclusionMetrics({ counter }: Metrics) {
  const early = counter('tarsy_early_conclusions_total', 'Agents that had to conclude early.', 'reason');
  for (const reason of Object.keys(CONCLUSION_REASON_MEANINGS))
    early.inc({ reason: reason.toLowerCase() }, 0);
  return {
    concludedEarly: (reason) => early.inc({ reason: reason.toLowerCase() }),
  } satisfies Partial<EngineMetrics>;
}
