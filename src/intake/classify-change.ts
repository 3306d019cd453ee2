import type { AlertRow } from '../db/entities/index.ts';
import { SEVERITIES } from '../db/enums.ts';
import type { IncomingAlert, ParsedDelivery } from './delivery.ts';
import { LATE_DELIVERY_MS, LATEST_RETRY_MS } from './tunables.ts';

/**
 * The change that a report makes to an alert.
 *
 *   NEW       the alert was not known before
 *   EPISODE   a resolved alert fires again, or a new firing period replaces the known one
 *   WORSE     the alert still fires, and its severity rose
 *   RESOLVED  the alert is resolved
 *   SAME      the alert still fires; perhaps texts changed, or its severity fell
 *   OVER      the alert was resolved before, and is reported as resolved again
 *   OLD       the source made the report before the last known one, so that it changes nothing
 */
export type AlertChange = 'NEW' | 'EPISODE' | 'WORSE' | 'RESOLVED' | 'SAME' | 'OVER' | 'OLD';

/**
 * True if the report is about the past: the alert was resolved before, or the report is older than the last known one.
 */
export function isPast(change: AlertChange): boolean {
  return change === 'OVER' || change === 'OLD';
}

type KnownAlert = Pick<
  AlertRow,
  'state' | 'severity' | 'episode' | 'startsAt' | 'sentStartsAt' | 'endsAt' | 'reportedAt' | 'lastReceivedAt'
>;
type Report = Pick<IncomingAlert, 'state' | 'severity' | 'episode' | 'startsAt' | 'endsAt' | 'reportedAt'> &
  Pick<ParsedDelivery, 'mayReuseStart'>;

/**
 * Returns the change that a report makes to an alert. Senders repeat reports and send them out of order. Only the
 * source's own words prove that a report is old; without proof the last report to arrive is the truth, so that no alert
 * is closed while it fires.
 */
export function classifyChange(known: KnownAlert | null, report: Report, now: Date): AlertChange {
  if (known === null) return 'NEW';
  const order = compareReports(known, report, now);
  if (order !== null && order < 0) return 'OLD';
  if (report.state === 'RESOLVED') {
    if (known.state === 'RESOLVED') return 'OVER';
    return isEarlierEnd(known, report, now) ? 'OLD' : 'RESOLVED';
  }
  if (known.state === 'RESOLVED') return isLateBeginning(known, report, now) ? 'OLD' : 'EPISODE';
  const start = compareStarts(known, report, now);
  if (isOtherEpisode(known, report)) return start !== null && start < 0 ? 'OLD' : 'EPISODE';
  if (!isSameEpisode(known, report) && start !== null && start > 0) return 'EPISODE';
  return SEVERITIES.indexOf(report.severity) < SEVERITIES.indexOf(known.severity) ? 'WORSE' : 'SAME';
}

/** True if a resolution ends an earlier firing period than the one that is known to fire. */
function isEarlierEnd(known: KnownAlert, report: Report, now: Date): boolean {
  if (isSameEpisode(known, report)) return false;
  if (isOtherEpisode(known, report)) return true;
  const start = known.sentStartsAt ?? null;
  if (start === null || report.startsAt?.getTime() === start.getTime()) return false;
  if (areBothDated(known, report)) return false;
  const time = report.startsAt ?? report.endsAt;
  return time !== null && time < start && isAhead(time, now) === isAhead(start, known.startsAt);
}

/** True if a firing report belongs to the firing period that has already ended, and arrives late. */
function isLateBeginning(known: KnownAlert, report: Report, now: Date): boolean {
  if (isSameEpisode(known, report)) return true;
  if (areBothDated(known, report)) return compareReports(known, report, now) === 0;
  const { startsAt, mayReuseStart } = report;
  if (startsAt === null || mayReuseStart || isOtherEpisode(known, report)) return false;
  if (now.getTime() - known.lastReceivedAt.getTime() >= LATE_DELIVERY_MS) return false;
  if (known.sentStartsAt == null) return known.endsAt != null && startsAt < known.endsAt;
  const order = compareStarts(known, report, now);
  return order !== null && order <= 0;
}

/** Returns a negative number if the reported period began before the known one; `null` if unknown. */
function compareStarts({ sentStartsAt, startsAt }: KnownAlert, report: Report, now: Date): number | null {
  if (report.startsAt === null || sentStartsAt == null) return null;
  if (isAhead(report.startsAt, now) !== isAhead(sentStartsAt, startsAt)) return null;
  return report.startsAt.getTime() - sentStartsAt.getTime();
}

/** True if a time is in the source's future: its clock is ahead. Such times are compared only with each other. */
function isAhead(sent: Date, receivedAt: Date): boolean {
  return sent > receivedAt;
}

function areBothDated(known: KnownAlert, report: Report): boolean {
  return known.reportedAt != null && report.reportedAt != null;
}

/**
 * Returns a negative number if the source made the report before the known one, a positive number if after it; `null`
 * if unknown. A report with a much longer delay than the known one was dated by another clock.
 */
function compareReports(known: KnownAlert, { reportedAt }: Report, now: Date): number | null {
  if (reportedAt == null || known.reportedAt == null) return null;
  const knownDelay = known.lastReceivedAt.getTime() - known.reportedAt.getTime();
  const isOtherClock = now.getTime() - reportedAt.getTime() - knownDelay > LATEST_RETRY_MS;
  const order = reportedAt.getTime() - known.reportedAt.getTime();
  return isOtherClock && order < 0 ? null : order;
}

function isSameEpisode({ episode }: KnownAlert, report: Report): boolean {
  return episode != null && episode === report.episode;
}

function isOtherEpisode({ episode }: KnownAlert, report: Report): boolean {
  return episode != null && report.episode !== null && episode !== report.episode;
}
