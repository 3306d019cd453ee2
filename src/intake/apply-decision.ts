import type { Logger } from 'pino';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { IntakeOutcome, Severity } from '../db/enums.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { worst } from '../engine/alert/severity.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import type { Subject } from '../engine/features/budgets/budgets.ts';
import type { NotifySlack } from '../engine/features/slack/posts.ts';
import { noteFiring, noteResolved, renewAlert } from '../engine/store/alert-text-changes.ts';
import { cancelWaiting } from '../engine/store/sessions.ts';
import { CANARY_SOURCE } from './canary/alert.ts';
import { recordArrival } from './canary/store.ts';
import { type Decision, decide, type GroupFacts, isActive, type LastSession } from './decide.ts';
import { alertName, coveredNames, type LockedGroup } from './locked-group.ts';
import { notifySession } from './notify-session.ts';
import { matchedLabels } from './rules.ts';
import {
  describeGroup,
  type InvestigationDeps,
  startGroupSession,
  startInvestigation,
} from './start-investigation.ts';
import { type History, historyOf, updateGroup } from './store/groups.ts';
import { type ActiveSilence, countMatched, coveringSilence } from './store/silences.ts';

/** The source name of alerts submitted as text. */
export const API_SOURCE = 'api';

export interface DecisionDeps extends InvestigationDeps {
  transaction: Transaction;
  dispatch: (tx: Queryable) => Promise<void>;
  notifySlack: NotifySlack | null;
  logger: Logger;
}

/** The decision about a group, as it was carried out. */
export interface AppliedDecision {
  outcome: IntakeOutcome;
  reason: string;
  rule: string | null;
  sessionId: string | null;
  silenceId: string | null;
  /** The new session, or the cancelled one, to be announced after the commit. */
  begun: SessionSnapshot | null;
}

/** Decides about a group, carries the decision out and stores the group. The caller holds the lock of its key. */
export async function decideAndStore(
  deps: DecisionDeps,
  tx: Queryable,
  now: Date,
  state: LockedGroup,
  silences: readonly ActiveSilence[],
): Promise<AppliedDecision> {
  const history = await historyOf(tx, state.group.source, state.group.groupKey, now);
  const { applied, group } = await decideAndApply(deps, tx, now, state, silences, history);
  await updateGroup(tx, group);
  return applied;
}

