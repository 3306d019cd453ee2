import { uuidv7 } from '../common/uuidv7.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import { worstSeverity } from '../engine/alert/severity.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import { type AppliedDecision, type DecisionDeps, decideAndApply } from './apply-decision.ts';
import { classifyChange } from './classify-change.ts';
import { decisionOf } from './decide.ts';
import type { SourceRef } from './delivery.ts';
import { firingByGroup, firingFirst, type LockedGroup } from './locked-group.ts';
import type { RuledAlert, Ruling } from './rules.ts';
import { type FiringAlert, type MergedAlert, mergeAlert } from './store/alerts.ts';
import { type KnownState, readKnownState, registerDelivery } from './store/delivery.ts';
import { type NewDecision, writeRows } from './store/rows.ts';
import { isFarFromStorm } from './storm.ts';

export interface GroupResult extends Pick<NewDecision, 'groupId' | 'outcome' | 'reason' | 'sessionId'> {
  alerts: number;
}

export interface DeliveryResult {
  /** True if the same delivery was processed before, so that this repetition changed nothing. */
  repeated: boolean;
  groups: GroupResult[];
}

interface NewAlerts {
  source: SourceRef;
  /** The sender's own id of the delivery; `null` if it has none. */
  deliveryKey: string | null;
  alerts: readonly RuledAlert[];
}

/** A processed delivery. The caller announces `newSessions` after the commit. */
interface ProcessedDelivery {
  result: DeliveryResult;
  newSessions: SessionSnapshot[];
}

export interface DeliveryDeps extends DecisionDeps {
  /** The alert type of alerts for which neither rule nor source sets one. */
  defaultAlertType: string | null;
}

/**
 * Processes a delivery in one transaction. On failure nothing is stored, and the sender may retry.
 * @throws TooManyAlertsError, ValidationError
 */
export async function processDelivery(deps: DeliveryDeps, delivery: NewAlerts): Promise<DeliveryResult> {
  const { result, newSessions } = await deps.transaction((tx) => processInTransaction(deps, tx, delivery));
  for (const session of newSessions) deps.submissions.stored(session);
  return result;
}

export async function processInTransaction(
  deps: DeliveryDeps,
  tx: Queryable,
  { source, deliveryKey, alerts }: NewAlerts,
): Promise<ProcessedDelivery> {
  const distinct = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
  const fingerprints = distinct.map(({ fingerprint }) => fingerprint);
  const begin = { source: source.name, deliveryKey, alerts: alerts.length, fingerprints };
  const groupKeys = distinct.map(({ ruling }) => ruling.groupKey);
  const locked = await registerDelivery(tx, { ...begin, groupKeys });
  if (locked === null || alerts.length === 0)
    return { result: { repeated: locked === null, groups: [] }, newSessions: [] };
  const { now, keys } = locked;
  const byKey = Map.groupBy(distinct, ({ fingerprint }) => keys.get(fingerprint)!);
  const asked = { source: source.name, fingerprints, groupKeys: [...byKey.keys()], now };
  const known = await readKnownState(tx, asked, deps.config.storm);
  const received = { source, byKey, known, now };
  const groups = groupsFor(deps, received);
  const merged = mergeAlerts(received, groups);
  return decideAll(deps, tx, { ...received, groups, merged });
}

/** The alerts of a delivery by group key, with the stored state of their groups. */
interface ReceivedAlerts {
  source: SourceRef;
  byKey: ReadonlyMap<string, readonly RuledAlert[]>;
  known: KnownState;
  now: Date;
}

/** Returns each key's open group, or a new group if an alert is new or fires again. Other keys have no group. */
function groupsFor(
  deps: DeliveryDeps,
  { source, byKey, known, now }: ReceivedAlerts,
): Map<string, AlertGroupRow> {
  const groups = new Map<string, AlertGroupRow>();
  for (const [groupKey, members] of byKey) {
    const beginning = members.filter((alert) => {
      const change = classifyChange(known.alerts.get(alert.fingerprint) ?? null, alert, now);
      return change === 'NEW' || change === 'EPISODE';
    });
    const identity = { source: source.name, groupKey, openedAt: now };
    const open = known.groups.get(groupKey);
    if (open || beginning.length > 0) groups.set(groupKey, open ?? newGroup(deps, identity, beginning));
  }
  return groups;
}

function newGroup(
  deps: DeliveryDeps,
  identity: Pick<AlertGroupRow, 'source' | 'groupKey' | 'openedAt'>,
  alerts: readonly RuledAlert[],
): AlertGroupRow {
  const first = alerts.find(({ state }) => state === 'FIRING') ?? alerts[0]!;
  return {
    id: uuidv7(),
    ...identity,
    title: first.title,
    severity: worstSeverity(alerts.map(({ severity }) => severity)),
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
    lastReceivedAt: identity.openedAt,
    resolvedAt: null,
    isStale: false,
  };
}

