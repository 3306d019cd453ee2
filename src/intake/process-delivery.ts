import { uuidv7 } from '../common/uuidv7.ts';
import type { SourceConfig } from '../config/types.ts';
import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { IntakeOutcome } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { worst } from '../engine/alert/severity.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import { type SettleDeps, type Settled, settle } from './apply-decision.ts';
import { compare } from './classify-change.ts';
import type { ParsedDelivery } from './delivery.ts';
import { firingByGroup, firingFirst, type GroupNow } from './locked-group.ts';
import type { Ruling } from './rules.ts';
import { type ArrivedAlert, type FiringAlert, type TakenAlert, takeAlert } from './store/alerts.ts';
import type { NewDecision } from './store/decisions.ts';
import { beginDelivery, type Known, readKnown } from './store/delivery.ts';
import { storeLeft } from './store/write-delivery.ts';
import { isFarFromStorm } from './storm.ts';

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
  const distinct = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
  const fingerprints = distinct.map(({ fingerprint }) => fingerprint);
  const begin = { source: source.name, deliveryKey, alerts: alerts.length, fingerprints };
  const groupKeys = distinct.map(({ ruling }) => ruling.groupKey);
  const locked = await beginDelivery(tx, { ...begin, groupKeys });
  if (locked === null || alerts.length === 0) return { repeated: locked === null, groups: [] };
  const { now, keys } = locked;
  const byKey = Map.groupBy(distinct, ({ fingerprint }) => keys.get(fingerprint)!);
  const known = await readKnown(
    tx,
    { source: source.name, fingerprints, groupKeys: [...byKey.keys()], now },
    deps.config.storm,
  );
  const groups = groupsFor(deps, source, byKey, known, now);
  const taken = takeAll(source.name, byKey, groups, known.alerts, now);
  return decideAll(deps, tx, { source, byKey, groups, known, taken, now, begun });
}

/** The group of each key: the open one, or a new one where something begins that none is open for. */
function groupsFor(
  deps: DeliverDeps,
  source: DeliverSource,
  byKey: ReadonlyMap<string, readonly RuledAlert[]>,
  known: Known,
  now: Date,
): Map<string, AlertGroupRow> {
  const groups = new Map<string, AlertGroupRow>();
  for (const [groupKey, members] of byKey) {
    const open = known.groups.get(groupKey);
    const beginning = members.filter((alert) => {
      const change = compare(known.alerts.get(alert.fingerprint) ?? null, alert, now);
      return change === 'NEW' || change === 'EPISODE';
    });
    if (open) groups.set(groupKey, open);
    else if (beginning.length > 0) groups.set(groupKey, newGroup(deps, source, groupKey, beginning, now));
  }
  return groups;
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
  known: Known;
  taken: ReadonlyMap<string, readonly TakenAlert[]>;
  now: Date;
  begun: SessionSnapshot[];
}

async function decideAll(deps: DeliverDeps, tx: Queryable, taking: Taking): Promise<DeliveryAnswer> {
  const { source, byKey, known, taken, now, begun } = taking;
  const all = [...taken.values()].flat();
  const firing = firingByGroup(all, known.firing);
  const groups = new Map(countedGroups(taking, all, firing).map((group) => [group.groupKey, group]));
  const answers: GroupAnswer[] = [];
  const decisions: NewDecision[] = [];
  const left = { groups: new Set(groups.keys()), alerts: all.map(({ row }) => row) };
  // Only what is not stored yet: who asks for each of many groups would store all of them each time.
  const storeWith = async (decisions: readonly NewDecision[]) => {
    const rows = [...left.groups].map((key) => groups.get(key)!);
    await storeLeft(tx, source.name, now, { groups: rows, alerts: left.alerts, decisions });
    left.groups.clear();
    left.alerts = [];
  };
  const store = async () => {
    if (left.groups.size > 0) await storeWith([]);
  };
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
    const state: GroupNow = {
      group,
      source,
      firing: firing.get(group.id) ?? [],
      alerts: group.alertCount,
      ruling: rulingOf(members),
      isNews: changed.length > 0,
      changed,
      receivedAt: now,
      store,
      isFarFromStorm: isFarFromStorm(
        { ...known.recent, groups: known.recent.groups + begun.length },
        deps.config.storm,
      ),
      ...(known.groups.has(groupKey) ? {} : { whole: rows.map(({ row }) => row).sort(firingFirst) }),
    };
    const history = known.histories.get(groupKey)!;
    const { settled, group: next } = await settle(deps, tx, now, state, known.silences, history);
    groups.set(groupKey, next);
    left.groups.add(groupKey);
    if (settled.begun) begun.push(settled.begun);
    decisions.push(...rows.map((alert) => decisionFor(alert, group.id, settled)));
    answers.push({ ...settled, groupId: group.id, groupKey, alerts: rows.length });
  }
  await storeWith(decisions);
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

/** The groups with the numbers of their alerts as they are after the delivery. */
function countedGroups(
  { groups, known }: Taking,
  all: readonly TakenAlert[],
  firing: ReadonlyMap<string, readonly FiringAlert[]>,
): AlertGroupRow[] {
  const more = new Map<string, number>();
  for (const { row } of all) {
    const before = known.alerts.get(row.fingerprint)?.groupId;
    if (before === row.groupId) continue;
    if (before !== undefined) more.set(before, (more.get(before) ?? 0) - 1);
    more.set(row.groupId, (more.get(row.groupId) ?? 0) + 1);
  }
  return [...groups.values()].map((group) => ({
    ...group,
    alertCount: group.alertCount + (more.get(group.id) ?? 0),
    firingCount: firing.get(group.id)?.length ?? 0,
  }));
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
