import type { AlertGroupRow } from '../db/entities/index.ts';
import type { IntakeOutcome } from '../db/enums.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { worstSeverity } from '../engine/alert/severity.ts';
import { markFiring, markResolved, updatePendingAlert } from '../engine/alert/source-updates.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import type { BudgetSubject } from '../engine/features/budgets/budgets.ts';
import type { NotifySlack } from '../engine/features/slack/posts.ts';
import { cancelPending } from '../engine/store/sessions.ts';
import { CANARY_SOURCE } from './canary/alert.ts';
import { recordArrival } from './canary/store.ts';
import { type Decision, decide, type GroupFacts, type LastSession } from './decide.ts';
import { alertName, coveredNames, groupTitle, type LockedGroup } from './locked-group.ts';
import { notifySession } from './notify-session.ts';
import { matchedLabels } from './rules.ts';
import {
  describeGroup,
  type InvestigationDeps,
  joinStorm,
  startGroupSession,
} from './start-investigation.ts';
import type { History } from './store/groups.ts';
import { type ActiveSilence, countMatched, coveringSilence } from './store/silences.ts';

/** The source name of alerts submitted as text. */
export const API_SOURCE = 'api';

export interface DecisionDeps extends InvestigationDeps {
  transaction: Transaction;
  dispatch: (tx: Queryable) => Promise<void>;
  notifySlack: NotifySlack | null;
}

/** A decision about a group after it was carried out. The outcome may differ, such as STORM instead of INVESTIGATED. */
export interface AppliedDecision extends Omit<Decision, 'outcome'> {
  outcome: IntakeOutcome;
  /** The new session, which the caller announces after the commit; `null` if there is none. */
  newSession: SessionSnapshot | null;
}

/** Decides about a group and carries the decision out. Returns the changed group, which the caller stores. */
export async function decideAndApply(
  deps: DecisionDeps,
  locked: LockedGroup,
  { silences, history }: { silences: readonly ActiveSilence[]; history: History },
): Promise<{ applied: AppliedDecision; group: AlertGroupRow }> {
  const { now, group, firing, ruling } = locked;
  const facts = factsOf(locked, history, silences);
  const decision = decide(facts);
  const next: AlertGroupRow = {
    ...group,
    title: groupTitle(firing) ?? group.title,
    severity: facts.severity,
    state: firing.length > 0 ? 'FIRING' : 'RESOLVED',
    firingCount: firing.length,
    flapping: decision.outcome === 'FLAPPING' || (group.flapping && history.flaps > 0),
    lastOutcome: decision.outcome === 'DUPLICATE' ? group.lastOutcome : decision.outcome,
    resolvedAt: firing.length > 0 ? null : (group.resolvedAt ?? now),
    ...receivedOf(group, locked.receivedAt),
  };
  const { group: changed, ...applied } = await applyDecision(
    deps,
    { ...locked, group: next },
    { decision, last: history.last },
  );
  if (ruling.rule !== null && applied.rule === null && decision.outcome === 'INVESTIGATED')
    applied.rule = ruling.rule;
  return { applied, group: { ...next, ...changed } };
}

function receivedOf(group: AlertGroupRow, receivedAt: Date | null) {
  if (receivedAt === null) return {};
  const gap = receivedAt.getTime() - group.lastReceivedAt.getTime();
  return { lastReceivedAt: receivedAt, longestGapMs: Math.max(group.longestGapMs, gap) };
}

function factsOf(
  { now, group, source, firing, ruling, changed, receivedAt }: LockedGroup,
  history: History,
  silences: readonly ActiveSilence[],
): GroupFacts {
  const labels = silences.length === 0 ? [] : firing.map((alert) => matchedLabels(alert, source));
  const covered = coveringSilence(silences, group.team ?? null, labels);
  const excluded = firing.length > 0 && firing.every((alert) => alert.excluded);
  return {
    ...history,
    now: now.getTime(),
    firing: firing.length,
    alerts: group.alertCount,
    severity: firing.length > 0 ? worstSeverity(firing.map(({ severity }) => severity)) : group.severity,
    critical: firing
      .filter(({ severity }) => severity === 'CRITICAL')
      .map((alert) => ({ id: alert.id, name: alertName(alert) })),
    hasChanges: receivedAt === null || changed.length > 0,
    lastReceivedAt: receivedAt === null ? null : group.lastReceivedAt.getTime(),
    startedAt: Math.min(...[group.openedAt, ...changed.map(({ row }) => row.startsAt)].map(Number)),
    canary: ruling.isCanary ? (ruling.rule ?? '') : null,
    excludedBy: excluded ? (firing[0]!.rule ?? 'a rule') : null,
    silence: covered && { ...covered, endsAt: covered.endsAt.getTime() },
    reinvestigateAfterMs: ruling.reinvestigateAfterMs,
  };
}

