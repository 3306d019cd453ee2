import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import { type AppliedDecision, type DecisionDeps, decideAndApply } from './apply-decision.ts';
import { isPast } from './classify-change.ts';
import { decisionOf } from './decide.ts';
import type { SourceRef } from './delivery.ts';
import { firingByGroup, firingFirst, type LockedGroup } from './locked-group.ts';
import { latestRows, type MergedReports, mergeReports } from './merge-reports.ts';
import { type RuledAlert, strongestRuling } from './rules.ts';
import type { FiringAlert, MergedAlert } from './store/alerts.ts';
import { type KnownState, readKnownState, registerDelivery } from './store/delivery.ts';
import { closeLeftGroups } from './store/left-groups.ts';
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
  mayReuseStart?: boolean;
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

/**
 * Processes a delivery in a transaction. Each of its reports gets one decision.
 *
 *   1. records the delivery and locks the groups of its alerts
 *   2. merges each report into the known alert
 *   3. decides about each group, unless all reports about it are about the past (see `isPast`)
 *   4. writes groups, alerts and decisions
 */
export async function processInTransaction(
  deps: DeliveryDeps,
  tx: Queryable,
  { source, deliveryKey, alerts, mayReuseStart = false }: NewAlerts,
): Promise<ProcessedDelivery> {
  const last = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
  const fingerprints = last.map(({ fingerprint }) => fingerprint);
  const locked = await registerDelivery(tx, {
    source: source.name,
    deliveryKey,
    alerts: alerts.length,
    fingerprints,
    groupKeys: last.map(({ ruling }) => ruling.groupKey),
    areAlone: last.map(({ ruling }) => ruling.isCanary),
  });
  if (locked === null || alerts.length === 0)
    return { result: { repeated: locked === null, groups: [] }, newSessions: [] };
  const { now, keys } = locked;
  const byKey = Map.groupBy(alerts, ({ fingerprint }) => keys.get(fingerprint)!);
  const asked = { source: source.name, fingerprints, groupKeys: [...byKey.keys()], now };
  const known = await readKnownState(tx, asked, deps.config.storm);
  const received = { source, known, now, defaultAlertType: deps.defaultAlertType, mayReuseStart };
  const merged = [...byKey].map(([groupKey, members]) => mergeReports(received, groupKey, members));
  const processed = await decideAll(deps, tx, { source, known, now, merged });
  if (locked.left.length > 0) await closeLeftGroups(tx, { source: source.name, keys: locked.left, now });
  return processed;
}

interface DeliveryState {
  source: SourceRef;
  known: KnownState;
  now: Date;
  merged: readonly MergedReports[];
}

async function decideAll(
  deps: DeliveryDeps,
  tx: Queryable,
  state: DeliveryState,
): Promise<ProcessedDelivery> {
  const newSessions: SessionSnapshot[] = [];
  const { source, known, merged, now } = state;
  const { recent } = known;
  const { storm } = deps.config;
  const all = latestRows(merged);
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
  for (const { groupKey, members, reports, isNew } of merged) {
    const group = groups.get(groupKey);
    if (group === undefined || reports.every(({ change }) => isPast(change))) {
      const past = reports.map(pastDecision);
      decisions.push(...past);
      answers.push({ ...past[0]!, alerts: reports.length });
      continue;
    }
    const lockedGroup: LockedGroup = {
      tx,
      now,
      group,
      source,
      firing: firing.get(group.id) ?? [],
      ruling: strongestRuling(members),
      changed: reports.filter(({ change }) => change !== 'SAME' && !isPast(change)),
      receivedAt: now,
      storeRows,
      isFarFromStorm: isFarFromStorm({ ...recent, groups: recent.groups + newSessions.length }, storm),
      ...(isNew ? { allAlerts: rowsOf(group, all) } : {}),
    };
    const context = { silences: known.silences, history: known.histories.get(groupKey)! };
    const { applied, group: next } = await decideAndApply(deps, lockedGroup, context);
    groups.set(groupKey, next);
    left.groups.add(groupKey);
    if (applied.newSession) newSessions.push(applied.newSession);
    decisions.push(...reports.map((report) => decisionFor(report, group.id, applied)));
    answers.push({ ...applied, groupId: group.id, alerts: reports.length });
  }
  await storeWith(decisions);
  return { result: { repeated: false, groups: answers }, newSessions };
}

function rowsOf({ id }: AlertGroupRow, all: readonly MergedAlert[]): AlertRow[] {
  return all
    .map(({ row }) => row)
    .filter(({ groupId }) => groupId === id)
    .sort(firingFirst);
}

function countedGroups(
  { merged, known }: DeliveryState,
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
  return merged.flatMap(({ group }) =>
    group === null
      ? []
      : {
          ...group,
          alertCount: group.alertCount + (more.get(group.id) ?? 0),
          firingCount: firing.get(group.id)?.length ?? 0,
        },
  );
}

function decisionFor(report: MergedAlert, groupId: string, applied: AppliedDecision): NewDecision {
  if (isPast(report.change)) return { ...pastDecision(report), groupId };
  return { ...applied, alertId: report.row.id, groupId };
}

/**
 * Returns the decision about a report that changes nothing: the alert was resolved before, or the report is too old.
 */
function pastDecision({ row, change }: MergedAlert): NewDecision {
  const decision =
    change === 'OLD'
      ? decisionOf('DUPLICATE', `Outdated report ignored. The alert is ${row.state.toLowerCase()}.`)
      : decisionOf('RESOLVED', 'Resolved again. No change.');
  return { ...decision, alertId: row.id, groupId: row.groupId };
}
