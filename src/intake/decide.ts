import type { IntakeOutcome, SessionStatus, Severity } from '../db/enums.ts';
import { isTerminalStatus, SEVERITIES } from '../db/enums.ts';
import { formatAgo, formatDuration } from './duration-text.ts';

/** The state of a group after a delivery was recorded. All times are milliseconds of one clock. */
export interface GroupFacts {
  now: number;
  /** The numbers of firing alerts and of all alerts. */
  firing: number;
  alerts: number;
  severity: Severity;
  critical: readonly { id: string; name: string }[];
  /** True if the delivery changed anything, or if no delivery triggered the decision. */
  hasChanges: boolean;
  /** When the group's previous delivery arrived; `null` if there was none. */
  lastReceivedAt: number | null;
  openedAt: number;
  /** The rule that treats the group as a heartbeat, or '' for the process's own canary; `null` if none does. */
  canary: string | null;
  /** The rule that excludes all firing alerts; `null` if none does. */
  excludedBy: string | null;
  /**
   * The silence that ends first among those that together cover all firing alerts; `null` if an alert is not
   * covered.
   */
  silence: { id: string; comment: string; endsAt: number } | null;
  /** The newest session of this group key, its own or a storm's; `null` if there is none that counts. */
  last: LastSession | null;
  /** The number of recently ended episodes of this group key; 0 unless it flaps. */
  flaps: number;
  reinvestigateAfterMs: number;
}

export interface LastSession {
  id: string;
  status: SessionStatus;
  isStorm: boolean;
  /** When it ended, or else when it began. */
  at: number;
  /** The severity of the group when the session began. */
  severity: Severity;
  /** The names of its alerts, and the ids of alerts that have only a title. */
  covered: readonly string[];
}

/** STORM is not decided here: an INVESTIGATED group may still join a storm when its session is created. */
export interface Decision {
  outcome: Exclude<IntakeOutcome, 'REJECTED' | 'OVER_BUDGET' | 'STORM'>;
  /** One sentence with the figures behind the decision. */
  reason: string;
  /** The session that the decision refers to; `null` if there is none yet. */
  sessionId: string | null;
  silenceId: string | null;
  rule: string | null;
}

/** A group flaps after this many episodes within this time (ms), and until none ended for this time. */
export const FLAPPING = { episodes: 3, withinMs: 30 * 60_000 } as const;

/** Decides about a group: the first check that applies wins, in this order. Pure. */
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
    decision(
      'INVESTIGATED',
      `${alertsOf(facts)} of severity ${facts.severity.toLowerCase()}; ${whyNow(facts)}.`,
    )
  );
}

function decision(outcome: Decision['outcome'], reason: string, more: Partial<Decision> = {}): Decision {
  return { outcome, reason, sessionId: null, silenceId: null, rule: null, ...more };
}

function resolved({ firing, alerts, now, openedAt, last }: GroupFacts): Decision | null {
  if (firing > 0) return null;
  const what = alerts === 1 ? 'its alert is' : `all ${alerts} alerts are`;
  const text = `The source says that ${what} over, ${formatDuration(now - openedAt)} after the first was told of.`;
  return decision('RESOLVED', text, { sessionId: isActive(last) ? last.id : null });
}

function canary({ canary: rule, lastReceivedAt, now }: GroupFacts): Decision | null {
  if (rule === null) return null;
  const before = lastReceivedAt === null ? '' : ` The one before came ${formatAgo(now - lastReceivedAt)}.`;
  const text =
    rule === ''
      ? `The process's own alert, which goes through queue, worker, model and tools.${before}`
      : `The rule "${rule}" takes it as a sign of life.${before}`;
  return decision('CANARY', text, { rule: rule === '' ? null : rule });
}

function excluded({ excludedBy }: GroupFacts): Decision | null {
  if (excludedBy === null) return null;
  return decision('EXCLUDED', `The rule "${excludedBy}" says never to investigate it.`, { rule: excludedBy });
}

function silenced({ silence, now, firing }: GroupFacts): Decision | null {
  if (silence === null) return null;
  const what = firing === 1 ? 'its alert' : `all ${firing} alerts`;
  return decision(
    'SILENCED',
    `A silence covers ${what} for another ${formatDuration(silence.endsAt - now)}: ${silence.comment}`,
    {
      silenceId: silence.id,
    },
  );
}

/** Nothing changed, and the previous decision still stands: no session would be created now. */
function duplicate(facts: GroupFacts): Decision | null {
  if (facts.hasChanges) return null;
  const standing = joined(facts) ?? flapping(facts) ?? recentlyInvestigated(facts);
  if (standing === null) return null;
  const before = facts.lastReceivedAt === null ? '' : ` as ${formatAgo(facts.now - facts.lastReceivedAt)}`;
  return decision('DUPLICATE', `The same ${alertsOf(facts)}${before}. ${standing.reason}`, {
    sessionId: standing.sessionId,
  });
}

function joined({ last, now }: GroupFacts): Decision | null {
  if (!isActive(last)) return null;
  const what = last.isStorm ? 'The investigation of a storm of alerts' : 'Its investigation';
  const how = ['PENDING', 'WAITING_FOR_APPROVAL'].includes(last.status) ? 'waits since' : 'runs since';
  return decision('JOINED', `${what} ${how} ${formatDuration(now - last.at)}.`, { sessionId: last.id });
}

function flapping({ flaps }: GroupFacts): Decision | null {
  if (flaps === 0) return null;
  const within = formatDuration(FLAPPING.withinMs);
  const times = flaps === 1 ? 'once more' : `${flaps} times`;
  const text = `It began and ended ${times} lately; it is not investigated again until it did not for ${within}.`;
  return decision('FLAPPING', text);
}

function recentlyInvestigated(facts: GroupFacts): Decision | null {
  const { last, now, reinvestigateAfterMs } = facts;
  if (last === null || now - last.at >= reinvestigateAfterMs || whyAgain(facts) !== null) return null;
  const text = `It was investigated ${formatAgo(now - last.at)} (${last.status}); again after ${formatDuration(reinvestigateAfterMs)}, or when it gets worse.`;
  return decision('RECENTLY_INVESTIGATED', text, { sessionId: last.id });
}

/** Returns why the last investigation no longer covers the group; `null` if it does. */
function whyAgain({ last, severity, critical }: GroupFacts): string | null {
  if (last === null) return null;
  if (last.status === 'FAILED' || last.status === 'TIMED_OUT')
    return `its last investigation ended as ${last.status}`;
  if (rank(severity) < rank(last.severity)) return `it rose from ${last.severity} to ${severity}`;
  const covered = new Set(last.covered);
  const added = critical.find(({ id, name }) => !covered.has(id) && !covered.has(name));
  return added === undefined
    ? null
    : `a critical alert came that the last investigation did not know: ${added.name}`;
}

function whyNow(facts: GroupFacts): string {
  const { last, now } = facts;
  if (last === null) return 'it was not investigated before';
  return whyAgain(facts) ?? `it was last investigated ${formatAgo(now - last.at)}`;
}

/** UNKNOWN ranks last, because a missing severity is no reason to investigate again. */
function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function isActive(last: LastSession | null): last is LastSession {
  return last !== null && !isTerminalStatus(last.status);
}

function alertsOf({ firing }: GroupFacts): string {
  return firing === 1 ? '1 alert fires' : `${firing} alerts fire`;
}
