import type { IntakeOutcome, SessionStatus, Severity } from '../db/enums.ts';
import { isTerminalStatus, SEVERITIES } from '../db/enums.ts';
import { formatAgo, formatDuration } from './duration-text.ts';

/** The state of a group on which its decision depends. Points in time are in ms since 1970. */
export interface GroupFacts {
  now: number;
  firing: number;
  alerts: number;
  severity: Severity;
  critical: readonly { id: string; name: string }[];
  /** True if the delivery changed an alert, or if no delivery triggered the decision. */
  hasChanges: boolean;
  /** When the group's previous delivery arrived; `null` if no delivery triggered the decision. */
  lastReceivedAt: number | null;
  /** When the first alert began, as far as the delivery and the group say. */
  startedAt: number;
  /**
   * The rule that treats the group as a canary, or '' for the process's own canary; `null` if the group is no canary.
   */
  canary: string | null;
  /** The rule that excludes all firing alerts; `null` if none does. */
  excludedBy: string | null;
  /** The silence whose end first leaves a firing alert uncovered; `null` if an alert is not covered now. */
  silence: { id: string; endsAt: number } | null;
  /**
   * Newest session of this group key, possibly a storm's; `null` if none. Sessions that were cancelled because the
   * alerts were resolved before the start do not count.
   */
  last: LastSession | null;
  /** The number of recently ended episodes of this group key; 0 if the key does not flap. */
  flaps: number;
  reinvestigateAfterMs: number;
}

export interface LastSession {
  id: string;
  status: SessionStatus;
  isStorm: boolean;
  /** When the session ended, or when it was created if it is still active (ms since 1970). */
  at: number;
  /** The worst severity of the group that the session knows, at its creation or after a later alert joined. */
  severity: Severity;
  /** Names of the alerts that the session covers, and ids of those without an `alertname` label. */
  covered: readonly string[];
}

/** The decision about a group. INVESTIGATED may still become STORM or OVER_BUDGET when the decision is applied. */
export interface Decision {
  outcome: Exclude<IntakeOutcome, 'REJECTED' | 'OVER_BUDGET' | 'STORM'>;
  reason: string;
  sessionId: string | null;
  silenceId: string | null;
  rule: string | null;
}

/** A group flaps once `episodes` episodes ended within `withinMs` (ms), and until none has ended for that time. */
export const FLAPPING = { episodes: 3, withinMs: 30 * 60_000 } as const;

/** Returns the decision about a group: the first check that applies wins. Reads and writes nothing. */
export function decide(facts: GroupFacts): Decision {
  return (
    resolved(facts) ??
    canary(facts) ??
    excluded(facts) ??
    silenced(facts) ??
    duplicate(facts) ??
    joined(facts) ??
    flapping(facts) ??
    recentlyInvestigated(facts) ??
    decisionOf('INVESTIGATED', reasonToInvestigate(facts))
  );
}

export function decisionOf(
  outcome: Decision['outcome'],
  reason: string,
  more: Partial<Decision> = {},
): Decision {
  return { outcome, reason, sessionId: null, silenceId: null, rule: null, ...more };
}

function resolved({ firing, alerts, now, startedAt, last }: GroupFacts): Decision | null {
  if (firing > 0) return null;
  const after = formatDuration(now - startedAt);
  const text =
    alerts === 1
      ? `The alert resolved ${after} after it fired.`
      : `All ${alerts} alerts resolved ${after} after the first one fired.`;
  return decisionOf('RESOLVED', text, { sessionId: isActive(last) ? last.id : null });
}

function canary({ canary: rule, lastReceivedAt, now }: GroupFacts): Decision | null {
  if (rule === null) return null;
  const before = lastReceivedAt === null ? '' : ` Previous canary: ${formatAgo(now - lastReceivedAt)}.`;
  const text =
    rule === ''
      ? `TARSy’s self-test of queue, worker, model and tools.${before}`
      : `The rule "${rule}" marks this alert as a canary.${before}`;
  return decisionOf('CANARY', text, { rule: rule === '' ? null : rule });
}

