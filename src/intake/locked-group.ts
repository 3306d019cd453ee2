import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SourceRef } from './delivery.ts';
import type { Ruling } from './rules.ts';
import type { FiringAlert, MergedAlert } from './store/alerts.ts';

/** A group whose key is locked, with its current alerts. */
export interface LockedGroup {
  tx: Queryable;
  now: Date;
  group: AlertGroupRow;
  source: SourceRef;
  firing: readonly FiringAlert[];
  ruling: Ruling;
  /** The alerts that the delivery changed; empty if no delivery triggered the decision. */
  changed: readonly MergedAlert[];
  /** `null` if no delivery triggered the decision. */
  receivedAt: Date | null;
  /** All alerts of the group, if they are known without a query. */
  allAlerts?: readonly AlertRow[];
  /** True if no storm is possible, even with the transactions in progress. */
  isFarFromStorm?: boolean;
  /** Stores the delivery's unwritten rows, so that they can be read. Absent if there is no delivery. */
  storeRows?: () => Promise<void>;
}

/** The most names and ids kept of a session, so that a group's row stays below 40 kB. */
const MAX_COVERED = 1_000;

export function alertName({ labels, title }: Pick<FiringAlert, 'labels' | 'title'>): string {
  return labels.alertname ?? title;
}

/**
 * Returns the identifiers that recognize a session's alerts later: the alert names, and ids of alerts with only a title,
 * because titles may contain changing figures. @param before earlier identifiers; the last are dropped first
 */
export function coveredNames(alerts: readonly FiringAlert[], before: readonly string[] = []): string[] {
  const ids = alerts.filter(({ labels }) => labels.alertname === undefined).map(({ id }) => id);
  return [...new Set([...ids, ...alerts.map(alertName), ...before])].slice(0, MAX_COVERED);
}

/** Returns the alerts that fire after a delivery, by group id, oldest first. */
export function firingByGroup(
  all: readonly MergedAlert[],
  before: readonly FiringAlert[],
): Map<string, FiringAlert[]> {
  const delivered = new Set(all.map(({ row }) => row.id));
  const now = all.map(({ row }) => row).filter(({ state }) => state === 'FIRING');
  const fires = [...before.filter(({ id }) => !delivered.has(id)), ...now].sort(byBeginning);
  return Map.groupBy(fires, ({ groupId }) => groupId);
}

function byBeginning(a: FiringAlert, b: FiringAlert): number {
  return a.startsAt.getTime() - b.startsAt.getTime() || (a.id < b.id ? -1 : 1);
}

/** Orders alerts: firing ones first, then the oldest. */
export function firingFirst(a: AlertRow, b: AlertRow): number {
  return a.state === b.state ? byBeginning(a, b) : a.state === 'FIRING' ? -1 : 1;
}
