import type { IntakeConfig } from '../../config/types.ts';
import type { CanaryRow } from '../../db/entities/index.ts';
import { ago, span } from '../duration-text.ts';
import { CANARY_SOURCE } from './alert.ts';

/** How it stands with one sign of life. */
export interface CanaryState {
  /** Null: none has come yet, so nobody knows from where. */
  source: string | null;
  /** The rule that takes an alert as a sign of life; null = the process's own alert. */
  rule: string | null;
  healthy: boolean;
  /** How often it comes, or, of a rule's, how long it may stay away. */
  everyMs: number;
  arrivedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  /** Why it is not healthy. */
  error: string | null;
}

/**
 * The states of all canaries of the configuration. What has not come since this process began has as long to come as ever.
 * @param startedAt when this process began, milliseconds
 */
export function canaryStates(
  config: IntakeConfig,
  rows: readonly CanaryRow[],
  startedAt: number,
  now: number,
): CanaryState[] {
  const rules = config.rules.filter(({ isCanary }) => isCanary);
  return [
    ...(config.canary === null ? [] : [ownState(config.canary, rows, startedAt, now)]),
    ...rules.flatMap(({ name, canaryWithinMs }) => {
      const own = rows.filter(({ rule }) => rule === name);
      return (own.length > 0 ? own : [null]).map((row) =>
        ruleState(name, canaryWithinMs, row, startedAt, now),
      );
    }),
  ];
}

function ownState(
  { everyMs, withinMs }: NonNullable<IntakeConfig['canary']>,
  rows: readonly CanaryRow[],
  startedAt: number,
  now: number,
): CanaryState {
  const row = rows.find(({ source, rule }) => source === CANARY_SOURCE && rule === '') ?? null;
  const limitMs = everyMs + withinMs;
  const isLate = Math.max(startedAt, timeOf(row?.completedAt)) < now - limitMs;
  const late = `No canary was investigated to its end for ${span(limitMs)}.`;
  const error = row?.error ?? (isLate ? late : null);
  return { ...factsOf(row), source: CANARY_SOURCE, rule: null, everyMs, error, healthy: error === null };
}

function ruleState(
  rule: string,
  withinMs: number,
  row: CanaryRow | null,
  startedAt: number,
  now: number,
): CanaryState {
  const isLate = Math.max(startedAt, timeOf(row?.arrivedAt)) < now - withinMs;
  const last = row?.arrivedAt ? `the last came ${ago(now - timeOf(row.arrivedAt))}` : 'none ever came';
  const error = isLate ? `No alert of the rule "${rule}" came for ${span(withinMs)}; ${last}.` : null;
  return {
    ...factsOf(row),
    source: row?.source ?? null,
    rule,
    everyMs: withinMs,
    error,
    healthy: error === null,
  };
}

function factsOf(row: CanaryRow | null) {
  return {
    arrivedAt: row?.arrivedAt ?? null,
    completedAt: row?.completedAt ?? null,
    durationMs: row?.durationMs ?? null,
  };
}

function timeOf(at: Date | null | undefined): number {
  return at?.getTime() ?? Number.NEGATIVE_INFINITY;
}
