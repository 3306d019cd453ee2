import type { IntakeOutcome, SessionStatus, Severity } from '../db/enums.ts';
import { isTerminalStatus, SEVERITIES } from '../db/enums.ts';
import { ago, span } from './duration-text.ts';

/** What is known of a group when a delivery about it has been taken in. Times are milliseconds of one clock. */
export interface GroupFacts {
  now: number;
  /** Alerts that fire, and all. */
  firing: number;
  alerts: number;
  severity: Severity;
  /** The critical alerts that fire. */
  critical: readonly { id: string; name: string }[];
  /** Whether the delivery told anything that was not known; also true where no delivery asks. */
  isNews: boolean;
  /** When the group was told of before; null = never. */
  lastReceivedAt: number | null;
  openedAt: number;
  /** What takes it as a sign of life: a rule, or '' for the process's own alert; null = nothing does. */
  canary: string | null;
  /** Rule that excludes every alert that fires; null = none does. */
  excludedBy: string | null;
  /** Of those that cover every alert that fires, the one that ends first; null = not all are covered. */
  silence: { id: string; comment: string; endsAt: number } | null;
  /** Session of this group key that was last begun, be it of a storm; null = none, or none that counts. */
  last: LastSession | null;
  /** Episodes of this group key that ended lately; 0 unless it flaps. */
  flaps: number;
  reinvestigateAfterMs: number;
}

export interface LastSession {
  id: string;
  status: SessionStatus;
  isStorm: boolean;
  /** When it ended, or else began. */
  at: number;
  /** Of the group when it was begun. */
  severity: Severity;
  /** Names of its alerts, and ids of those that have only a title. */
  covered: readonly string[];
}

/** STORM and INVESTIGATED both want a session: whether there is a storm is decided where sessions are begun. */
export interface Decision {
  outcome: Exclude<IntakeOutcome, 'REJECTED' | 'OVER_BUDGET' | 'STORM'>;
  /** One sentence with its figures. */
  reason: string;
  /** The session that it is about; null = none, or one that is to be made. */
  sessionId: string | null;
  silenceId: string | null;
  rule: string | null;
}

/** Episodes within this time that make a group flap, and for how long without one it goes on doing so. */
export const FLAPPING = { episodes: 3, withinMs: 30 * 60_000 } as const;

/** Decides about a group: the first that holds, in this order. Pure. */
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
  const text = `The source says that ${what} over, ${span(now - openedAt)} after the first was told of.`;
  return decision('RESOLVED', text, { sessionId: isActive(last) ? last.id : null });
}

function canary({ canary: rule, lastReceivedAt, now }: GroupFacts): Decision | null {
  if (rule === null) return null;
  const before = lastReceivedAt === null ? '' : ` The one before came ${ago(now - lastReceivedAt)}.`;
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
    `A silence covers ${what} for another ${span(silence.endsAt - now)}: ${silence.comment}`,
    {
      silenceId: silence.id,
    },
  );
}

/** Nothing new, and what was decided last still stands: no session would be made now. */
function duplicate(facts: GroupFacts): Decision | null {
  if (facts.isNews) return null;
  const standing = joined(facts) ?? flapping(facts) ?? recentlyInvestigated(facts);
  if (standing === null) return null;
  const before = facts.lastReceivedAt === null ? '' : ` as ${ago(facts.now - facts.lastReceivedAt)}`;
  return decision('DUPLICATE', `The same ${alertsOf(facts)}${before}. ${standing.reason}`, {
    sessionId: standing.sessionId,
  });
}

function joined({ last, now }: GroupFacts): Decision | null {
  if (!isActive(last)) return null;
  const what = last.isStorm ? 'The investigation of a storm of alerts' : 'Its investigation';
  const how = ['PENDING', 'WAITING_FOR_APPROVAL'].includes(last.status) ? 'waits since' : 'runs since';
  return decision('JOINED', `${what} ${how} ${span(now - last.at)}.`, { sessionId: last.id });
}

function flapping({ flaps }: GroupFacts): Decision | null {
  if (flaps === 0) return null;
  const within = span(FLAPPING.withinMs);
  const times = flaps === 1 ? 'once more' : `${flaps} times`;
  const text = `It began and ended ${times} lately; it is not investigated again until it did not for ${within}.`;
  return decision('FLAPPING', text);
}

function recentlyInvestigated(facts: GroupFacts): Decision | null {
  const { last, now, reinvestigateAfterMs } = facts;
  if (last === null || now - last.at >= reinvestigateAfterMs || whyAgain(facts) !== null) return null;
  const text = `It was investigated ${ago(now - last.at)} (${last.status}); again after ${span(reinvestigateAfterMs)}, or when it gets worse.`;
  return decision('RECENTLY_INVESTIGATED', text, { sessionId: last.id });
}

/** Why the last investigation does not stand for the group as it is; null = it does. */
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
  return whyAgain(facts) ?? `it was last investigated ${ago(now - last.at)}`;
}

/** UNKNOWN is no more than any other: that a source does not say it is no reason to look again. */
function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function isActive(last: LastSession | null): last is LastSession {
  return last !== null && !isTerminalStatus(last.status);
}

function alertsOf({ firing }: GroupFacts): string {
  return firing === 1 ? '1 alert fires' : `${firing} alerts fire`;
}