function excluded({ excludedBy }: GroupFacts): Decision | null {
  if (excludedBy === null) return null;
  return decisionOf('EXCLUDED', `The rule "${excludedBy}" excludes these alerts.`, {
    rule: excludedBy,
  });
}

function silenced({ silence, now, firing }: GroupFacts): Decision | null {
  if (silence === null) return null;
  const what = firing === 1 ? 'the alert' : `all ${firing} alerts`;
  // Without the comment, because more viewers see the decision than the silence.
  const text = `A silence covers ${what} for another ${formatDuration(silence.endsAt - now)}.`;
  return decisionOf('SILENCED', text, { silenceId: silence.id });
}

/** Returns DUPLICATE if the delivery changed nothing and no session would be created now; otherwise `null`. */
function duplicate(facts: GroupFacts): Decision | null {
  if (facts.hasChanges) return null;
  const standing = joined(facts) ?? flapping(facts) ?? recentlyInvestigated(facts);
  if (standing === null) return null;
  const before = facts.lastReceivedAt === null ? '' : ` as ${formatAgo(facts.now - facts.lastReceivedAt)}`;
  const { reason, sessionId } = standing;
  return decisionOf(
    'DUPLICATE',
    `Same ${facts.firing === 1 ? 'firing alert' : firingText(facts)}${before}. ${reason}`,
    { sessionId },
  );
}

function joined({ last, now }: GroupFacts): Decision | null {
  if (!isActive(last)) return null;
  const what = last.isStorm ? 'Storm investigation' : 'Investigation';
  const how = ['PENDING', 'WAITING_FOR_APPROVAL'].includes(last.status) ? 'waiting for' : 'running for';
  return decisionOf('JOINED', `${what} ${how} ${formatDuration(now - last.at)}.`, { sessionId: last.id });
}

function flapping({ flaps }: GroupFacts): Decision | null {
  if (flaps === 0) return null;
  const within = formatDuration(FLAPPING.withinMs);
  const times = flaps === 1 ? 'once' : `${flaps} times`;
  const text = `Fired and resolved ${times} recently. Paused until stable for ${within}.`;
  return decisionOf('FLAPPING', text);
}

function recentlyInvestigated(facts: GroupFacts): Decision | null {
  const { last, now, reinvestigateAfterMs } = facts;
  if (last === null || now - last.at >= reinvestigateAfterMs || whyAgain(facts) !== null) return null;
  const text = `Last investigation ${formatAgo(now - last.at)} (${wordsOf(last.status)}). Next one after ${formatDuration(reinvestigateAfterMs)}, or when the alerts get worse.`;
  return decisionOf('RECENTLY_INVESTIGATED', text, { sessionId: last.id });
}

/** Returns why the last investigation no longer covers the group; `null` if it does. */
function whyAgain({ last, severity, critical }: GroupFacts): string | null {
  if (last === null) return null;
  if (last.status === 'FAILED' || last.status === 'TIMED_OUT')
    return `The last investigation ${wordsOf(last.status)}`;
  if (rank(severity) < rank(last.severity))
    return `Severity rose from ${wordsOf(last.severity)} to ${wordsOf(severity)}`;
  const covered = new Set(last.covered);
  const added = critical.find(({ id, name }) => !covered.has(id) && !covered.has(name));
  return added ? `New critical alert: ${added.name}` : null;
}

function reasonToInvestigate(facts: GroupFacts): string {
  const { last, now, severity } = facts;
  const why =
    last === null
      ? 'First investigation'
      : (whyAgain(facts) ?? `Last investigated ${formatAgo(now - last.at)}`);
  return `${firingText(facts)}, severity ${severity.toLowerCase()}. ${why}.`;
}

/** Returns 0 for the worst severity. UNKNOWN ranks last, because it is no reason to investigate again. */
function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function isActive(last: LastSession | null): last is LastSession {
  return last !== null && !isTerminalStatus(last.status);
}

function firingText({ firing }: GroupFacts): string {
  return firing === 1 ? '1 firing alert' : `${firing} firing alerts`;
} /** Formats an enum value as words, such as `timed out`. */
function wordsOf(value: string): string {
  return value.toLowerCase().replaceAll('_', ' ');
}
