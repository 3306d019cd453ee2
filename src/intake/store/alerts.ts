import { uuidv7 } from '../../common/uuidv7.ts';
import type { AlertRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type AlertChange, classifyChange } from '../classify-change.ts';
import type { RuledAlert } from '../rules.ts';
import { readRows } from './rows.ts';

/** An alert's row after a delivery, with the change that the delivery made. */
export interface MergedAlert {
  readonly row: AlertRow;
  readonly change: AlertChange;
}

/** Merges a delivered alert into its stored row. */
export function mergeAlert(
  known: AlertRow | null,
  arrived: RuledAlert,
  place: { source: string; groupId: string },
  now: Date,
): MergedAlert {
  const change = classifyChange(known, arrived, now);
  const deliveries = (known?.deliveries ?? 0) + 1;
  // Keeps `lastReceivedAt`; otherwise each repetition of this delivery would make the next one count as late.
  if (known !== null && change === 'OLD') return { row: { ...known, deliveries }, change };
  const isNew = known === null || change === 'EPISODE';
  const isOver = arrived.state === 'RESOLVED';
  const wasOver = known?.state === 'RESOLVED' && change === 'SAME';
  const { groupKey, ruling, ...reported } = arrived;
  const row: AlertRow = {
    ...reported,
    ...place,
    id: known?.id ?? uuidv7(),
    episode: arrived.episode ?? (isNew ? null : (known?.episode ?? null)),
    startsAt: isNew
      ? (earlier(arrived.startsAt ?? (isOver ? arrived.endsAt : null), now) ?? now)
      : known.startsAt,
    sentStartsAt: isNew ? arrived.startsAt : (known.sentStartsAt ?? arrived.startsAt),
    endsAt: !isOver ? null : wasOver ? (known.endsAt ?? now) : (earlier(arrived.endsAt, now) ?? now),
    firstReceivedAt: known?.firstReceivedAt ?? now,
    excluded: ruling.isExcluded,
    rule: ruling.rule,
    deliveries,
    lastReceivedAt: now,
  };
  return {
    row: change === 'SAME' && known !== null && isOver ? { ...row, groupId: known.groupId } : row,
    change,
  };
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