interface AppliedWithGroup extends AppliedDecision {
  group: Partial<AlertGroupRow>;
}

async function applyDecision(
  deps: DecisionDeps,
  locked: LockedGroup,
  { decision, last }: { decision: Decision; last: LastSession | null },
): Promise<AppliedWithGroup> {
  const applied: AppliedWithGroup = { ...decision, newSession: null, group: {} };
  switch (decision.outcome) {
    case 'INVESTIGATED':
      return { ...applied, ...(await investigate(deps, locked, decision.reason)) };
    case 'CANARY':
      return { ...applied, ...(await applyCanary(deps, locked, decision)) };
    case 'JOINED':
      return { ...applied, group: await joinSession(locked, last!) };
    case 'SILENCED':
      await countMatched(locked.tx, decision.silenceId!, locked.firing.length);
      return applied;
    case 'RESOLVED':
      return { ...applied, ...(await applyResolved(deps, locked, { last, decision })) };
    default:
      return applied;
  }
}

/** Lets the group join a storm, or wait for a budget, or starts its session: the first that applies. */
async function investigate(
  deps: DecisionDeps,
  locked: LockedGroup,
  why: string,
): Promise<Partial<AppliedWithGroup>> {
  const storm = await joinStorm(deps, locked);
  if (storm !== null) return storm;
  const over = await deps.overBudget(locked.tx, subjectOf(locked));
  return over === null
    ? startGroupSession(deps, locked, why)
    : { outcome: 'OVER_BUDGET', reason: over, group: { lastOutcome: 'OVER_BUDGET' } };
}

type RuledGroup = Pick<LockedGroup, 'group' | 'source' | 'ruling'>;
export function subjectOf({ group, source, ruling }: RuledGroup): BudgetSubject {
  const alertType = ruling.alertType ?? group.alertType;
  return { alertType, team: group.team ?? null, source: source.name };
}

/** Records that a canary arrived. TARSy's own canary is also investigated, regardless of rules and budgets. */
async function applyCanary(
  deps: DecisionDeps,
  locked: LockedGroup,
  { reason, rule }: Decision,
): Promise<Partial<AppliedWithGroup>> {
  const { tx, now, source } = locked;
  const started = source.name === CANARY_SOURCE ? await startGroupSession(deps, locked, reason) : null;
  const sessionId = started?.sessionId ?? null;
  await recordArrival(tx, { source: source.name, rule: rule ?? '', at: now, sessionId });
  return started === null ? {} : { ...started, outcome: 'CANARY' };
}

/**
 * Adds a group to an active session: updates a waiting session's text or notifies a running one. Upkeep updates storms.
 */
async function joinSession(locked: LockedGroup, last: LastSession): Promise<Partial<AlertGroupRow>> {
  const { tx, group, firing, changed } = locked;
  if (!last.isStorm && !(await updateWaitingSession(locked, last))) {
    const isNotified = await notifySession(tx, last.id, changed, null);
    if (!isNotified) return { sessionId: last.id }; // the session has just ended, so it does not cover the new alerts
    await markFiring(tx, last.id);
  }
  return {
    sessionId: last.id,
    investigatedAt: group.investigatedAt,
    investigatedSeverity: worstSeverity([group.severity, last.severity]),
    investigatedNames: coveredNames(firing, last.covered),
  };
}

/** Updates the text of a waiting session, which a critical alert stops waiting for more. True if the session waits and its text is current. */
async function updateWaitingSession(locked: LockedGroup, { id, status }: LastSession): Promise<boolean> {
  if (locked.group.source === API_SOURCE) return status === 'PENDING'; // an alert text submitted by API never changes
  if (status !== 'PENDING') return false;
  const { data, headline } = await describeGroup(locked);
  const { groupWaitMs: waitMs } = locked.ruling;
  return updatePendingAlert(locked.tx, id, { data, headline, waitMs });
}

/** Cancels the group's session if it has not begun, or notifies the running session that the alerts are resolved. */
async function applyResolved(
  deps: DecisionDeps,
  { tx, group, ruling, changed }: LockedGroup,
  { last, decision }: { last: LastSession | null; decision: Decision },
): Promise<Partial<AppliedWithGroup>> {
  if (last === null || last.isStorm || last.id !== group.sessionId) return {};
  if (last.status === 'PENDING' && !ruling.investigateResolved) {
    const cancelled = await cancelPending(tx, last.id, 'Resolved before the investigation started.');
    if (cancelled) {
      await deps.notifySlack?.(tx, last.id, 'TERMINAL');
      await deps.dispatch(tx); // the session may have occupied a slot
      const reason = `${decision.reason} The investigation had not started and was cancelled.`;
      return { reason, sessionId: last.id, group: { sessionId: null } };
    }
  }
  await markResolved(tx, last.id);
  await notifySession(tx, last.id, changed, ruling.onResolve);
  return {};
}
