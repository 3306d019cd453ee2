import { uuidv7 } from '../../common/uuidv7.ts';
import type { AlertRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type AlertChange, classifyChange } from '../classify-change.ts';
import type { IncomingAlert } from '../delivery.ts';
import type { RuledAlert } from '../rules.ts';
import { readRows } from './rows.ts';

/** An alert's row after a report, with the change that the report made. */
export interface MergedAlert {
  readonly row: AlertRow;
  readonly change: AlertChange;
}

/** Merges a report into the alert's known row. */
export function mergeAlert(
  known: AlertRow | null,
  arrived: RuledAlert,
  { mayReuseStart, ...place }: { source: string; groupId: string; mayReuseStart: boolean },
  now: Date,
): MergedAlert {
  const change = classifyChange(known, { ...arrived, mayReuseStart }, now);
  const deliveries = (known?.deliveries ?? 0) + 1;
  // Keeps `lastReceivedAt`; otherwise each repetition of this delivery would make the next one count as late.
  if (known !== null && change === 'OLD') return { row: { ...known, deliveries }, change };
  const isNew = known === null || change === 'EPISODE';
  const { groupKey, ruling, ...reported } = arrived;
  const row: AlertRow = {
    ...reported,
    ...place,
    ...(isNew ? begun(arrived, now) : continued(known, arrived, now)),
    id: known?.id ?? uuidv7(),
    endsAt: endOf(known, arrived, now),
    reportedAt: arrived.reportedAt ?? known?.reportedAt ?? null,
    objectId: arrived.objectId ?? (isNew ? null : (known.objectId ?? null)),
    firstReceivedAt: known?.firstReceivedAt ?? now,
    excluded: ruling.isExcluded,
    rule: ruling.rule,
    deliveries,
    lastReceivedAt: now,
  };
  return change === 'OVER' ? { row: { ...row, groupId: known!.groupId }, change } : { row, change };
}

type Beginning = Pick<AlertRow, 'episode' | 'startsAt' | 'sentStartsAt'>;

function begun(arrived: RuledAlert, now: Date): Beginning {
  return { episode: arrived.episode, startsAt: startOf(arrived, now), sentStartsAt: arrived.startsAt };
}

/** Returns the start of an alert by its first report. A sender that names no start names the time of the report or end. */
export function startOf({ state, startsAt, endsAt, reportedAt = null }: IncomingAlert, now: Date): Date {
  return earlier(startsAt ?? (state === 'RESOLVED' ? endsAt : reportedAt), now) ?? now;
}

function continued(known: AlertRow, arrived: RuledAlert, now: Date): Beginning {
  const episode = arrived.episode ?? known.episode ?? null;
  if (endsLaterPeriod(known, arrived)) return { ...begun(arrived, now), episode };
  return { episode, startsAt: known.startsAt, sentStartsAt: known.sentStartsAt ?? arrived.startsAt };
}

/** True for a resolution with a later start: it ends a firing period whose firing report has not arrived. */
function endsLaterPeriod({ sentStartsAt = null }: AlertRow, { state, startsAt }: RuledAlert): boolean {
  return state === 'RESOLVED' && startsAt !== null && sentStartsAt !== null && startsAt > sentStartsAt;
}

function endOf(known: AlertRow | null, arrived: RuledAlert, now: Date): Date | null {
  if (arrived.state === 'FIRING') return null;
  if (known?.state === 'RESOLVED' && !endsLaterPeriod(known, arrived)) return known.endsAt ?? now;
  return earlier(arrived.endsAt, now) ?? now;
}

/** Returns `at`, but at most `now`, because a source's clock may be ahead. */
function earlier(at: Date | null, now: Date): Date | null {
  return at !== null && at > now ? now : at;
}

export type FiringAlert = Pick<
  AlertRow,
  'id' | 'groupId' | 'startsAt' | 'title' | 'severity' | 'labels' | 'excluded' | 'rule'
>;

export const FIRING_COLUMNS = 'id, group_id, starts_at, title, severity, labels, excluded, rule';

export async function firingAlerts(db: Queryable, groupIds: readonly string[]): Promise<FiringAlert[]> {
  const { rows } = await db.query<FiringAlert>(
    prepared(`select id, group_id as "groupId", starts_at as "startsAt", title, severity, labels, excluded, rule from alerts
     where group_id = any($1::uuid[]) and state = 'FIRING' order by starts_at, id`),
    [groupIds],
  );
  return rows;
}

/** Returns at most `limit` alerts of a group with all columns, firing ones first. */
export function alertsOfGroup(db: Queryable, groupId: string, limit: number): Promise<AlertRow[]> {
  const query = `select to_jsonb(a) as row from alerts a where group_id = $1 order by state, starts_at, id limit $2`;
  return readRows(db, prepared(query), [groupId, limit]);
}
