import type { IntakeConfig } from '../../config/types.ts';
import type { CanaryRow } from '../../db/entities/index.ts';
import { formatAgo, formatDuration } from '../duration-text.ts';
import { CANARY_SOURCE } from './alert.ts';

export interface CanaryState {
  /** The source that sends the canary; `null` until a rule's first canary arrives. */
  source: string | null;
  /** The rule that treats an alert as a canary; `null` for the canary that TARSy itself sends. */
  rule: string | null;
  healthy: boolean;
  /** Interval (ms) of the canary that TARSy itself sends, or longest allowed gap (ms) between a rule's canaries. */
  everyMs: number;
  arrivedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  error: string | null;
}

/**
 * Returns the states of all configured canaries.
 * @param startedAt start of this process (ms since 1970). A canary counts as missing only after its full time limit
 * since then.
 */
export function canaryStates(
  config: IntakeConfig,
  rows: readonly CanaryRow[],
  startedAt: number,
  now: number,
): CanaryState[] {
  const isLate = (last: Date | null | undefined, limitMs: number) =>
    Math.max(startedAt, last?.getTime() ?? 0) < now - limitMs;

  function ownState({ everyMs, withinMs }: NonNullable<IntakeConfig['canary']>): CanaryState {
    const row = rows.find(({ source, rule }) => source === CANARY_SOURCE && rule === '');
    const limitMs = everyMs + withinMs;
    const late = `No canary investigation completed for ${formatDuration(limitMs)}.`;
    const error = row?.error ?? (isLate(row?.completedAt, limitMs) ? late : null);
    return stateOf(row, { source: CANARY_SOURCE, rule: null, everyMs, error });
  }

  function ruleState(rule: string, withinMs: number, row?: CanaryRow): CanaryState {
    const arrivedAt = row?.arrivedAt;
    const last = arrivedAt ? `Last received ${formatAgo(now - arrivedAt.getTime())}` : 'None received yet';
    const late = `No canary of the rule "${rule}" received for ${formatDuration(withinMs)}. ${last}.`;
    const error = isLate(arrivedAt, withinMs) ? late : null;
    return stateOf(row, { source: row?.source ?? null, rule, everyMs: withinMs, error });
  }

  const rules = config.rules.filter(({ isCanary }) => isCanary);
  return [
    ...(config.canary === null ? [] : [ownState(config.canary)]),
    ...rules.flatMap(({ name, canaryWithinMs }) => {
      const own = rows.filter(({ rule }) => rule === name);
      return (own.length > 0 ? own : [undefined]).map((row) => ruleState(name, canaryWithinMs, row));
    }),
  ];
}

function stateOf(
  row: CanaryRow | undefined,
  state: Pick<CanaryState, 'source' | 'rule' | 'everyMs' | 'error'>,
): CanaryState {
  const { arrivedAt = null, completedAt = null, durationMs = null } = row ?? {};
  return { ...state, arrivedAt, completedAt, durationMs, healthy: state.error === null };
}
