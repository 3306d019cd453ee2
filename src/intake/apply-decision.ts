import type { Logger } from 'pino';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { IntakeOutcome, Severity } from '../db/enums.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { worst } from '../engine/alert/severity.ts';
import type { Subject } from '../engine/cost/budgets.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import { noteFiring, noteResolved, renewAlert } from '../engine/journal/later-news.ts';
import { cancelWaiting } from '../engine/journal/sessions.ts';
import type { NotifySlack } from '../engine/slack/posts.ts';
import { CANARY_SOURCE } from './canary/alert.ts';
import { noteArrival } from './canary/store.ts';
import { type Decision, decide, type GroupFacts, isActive, type LastSession } from './decide.ts';
import { covering, type GroupNow, nameOf } from './locked-group.ts';
import { tellChanges } from './notify-session.ts';
import { matchedLabels } from './rules.ts';
import {
  beginInvestigation,
  groupText,
  type InvestigateDeps,
  investigateByItself,
} from './start-investigation.ts';
import { type History, historyOf, updateGroup } from './store/groups.ts';
import { type ActiveSilence, countMatched, coveringSilence } from './store/silences.ts';

/** The source of alerts that are submitted as text. */
export const API_SOURCE = 'api';

export interface SettleDeps extends InvestigateDeps {
  transaction: Transaction;
  dispatch: (tx: Queryable) => Promise<void>;
  notifySlack: NotifySlack | null;
  logger: Logger;
}

/** What was decided about a group. */
export interface Settled {
  outcome: IntakeOutcome;
  reason: string;
  rule: string | null;
  sessionId: string | null;
  silenceId: string | null;
  /** Sessions that are new, or were cancelled: to be told of after the commit. */
  begun: SessionSnapshot | null;
}

/** Decides about a group, does what follows from it, and stores the group. Its key must be locked. */
export async function settleGroup(
  deps: SettleDeps,
  tx: Queryable,
  now: Date,
  state: GroupNow,
  silences: readonly ActiveSilence[],
): Promise<Settled> {
  const history = await historyOf(tx, state.group.source, state.group.groupKey, now);
  const { settled, group } = await settle(deps, tx, now, state, silences, history);
  await updateGroup(tx, group);
  return settled;
}

/** As `settleGroup`, but for the storing: gives the group as it is then. */
export async function settle(
  deps: SettleDeps,
  tx: Queryable,
  now: Date,
  state: GroupNow,
  silences: readonly ActiveSilence[],
  history: History,
): Promise<{ settled: Settled; group: AlertGroupRow }> {
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
  const { group: changed, ...settled } = await follow(
    deps,
    tx,
    now,
    { ...state, group: next },
    decision,
    history.last,
    facts,
  );
  if (ruling.rule !== null && settled.rule === null && decision.outcome === 'INVESTIGATED')
    settled.rule = ruling.rule;
  return { settled, group: { ...next, ...changed } };
}

function receivedOf(group: AlertGroupRow, receivedAt: Date | null) {
  if (receivedAt === null) return {};
  const gap = receivedAt.getTime() - group.lastReceivedAt.getTime();
  return { lastReceivedAt: receivedAt, longestGapMs: Math.max(group.longestGapMs, gap) };
}

function factsOf(
  { group, source, firing, alerts, ruling, isNews, receivedAt }: GroupNow,
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
      .map((alert) => ({ id: alert.id, name: nameOf(alert) })),
    isNews,
    lastReceivedAt: receivedAt === null ? null : group.lastReceivedAt.getTime(),
    openedAt: group.openedAt.getTime(),
    canary: ruling.isCanary ? (ruling.rule ?? '') : null,
    excludedBy: excluded ? (firing[0]!.rule ?? 'a rule') : null,
    silence: covered && { ...covered, endsAt: covered.endsAt.getTime() },
    reinvestigateAfterMs: ruling.reinvestigateAfterMs,
  };
}

interface Followed extends Settled {
  /** What changes in the group's row. */
  group: Partial<AlertGroupRow>;
}

