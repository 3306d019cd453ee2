import type { AlertGroupRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { FLAPPING, type LastSession } from '../decide.ts';
import { readRows } from './rows.ts';

/**
 * Locks group keys until the transaction ends, in a fixed order, so that two transactions never deadlock. Returns the
 * time after locking by the database's clock, because stored times are by that clock.
 */
export async function lockGroupKeys(tx: Queryable, source: string, keys: readonly string[]): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>(
    prepared(`with locked as materialized (select pg_advisory_xact_lock(k) from (
       select distinct hashtextextended($1 || chr(1) || key, 0) as k from unnest($2::text[]) key order by 1) locks)
     select clock_timestamp() as now from (select count(*) from locked) counted`),
    [source, keys],
  );
  return rows[0]!.now;
}

/** SQL expression: row of group `g` as JSON, with the current number of its alerts. */
export const GROUP_JSON = `to_jsonb(g) || jsonb_build_object('alert_count',
  (select count(*) from alerts a where a.group_id = g.id))`;

/** Returns the open groups of these keys, by key. */
export async function openGroups(
  tx: Queryable,
  source: string,
  keys: readonly string[],
): Promise<Map<string, AlertGroupRow>> {
  const query = `select ${GROUP_JSON} as row from alert_groups g
     where source = $1 and group_key = any($2::text[]) and resolved_at is null`;
  const groups = await readRows<AlertGroupRow>(tx, prepared(query), [source, keys]);
  return new Map(groups.map((group) => [group.groupKey, group]));
}

export interface History {
  last: LastSession | null;
  /** The number of recently ended episodes; 0 if the group key does not flap. */
  flaps: number;
}

export async function historyOf(
  tx: Queryable,
  source: string,
  groupKey: string,
  now: Date,
): Promise<History> {
  const since = new Date(now.getTime() - FLAPPING.withinMs);
  const { rows } = await tx.query<HistoryRow>(prepared(HISTORIES), [source, [groupKey], since]);
  return historyFrom(rows[0]!);
}

export type HistoryRow = { flaps: number } & (LastSession | { id: null });

export function historyFrom({ flaps, ...last }: HistoryRow): History {
  return { last: last.id === null ? null : last, flaps };
}

const LAST_SESSION = `select s.id, s.status, s.group_id is null as "isStorm",
    (extract(epoch from coalesce(s.completed_at, s.created_at)) * 1000)::float8 as at,
    g.investigated_severity as severity, g.investigated_names as covered
  from alert_groups g join alert_sessions s on s.id = g.session_id
  where g.source = $1 and g.group_key = k.key
    -- A storm that ended before its investigation began covers none of its groups.
    and not (s.group_id is null and s.status = 'CANCELLED' and s.resolved_at is not null and s.started_at is null)
  order by s.created_at desc limit 1`;

/** Returns SQL that counts the episodes of a key that ended after `since`; 0 if they are few and none was flapping. */
export const flapsOf = (source: string, key: string, since: string) =>
  `select (case when count(*) >= ${FLAPPING.episodes} or bool_or(flapping) then count(*) else 0 end)::int as flaps
   from alert_groups f where f.source = ${source} and f.group_key = ${key}
   and f.resolved_at > ${since} and f.resolved_at > f.opened_at and not f.is_stale`;

/** Selects the history of each key ($2) of a source ($1), with flaps since $3. */
export const HISTORIES = `select k.key, flaps.*, last.* from unnest($2::text[]) k(key)
  cross join lateral (${flapsOf('$1', 'k.key', '$3')}) flaps left join lateral (${LAST_SESSION}) last on true`;
