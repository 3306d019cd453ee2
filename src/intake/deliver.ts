import { v7 as uuidv7 } from 'uuid';
import type { SourceConfig } from '../config/types.ts';
import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { IntakeOutcome } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import { compare } from './compare.ts';
import type { ParsedDelivery } from './delivery.ts';
import type { Ruling } from './rules.ts';
import { type SettleDeps, type Settled, settleGroup } from './settle.ts';
import { worst } from './severity.ts';
import {
  type ArrivedAlert,
  firingAlerts,
  lockAlerts,
  openGroupKeys,
  storeAlerts,
  type TakenAlert,
  takeAlert,
} from './store/alerts.ts';
import { type NewDecision, noteDelivery, storeDecisions } from './store/decisions.ts';
import { insertGroups, lockGroupKeys, openGroups } from './store/groups.ts';
import { activeSilences } from './store/silences.ts';

/** An alert of a delivery, masked, with its ruling. */
export interface RuledAlert extends ArrivedAlert {
  readonly ruling: Ruling;
}

/** What became of one group of a delivery. */
export interface GroupAnswer {
  groupId: string;
  groupKey: string;
  outcome: IntakeOutcome;
  reason: string;
  sessionId: string | null;
  alerts: number;
}

export interface DeliveryAnswer {
  /** Whether it was taken before, and so changed nothing. */
  repeated: boolean;
  groups: GroupAnswer[];
}

/** What is needed of a source to store and decide. */
export type DeliverSource = Pick<SourceConfig, 'name' | 'alertType'>;

export interface DeliverDeps extends SettleDeps {
  /** Alert type of alerts for which nothing says one. */
  defaultAlertType: string | null;
}

/**
 * Takes a delivery in one transaction: all of it is stored and decided on, or nothing is and it may be sent again.
 * @throws TooManyAlertsError, ValidationError
 */
export async function deliver(
  deps: DeliverDeps,
  source: DeliverSource,
  parsed: Pick<ParsedDelivery, 'deliveryKey'>,
  alerts: readonly RuledAlert[],
): Promise<DeliveryAnswer> {
  const begun: SessionSnapshot[] = [];
  const answer = await deps.transaction((tx) => takeIn(deps, tx, source, parsed.deliveryKey, alerts, begun));
  for (const session of begun) deps.submissions.stored(session);
  return answer;
}

/** As `deliver`, in the caller's transaction; sessions that are new go into `begun`. */
export async function takeIn(
  deps: DeliverDeps,
  tx: Queryable,
  source: DeliverSource,
  deliveryKey: string | null,
  alerts: readonly RuledAlert[],
  begun: SessionSnapshot[],
): Promise<DeliveryAnswer> {
  const now = await noteDelivery(tx, { source: source.name, deliveryKey, alerts: alerts.length });
  if (now === null || alerts.length === 0) return { repeated: now === null, groups: [] };
  const distinct = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
  const fingerprints = distinct.map(({ fingerprint }) => fingerprint).sort();
  const stays = await openGroupKeys(tx, source.name, fingerprints);
  const byKey = Map.groupBy(distinct, (alert) => stays.get(alert.fingerprint) ?? alert.ruling.groupKey);
  await lockGroupKeys(tx, source.name, [...byKey.keys()]);
  const known = await lockAlerts(tx, source.name, fingerprints);
  const groups = await groupsFor(deps, tx, source, byKey, known, now);
  const taken = takeAll(source.name, byKey, groups, known, now);
  await storeAlerts(
    tx,
    [...taken.values()].flat().map(({ row }) => row),
  );
  return decideAll(deps, tx, { source, byKey, groups, taken, now, begun });
}

/** The group of each key: the open one, or a new one where something begins that none is open for. */
async function groupsFor(
  deps: DeliverDeps,
  tx: Queryable,
  source: DeliverSource,
  byKey: ReadonlyMap<string, readonly RuledAlert[]>,
  known: ReadonlyMap<string, AlertRow>,
  now: Date,
): Promise<Map<string, AlertGroupRow>> {
  const open = await openGroups(tx, source.name, [...byKey.keys()]);
  const created: AlertGroupRow[] = [];
  for (const [groupKey, members] of byKey) {
    if (open.has(groupKey)) continue;
    const beginning = members.filter((alert) => {
      const change = compare(known.get(alert.fingerprint) ?? null, alert);
      return change === 'NEW' || change === 'EPISODE';
    });
    if (beginning.length > 0) created.push(newGroup(deps, source, groupKey, beginning, now));
  }
  await insertGroups(
    tx,
    created.map((group) => ({ ...group, now })),
  );
  return new Map([...open, ...created.map((group) => [group.groupKey, group] as const)]);
}

