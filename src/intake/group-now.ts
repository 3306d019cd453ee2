import type { SourceConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Severity } from '../db/enums.ts';
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
}

/** Names kept of what a session covers. */
export const MAX_NAMES = 200;

export function namesOf(alerts: readonly FiringAlert[], severity?: Severity): string[] {
  const wanted = severity === undefined ? alerts : alerts.filter((alert) => alert.severity === severity);
  return [...new Set(wanted.map(({ labels, title }) => labels.alertname ?? title))].slice(0, MAX_NAMES);
}