/** Like `decideAndStore`, but returns the changed group instead of storing it. */
export async function decideAndApply(
  deps: DecisionDeps,
  tx: Queryable,
  now: Date,
  state: LockedGroup,
  silences: readonly ActiveSilence[],
  history: History,
): Promise<{ applied: AppliedDecision; group: AlertGroupRow }> {
  const { group, firing, ruling } = state;
  const facts = factsOf(state, history, silences, now);
  const decision = decide(facts);
  const next: AlertGroupRow = {
    ...group,
    severity: facts.severity,
    state: firing.length > 0 ? 'FIRING' : 'RESOLVED',
    flapping: decision.outcome === 'FLAPPING' || (group.flapping && history.flaps > 0),
    lastOutcome: decision.outcome === 'DUPLICATE' ? group.lastOutcome : decision.outcome,
    resolvedAt: firing.length > 0 ? null : (group.resolvedAt ?? now),
    ...receivedOf(group, state.receivedAt),
  };
  const { group: changed, ...applied } = await applyDecision(
    deps,
    tx,
    now,
    { ...state, group: next },
    decision,
    history.last,
    facts,
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
  { group, source, firing, alerts, ruling, hasChanges, receivedAt }: LockedGroup,
  history: { last: LastSession | null; flaps: number },
  silences: readonly ActiveSilence[],
  now: Date,
): GroupFacts {
  const covered =
    silences.length === 0 || firing.length === 0
      ? null
      : coveringSilence(
          silences,
          group.team ?? null,
          firing.map((alert) => matchedLabels(alert, source)),
        );
  const excluded = firing.length > 0 && firing.every((alert) => alert.excluded);
  return {
    ...history,
    now: now.getTime(),
    firing: firing.length,
    alerts,
    severity: firing.length > 0 ? worst(firing.map(({ severity }) => severity)) : group.severity,
    critical: firing
      .filter(({ severity }) => severity === 'CRITICAL')
      .map((alert) => ({ id: alert.id, name: alertName(alert) })),
    hasChanges,
    lastReceivedAt: receivedAt === null ? null : group.lastReceivedAt.getTime(),
    openedAt: group.openedAt.getTime(),
    canary: ruling.isCanary ? (ruling.rule ?? '') : null,
    excludedBy: excluded ? (firing[0]!.rule ?? 'a rule') : null,
    silence: covered && { ...covered, endsAt: covered.endsAt.getTime() },
    reinvestigateAfterMs: ruling.reinvestigateAfterMs,
  };
}

interface AppliedWithGroup extends AppliedDecision {
  /** The columns of the group's row that change. */
  group: Partial<AlertGroupRow>;
}

async function applyDecision(
  deps: DecisionDeps,
  tx: Queryable,
  now: Date,
  state: LockedGroup,
  decision: Decision,
  last: LastSession | null,
  facts: GroupFacts,
): Promise<AppliedWithGroup> {
  const applied: AppliedWithGroup = { ...decision, begun: null, group: {} };
  switch (decision.outcome) {
    case 'INVESTIGATED': {
      const over = await deps.overBudget(tx, subjectOf(state));
      if (over !== null)
        return { ...applied, outcome: 'OVER_BUDGET', reason: over, group: { lastOutcome: 'OVER_BUDGET' } };
      return { ...applied, ...(await startInvestigation(deps, tx, now, state, decision.reason)) };
    }
    case 'CANARY':
      return { ...applied, ...(await applyCanary(deps, tx, now, state, decision)) };
    case 'JOINED':
      return { ...applied, group: await joinSession(tx, state, last!, facts.severity) };
    case 'SILENCED':
      await countMatched(tx, decision.silenceId!, state.firing.length);
      return applied;
    case 'RESOLVED':
      return { ...applied, ...(await applyResolved(deps, tx, state, last, decision)) };
    default:
      return applied;
  }
}

/** Returns what budgets are matched against. */
export function subjectOf({
  group,
  source,
  ruling,
}: Pick<LockedGroup, 'group' | 'source' | 'ruling'>): Subject {
  const { name } = source;
  return {
    alertType: ruling.alertType ?? group.alertType,
    team: group.team ?? null,
    source: name,
  };
}

/** Records a heartbeat. The process's own canary is also investigated, whatever rules and budgets say. */
async function applyCanary(
  deps: DecisionDeps,
  tx: Queryable,
  now: Date,
  state: LockedGroup,
  { reason, rule }: Decision,
): Promise<Partial<AppliedWithGroup>> {
  const { source } = state;
  const begun = source.name === CANARY_SOURCE ? await startGroupSession(deps, tx, now, state, reason) : null;
  await recordArrival(tx, {
    source: source.name,
    rule: rule ?? '',
    at: now,
    sessionId: begun?.sessionId ?? null,
  });
  return begun === null ? {} : { ...begun, outcome: 'CANARY' };
}

/**
 * Adds the group to an active session: updates the text of a waiting session, or notifies a running one. Storms are
 * notified by `updateStorms`.
 */
async function joinSession(
  tx: Queryable,
  state: LockedGroup,
  last: LastSession,
  severity: Severity,
): Promise<Partial<AlertGroupRow>> {
  const { group, firing, changed } = state;
  if (!last.isStorm && !(await updateWaitingSession(tx, state, last))) {
    const isTold = await notifySession(tx, last.id, changed, null);
    if (!isTold) return { sessionId: last.id }; // the session has just ended and covers no more than before
    await noteFiring(tx, last.id);
  }
  return {
    sessionId: last.id,
    investigatedAt: group.investigatedAt,
    investigatedSeverity: worst([severity, last.severity]),
    investigatedNames: coveredNames(firing, last.covered),
  };
}

/** True if the waiting session's text was updated. A session that has begun is notified instead. */
async function updateWaitingSession(
  tx: Queryable,
  state: LockedGroup,
  { id, status }: LastSession,
): Promise<boolean> {
  if (state.group.source === API_SOURCE) return status === 'PENDING'; // a submitted text is never changed
  if (status !== 'PENDING') return false;
  const { data, headline } = await describeGroup(tx, state);
  return renewAlert(tx, id, data, headline);
}

/** Cancels a session that has not begun, or notifies a running one that its problem is over. */
async function applyResolved(
  deps: DecisionDeps,
  tx: Queryable,
  { group, ruling, changed }: LockedGroup,
  last: LastSession | null,
  decision: Decision,
): Promise<Partial<AppliedWithGroup>> {
  if (last === null || last.isStorm || last.id !== group.sessionId) return {};
  if (last.status === 'PENDING' && !ruling.investigateResolved) {
    const cancelled = await cancelWaiting(tx, last.id, 'Resolved before it began.');
    if (cancelled) {
      await deps.notifySlack?.(tx, last.id, 'TERMINAL');
      await deps.dispatch(tx); // the session may have occupied a slot
      const reason = `${decision.reason} Its investigation had not begun, and is not run.`;
      return { reason, sessionId: last.id, group: { sessionId: null } };
    }
  }
  await noteResolved(tx, last.id);
  await notifySession(tx, last.id, changed, ruling.onResolve);
  return isActive(last) ? { sessionId: last.id } : {};
}