function newGroup(
  deps: DeliverDeps,
  source: DeliverSource,
  groupKey: string,
  alerts: readonly RuledAlert[],
  now: Date,
): AlertGroupRow {
  const first = alerts.find(({ state }) => state === 'FIRING') ?? alerts[0]!;
  return {
    id: uuidv7(),
    source: source.name,
    groupKey,
    title: first.title,
    severity: worst(alerts.map(({ severity }) => severity)),
    state: first.state,
    alertType: first.ruling.alertType ?? deps.defaultAlertType ?? '',
    team: first.ruling.team,
    alertCount: 0,
    firingCount: 0,
    flapping: false,
    lastOutcome: null,
    sessionId: null,
    investigatedAt: null,
    investigatedSeverity: null,
    investigatedNames: null,
    longestGapMs: 0,
    openedAt: now,
    lastReceivedAt: now,
    resolvedAt: null,
    isStale: false,
  };
}

function takeAll(
  source: string,
  byKey: ReadonlyMap<string, readonly RuledAlert[]>,
  groups: ReadonlyMap<string, AlertGroupRow>,
  known: ReadonlyMap<string, AlertRow>,
  now: Date,
): Map<string, TakenAlert[]> {
  const taken = new Map<string, TakenAlert[]>();
  for (const [groupKey, members] of byKey) {
    const group = groups.get(groupKey);
    const rows = members.map((alert) => {
      const before = known.get(alert.fingerprint) ?? null;
      // Without a group nothing begins: each alert is known, and over.
      return takeAlert(before, alert, { source, groupId: group?.id ?? before!.groupId }, now);
    });
    taken.set(groupKey, rows);
  }
  return taken;
}

interface Taking {
  source: DeliverSource;
  byKey: ReadonlyMap<string, readonly RuledAlert[]>;
  groups: ReadonlyMap<string, AlertGroupRow>;
  taken: ReadonlyMap<string, readonly TakenAlert[]>;
  now: Date;
  begun: SessionSnapshot[];
}

async function decideAll(deps: DeliverDeps, tx: Queryable, taking: Taking): Promise<DeliveryAnswer> {
  const { source, byKey, groups, taken, now, begun } = taking;
  const silences = await activeSilences(tx, now);
  const firing = Map.groupBy(
    await firingAlerts(
      tx,
      [...groups.values()].map(({ id }) => id),
    ),
    ({ groupId }) => groupId,
  );
  const answers: GroupAnswer[] = [];
  const decisions: NewDecision[] = [];
  for (const [groupKey, members] of byKey) {
    const group = groups.get(groupKey);
    const rows = taken.get(groupKey)!;
    if (group === undefined) {
      decisions.push(...rows.map(lateDecision));
      answers.push(
        ...rows.slice(0, 1).map((alert) => ({ ...lateDecision(alert), groupKey, alerts: rows.length })),
      );
      continue;
    }
    const changed = rows.filter(({ change }) => change !== 'SAME' && change !== 'OLD');
    const settled = await settleGroup(
      deps,
      tx,
      now,
      {
        group,
        source,
        firing: firing.get(group.id) ?? [],
        alerts: Math.max(group.alertCount, rows.length),
        ruling: rulingOf(members),
        isNews: changed.length > 0,
        changed,
        receivedAt: now,
      },
      silences,
    );
    if (settled.begun) begun.push(settled.begun);
    decisions.push(...rows.map((alert) => decisionFor(alert, group.id, settled)));
    answers.push({ ...settled, groupId: group.id, groupKey, alerts: rows.length });
  }
  await storeDecisions(tx, source.name, now, decisions);
  return {
    repeated: false,
    groups: answers.map(({ groupId, groupKey, outcome, reason, sessionId, alerts }) => ({
      groupId,
      groupKey,
      outcome,
      reason,
      sessionId,
      alerts,
    })),
  };
}

/** That of the worst alert that fires, and that is to be investigated if any is. */
export function rulingOf(members: readonly { state: string; ruling: Ruling }[]): Ruling {
  const firing = members.filter(({ state }) => state === 'FIRING').map(({ ruling }) => ruling);
  const wanted = firing.filter(({ isExcluded }) => !isExcluded);
  const rulings =
    wanted.length > 0 ? wanted : firing.length > 0 ? firing : members.map(({ ruling }) => ruling);
  const severity = worst(rulings.map((ruling) => ruling.severity));
  const ruling = rulings.find((each) => each.severity === severity)!;
  return { ...ruling, isCanary: firing.length > 0 && firing.every(({ isCanary }) => isCanary) };
}

function decisionFor({ row, change }: TakenAlert, groupId: string, settled: Settled): NewDecision {
  if (change === 'OLD') return { ...lateDecision({ row, change }), groupId };
  const { outcome, reason, rule, sessionId, silenceId } = settled;
  return { outcome, reason, rule, sessionId, silenceId, alertId: row.id, groupId };
}

/** Of an alert that is over already, or that a delivery tells of too late. */
function lateDecision({ row, change }: TakenAlert): NewDecision {
  const isOld = change === 'OLD';
  return {
    outcome: isOld ? 'DUPLICATE' : 'RESOLVED',
    reason: isOld
      ? 'The delivery is older than what is known of the alert, and changes nothing.'
      : 'The source says again that it is over.',
    rule: null,
    alertId: row.id,
    groupId: row.groupId,
    sessionId: null,
    silenceId: null,
  };
}