async function follow(
  deps: SettleDeps,
  tx: Queryable,
  now: Date,
  state: GroupNow,
  decision: Decision,
  last: LastSession | null,
  facts: GroupFacts,
): Promise<Followed> {
  const settled: Followed = { ...decision, begun: null, group: {} };
  switch (decision.outcome) {
    case 'INVESTIGATED': {
      const over = await deps.overBudget(tx, subjectOf(state));
      if (over !== null)
        return { ...settled, outcome: 'OVER_BUDGET', reason: over, group: { lastOutcome: 'OVER_BUDGET' } };
      return { ...settled, ...(await beginInvestigation(deps, tx, now, state, decision.reason)) };
    }
    case 'CANARY':
      return { ...settled, ...(await takeCanary(deps, tx, now, state, decision)) };
    case 'JOINED':
      return { ...settled, group: await join(tx, state, last!, facts.severity) };
    case 'SILENCED':
      await countMatched(tx, decision.silenceId!, state.firing.length);
      return settled;
    case 'RESOLVED':
      return { ...settled, ...(await resolve(deps, tx, state, last, decision)) };
    default:
      return settled;
  }
}

/** What budgets see of a group. */
export function subjectOf({ group, source, ruling }: Pick<GroupNow, 'group' | 'source' | 'ruling'>): Subject {
  const { name } = source;
  return {
    alertType: ruling.alertType ?? group.alertType,
    team: group.team ?? null,
    source: name,
  };
}

/** A sign of life is noted; the process's own is investigated, whatever is against it. */
async function takeCanary(
  deps: SettleDeps,
  tx: Queryable,
  now: Date,
  state: GroupNow,
  { reason, rule }: Decision,
): Promise<Partial<Followed>> {
  const { source } = state;
  const begun =
    source.name === CANARY_SOURCE ? await investigateByItself(deps, tx, now, state, reason) : null;
  await noteArrival(tx, {
    source: source.name,
    rule: rule ?? '',
    at: now,
    sessionId: begun?.sessionId ?? null,
  });
  return begun === null ? {} : { ...begun, outcome: 'CANARY' };
}

/** A session that waits gets the newer text, one that runs is told; it covers what joined. Storms are told together. */
async function join(
  tx: Queryable,
  state: GroupNow,
  last: LastSession,
  severity: Severity,
): Promise<Partial<AlertGroupRow>> {
  const { group, firing, changed } = state;
  if (!last.isStorm && !(await renewWaiting(tx, state, last))) {
    const isTold = await tellChanges(tx, last.id, changed, null);
    if (!isTold) return { sessionId: last.id }; // it has just ended: it stands for no more than it did
    await noteFiring(tx, last.id);
  }
  return {
    sessionId: last.id,
    investigatedAt: group.investigatedAt,
    investigatedSeverity: worst([severity, last.severity]),
    investigatedNames: covering(firing, last.covered),
  };
}

/** Whether the session's text could still be made anew: once it has begun, it is told instead. */
async function renewWaiting(tx: Queryable, state: GroupNow, { id, status }: LastSession): Promise<boolean> {
  if (state.group.source === API_SOURCE) return status === 'PENDING'; // what a person submitted stays as it is
  if (status !== 'PENDING') return false;
  const { data, headline } = await groupText(tx, state);
  return renewAlert(tx, id, data, headline);
}

/** A session that still waits is not run; another one is told when its problem was over. */
async function resolve(
  deps: SettleDeps,
  tx: Queryable,
  { group, ruling, changed }: GroupNow,
  last: LastSession | null,
  decision: Decision,
): Promise<Partial<Followed>> {
  if (last === null || last.isStorm || last.id !== group.sessionId) return {};
  if (last.status === 'PENDING' && !ruling.investigateResolved) {
    const cancelled = await cancelWaiting(tx, last.id, 'Resolved before it began.');
    if (cancelled) {
      await deps.notifySlack?.(tx, last.id, 'TERMINAL');
      await deps.dispatch(tx); // it may have held a slot
      const reason = `${decision.reason} Its investigation had not begun, and is not run.`;
      return { reason, sessionId: last.id, group: { sessionId: null } };
    }
  }
  await noteResolved(tx, last.id);
  await tellChanges(tx, last.id, changed, ruling.onResolve);
  return isActive(last) ? { sessionId: last.id } : {};
}
