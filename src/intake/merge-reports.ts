import { uuidv7 } from '../common/uuidv7.ts';
import type { AlertGroupRow, AlertRow } from '../db/entities/index.ts';
import type { SourceRef } from './delivery.ts';
import { groupTitle, worstAlert } from './locked-group.ts';
import { type RuledAlert, strongestRuling } from './rules.ts';
import { type MergedAlert, mergeAlert } from './store/alerts.ts';
import type { KnownState } from './store/delivery.ts';

/** The reports of a delivery about the alerts of one group key, merged into the known alerts. */
export interface MergedReports {
  groupKey: string;
  members: readonly RuledAlert[];
  /** The result of each report, in the order of the delivery. A delivery may report an alert several times. */
  reports: readonly MergedAlert[];
  /** The open group, or a new one if a report begins an episode; `null` if all alerts were resolved before. */
  group: AlertGroupRow | null;
  isNew: boolean;
}

interface Received {
  source: SourceRef;
  known: KnownState;
  now: Date;
  defaultAlertType: string | null;
  mayReuseStart: boolean;
}

/** Merges the reports about the alerts of one group key in order, each into the result of the previous report. */
export function mergeReports(
  { source, known, now, defaultAlertType, mayReuseStart }: Received,
  groupKey: string,
  members: readonly RuledAlert[],
): MergedReports {
  const open = known.groups.get(groupKey) ?? null;
  const place = { source: source.name, groupId: open?.id ?? uuidv7(), mayReuseStart };
  const latest = new Map<string, AlertRow>();
  const reports = members.map((alert) => {
    const before = latest.get(alert.fingerprint) ?? known.alerts.get(alert.fingerprint) ?? null;
    const merged = mergeAlert(before, alert, place, now);
    latest.set(alert.fingerprint, merged.row);
    return merged;
  });
  if (open !== null) return { groupKey, members, reports, group: open, isNew: false };
  const begun = members.filter((_, index) => reports[index]!.row.groupId === place.groupId);
  if (begun.length === 0) return { groupKey, members, reports, group: null, isNew: false };
  const group = newGroup({ id: place.groupId, source: source.name, groupKey, openedAt: now }, begun);
  const alertType = group.alertType || (defaultAlertType ?? '');
  return { groupKey, members, reports, group: { ...group, alertType }, isNew: true };
}

/** Returns the last row of each alert, because a delivery may report an alert several times. */
export function latestRows(merged: readonly MergedReports[]): MergedAlert[] {
  const all = merged.flatMap(({ reports }) => reports);
  return [...new Map(all.map((report) => [report.row.id, report])).values()];
}

function newGroup(
  identity: Pick<AlertGroupRow, 'id' | 'source' | 'groupKey' | 'openedAt'>,
  alerts: readonly RuledAlert[],
): AlertGroupRow {
  const { severity } = worstAlert(alerts)!;
  const ruling = strongestRuling(alerts);
  return {
    ...identity,
    title: groupTitle(alerts)!,
    severity,
    state: 'FIRING',
    alertType: ruling.alertType ?? '',
    team: ruling.team,
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
