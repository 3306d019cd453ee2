import type { IntakeConfig } from '../../config/types.ts';
import type { CanaryRow } from '../../db/entities/index.ts';
import { formatAgo, formatDuration } from '../duration-text.ts';
import { CANARY_SOURCE } from './alert.ts';

export interface CanaryState {
  /** `null` until the first heartbeat of a rule arrives. */
  source: string | null;
  /** The rule that treats an alert as a heartbeat; `null` for the process's own canary. */
  rule: string | null;
  healthy: boolean;
  /** The interval (ms) of the canary, or the time (ms) that a rule's heartbeat may be missing. */
  everyMs: number;
  arrivedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  error: string | null;
}

/**
 * Returns the states of all configured heartbeats. Heartbeats that have not arrived since the process started get the full
 * time.
 * @param startedAt when this process started (ms since 1970)
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
        ruleState({ rule: name, withinMs: canaryWithinMs }, row, startedAt, now),
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
  const late = `No canary was investigated to its end for ${formatDuration(limitMs)}.`;
  const error = row?.error ?? (isLate ? late : null);
  return { ...factsOf(row), source: CANARY_SOURCE, rule: null, everyMs, error, healthy: error === null };
}

function ruleState(
  { rule, withinMs }: { rule: string; withinMs: number },
  row: CanaryRow | null,
  startedAt: number,
  now: number,
): CanaryState {
  const isLate = Math.max(startedAt, timeOf(row?.arrivedAt)) < now - withinMs;
  const last = row?.arrivedAt ? `the last came ${formatAgo(now - timeOf(row.arrivedAt))}` : 'none ever came';
  const error = isLate
    ? `No alert of the rule "${rule}" came for ${formatDuration(withinMs)}; ${last}.`
    : null;
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
