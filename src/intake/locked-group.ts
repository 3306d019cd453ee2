import type { SourceConfig } from '../config/types.ts';
import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { Ruling } from './rules.ts';
import type { FiringAlert, TakenAlert } from './store/alerts.ts';

/** A group that is locked, with its alerts as they are now. */
export interface GroupNow {
  group: AlertGroupRow;
  source: Pick<SourceConfig, 'name' | 'alertType'>;
  firing: readonly FiringAlert[];
  alerts: number;
  ruling: Ruling;
  isNews: boolean;
  /** What the delivery changed; empty when none asks. */
  changed: readonly TakenAlert[];
  /** Null when no delivery asks. */
  receivedAt: Date | null;
  /** All of its alerts, where they are known without asking. */
  whole?: readonly AlertRow[];
  /** Whether its source has begun so few investigations lately that there is no storm, whatever else is under way. */
  isFarFromStorm?: boolean;
  /** Stores what of its delivery is not stored yet, for who is about to read it; not given: there is none. */
  store?: () => Promise<void>;
}

/** Names and ids kept of what a session covers: a row of a group stays below 40 kB. */
const MAX_COVERED = 1_000;

export function nameOf({ labels, title }: Pick<FiringAlert, 'labels' | 'title'>): string {
  return labels.alertname ?? title;
}

/**
 * By what a session's alerts are known later: their names, and themselves where only a title names them, in which a figure may
 * change each time.
 * @param before what it covers already: the oldest gives way
 */
export function covering(alerts: readonly FiringAlert[], before: readonly string[] = []): string[] {
  const ids = alerts.filter(({ labels }) => labels.alertname === undefined).map(({ id }) => id);
  return [...new Set([...ids, ...alerts.map(nameOf), ...before])].slice(0, MAX_COVERED);
}

/** Alerts that fire after the delivery, by their groups, the oldest first. */
export function firingByGroup(
  all: readonly TakenAlert[],
  before: readonly FiringAlert[],
): Map<string, FiringAlert[]> {
  const told = new Set(all.map(({ row }) => row.id));
  const now = all.map(({ row }) => row).filter(({ state }) => state === 'FIRING');
  const fires = [...before.filter(({ id }) => !told.has(id)), ...now].sort(byBeginning);
  return Map.groupBy(fires, ({ groupId }) => groupId);
}

function byBeginning(a: Pick<AlertRow, 'startsAt' | 'id'>, b: Pick<AlertRow, 'startsAt' | 'id'>): number {
  return a.startsAt.getTime() - b.startsAt.getTime() || (a.id < b.id ? -1 : 1);
}

/** An order of alerts: those that fire first, then the oldest. */
export function firingFirst(a: AlertRow, b: AlertRow): number {
  return a.state === b.state ? byBeginning(a, b) : a.state === 'FIRING' ? -1 : 1;
}