function mergeAlerts(
  { source, byKey, known, now }: ReceivedAlerts,
  groups: ReadonlyMap<string, AlertGroupRow>,
): Map<string, MergedAlert[]> {
  const merged = new Map<string, MergedAlert[]>();
  for (const [groupKey, members] of byKey) {
    const group = groups.get(groupKey);
    const rows = members.map((alert) => {
      const before = known.alerts.get(alert.fingerprint) ?? null;
      // Without a group, no alert is new or fires again: every alert is known and resolved.
      return mergeAlert(before, alert, { source: source.name, groupId: group?.id ?? before!.groupId }, now);
    });
    merged.set(groupKey, rows);
  }
  return merged;
}

interface DeliveryState extends ReceivedAlerts {
  groups: ReadonlyMap<string, AlertGroupRow>;
  merged: ReadonlyMap<string, readonly MergedAlert[]>;
}

async function decideAll(
  deps: DeliveryDeps,
  tx: Queryable,
  state: DeliveryState,
): Promise<ProcessedDelivery> {
  const newSessions: SessionSnapshot[] = [];
  const { source, byKey, known, merged, now } = state;
  const { recent } = known;
  const { storm } = deps.config;
  const all = [...merged.values()].flat();
  const firing = firingByGroup(all, known.firing);
  const groups = new Map(countedGroups(state, all, firing).map((group) => [group.groupKey, group]));
  const answers: GroupResult[] = [];
  const decisions: NewDecision[] = [];
  const left = { groups: new Set(groups.keys()), alerts: all.map(({ row }) => row) };
  // Writes each group and alert once, although every group of a delivery may call this function.
  const storeWith = async (decisions: readonly NewDecision[]) => {
    const rows = [...left.groups].map((key) => groups.get(key)!);
    await writeRows(tx, source.name, now, { groups: rows, alerts: left.alerts, decisions });
    left.groups.clear();
    left.alerts = [];
  };
  const storeRows = async () => {
    if (left.groups.size > 0) await storeWith([]);
  };
  for (const [groupKey, members] of byKey) {
    const group = groups.get(groupKey);
    const rows = merged.get(groupKey)!;
    if (group === undefined) {
      decisions.push(...rows.map(lateDecision));
      answers.push({ ...lateDecision(rows[0]!), alerts: rows.length });
      continue;
    }
    const changed = rows.filter(({ change }) => change !== 'SAME' && change !== 'OLD');
    const lockedGroup: LockedGroup = {
      tx,
      now,
      group,
      source,
      firing: firing.get(group.id) ?? [],
      ruling: strongestRuling(members),
      changed,
      receivedAt: now,
      storeRows,
      isFarFromStorm: isFarFromStorm({ ...recent, groups: recent.groups + newSessions.length }, storm),
      ...(known.groups.has(groupKey) ? {} : { allAlerts: rows.map(({ row }) => row).sort(firingFirst) }),
    };
    const context = { silences: known.silences, history: known.histories.get(groupKey)! };
    const { applied, group: next } = await decideAndApply(deps, lockedGroup, context);
    groups.set(groupKey, next);
    left.groups.add(groupKey);
    if (applied.newSession) newSessions.push(applied.newSession);
    decisions.push(...rows.map((alert) => decisionFor(alert, group.id, applied)));
    answers.push({ ...applied, groupId: group.id, alerts: rows.length });
  }
  await storeWith(decisions);
  return { result: { repeated: false, groups: answers }, newSessions };
}

function countedGroups(
  { groups, known }: DeliveryState,
  all: readonly MergedAlert[],
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

/** Returns the ruling of the most severe firing alert. Alerts to investigate take precedence over excluded ones. */
export function strongestRuling(members: readonly { state: string; ruling: Ruling }[]): Ruling {
  const firing = members.filter(({ state }) => state === 'FIRING').map(({ ruling }) => ruling);
  const wanted = firing.filter(({ isExcluded }) => !isExcluded);
  const rulings =
    wanted.length > 0 ? wanted : firing.length > 0 ? firing : members.map(({ ruling }) => ruling);
  const severity = worstSeverity(rulings.map((ruling) => ruling.severity));
  const ruling = rulings.find((each) => each.severity === severity)!;
  return { ...ruling, isCanary: firing.length > 0 && firing.every(({ isCanary }) => isCanary) };
}

function decisionFor({ row, change }: MergedAlert, groupId: string, applied: AppliedDecision): NewDecision {
  if (change === 'OLD') return { ...lateDecision({ row, change }), groupId };
  return { ...applied, alertId: row.id, groupId };
}

/** Returns the decision about an alert that is already resolved, or whose delivery came late. */
function lateDecision({ row, change }: MergedAlert): NewDecision {
  const decision =
    change === 'OLD'
      ? decisionOf('DUPLICATE', 'The delivery is older than what is known of the alert, and changes nothing.')
      : decisionOf('RESOLVED', 'The source says again that it is over.');
  return { ...decision, alertId: row.id, groupId: row.groupId };
}
