import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import { entitiesFromLabels } from '../engine/alert/entities.ts';
import { worstSeverity } from '../engine/alert/severity.ts';
import { titleAbout } from '../engine/alert/title.ts';
import type { SourceRef } from './delivery.ts';
import type { Ruling } from './rules.ts';
import type { FiringAlert, MergedAlert } from './store/alerts.ts';

/** A group whose key the transaction has locked, with its current alerts. */
export interface LockedGroup {
  tx: Queryable;
  now: Date;
  group: AlertGroupRow;
  source: SourceRef;
  firing: readonly FiringAlert[];
  ruling: Ruling;
  /** The alerts that the delivery changed; empty if no delivery triggered the decision. */
  changed: readonly MergedAlert[];
  /** When the delivery arrived; `null` if no delivery triggered the decision. */
  receivedAt: Date | null;
  /** All alerts of the group; absent if only a query can find them. */
  allAlerts?: readonly AlertRow[];
  /** True if no storm of the source can begin or last now, even if concurrent transactions add groups. */
  isFarFromStorm?: boolean;
  /** Stores the delivery's unwritten rows, so that later queries find them. Absent if there is no delivery. */
  storeRows?: () => Promise<void>;
}

/** Maximum number of covered names and ids stored in a group's row, so that the row stays below 40 kB. */
const MAX_COVERED = 1_000;

export function alertName({ labels, title }: Pick<FiringAlert, 'labels' | 'title'>): string {
  return labels.alertname ?? title;
}

/**
 * Returns the names of alerts that a session covers, and the ids of alerts without an `alertname`, because their titles
 * may contain changing figures. @param before names and ids covered so far; beyond MAX_COVERED, the last are dropped
 */
export function coveredNames(alerts: readonly FiringAlert[], before: readonly string[] = []): string[] {
  const ids = alerts.filter(({ labels }) => labels.alertname === undefined).map(({ id }) => id);
  return [...new Set([...ids, ...alerts.map(alertName), ...before])].slice(0, MAX_COVERED);
}

/** Number of alerts whose labels are read for a group's title. */
const TITLING_ALERTS = 20;

/** Returns the title of a group: that of its most severe alert, with the affected entities; `null` without alerts. */
export function groupTitle(
  alerts: readonly Pick<FiringAlert, 'severity' | 'title' | 'labels'>[],
): string | null {
  const worst = worstAlert(alerts);
  if (worst === null) return null;
  const titling = [worst, ...alerts.slice(0, TITLING_ALERTS)];
  return titleAbout(worst.title, entitiesFromLabels(titling.map(({ labels }) => labels)));
}

/** Returns the most severe alert, the first of several; `null` if there is none. */
export function worstAlert<T extends Pick<FiringAlert, 'severity'>>(alerts: readonly T[]): T | null {
  const severity = worstSeverity(alerts.map((alert) => alert.severity));
  return alerts.find((alert) => alert.severity === severity) ?? null;
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

/** Compares alerts for sorting: firing ones first, then by start, the oldest first. */
export function firingFirst(a: AlertRow, b: AlertRow): number {
  return a.state === b.state ? byBeginning(a, b) : a.state === 'FIRING' ? -1 : 1;
}
