import { uuidv7 } from '../../common/uuidv7.ts';
import type { StormConfig } from '../../config/types.ts';
import type { AlertGroupRow, AlertRow, SilenceRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../../engine/live/event-log.ts';
import { FLAPPING } from '../decide.ts';
import type { RecentGroups } from '../storm.ts';
import { FIRING_COLUMNS, type FiringAlert } from './alerts.ts';
import { GROUP_JSON, HISTORIES, type History, type HistoryRow, historyFrom } from './groups.ts';
import { type ActiveSilence, activeSilence } from './silences.ts';

/**
 * A delivery to record. A repeated report costs only three statements in all, because each statement delays the sender.
 */
interface NewDelivery {
  source: string;
  /** The sender's own id of the delivery; `null` if it has none. */
  deliveryKey: string | null;
  alerts: number;
  fingerprints: readonly string[];
  /** The group keys that rules give the alerts, in the order of `fingerprints`. */
  groupKeys: readonly string[];
  /**
   * For each fingerprint, true if the alert must be alone in its group and leaves a group that it shares with others.
   */
  areAlone: readonly boolean[];
}

interface RegisteredDelivery {
  now: Date;
  /** The group key of each fingerprint. */
  keys: ReadonlyMap<string, string>;
  /** The keys of groups that an alert leaves, which are locked, too. */
  left: readonly string[];
}

/**
 * Records a delivery and locks its groups until the transaction ends. Waits for concurrent deliveries of the same key.
 * Returns `null` if the delivery was recorded before.
 */
export async function registerDelivery(
  tx: Queryable,
  { source, deliveryKey, alerts, fingerprints, groupKeys, areAlone }: NewDelivery,
): Promise<RegisteredDelivery | null> {
  const values = [uuidv7(), source, deliveryKey, alerts, fingerprints, groupKeys, areAlone];
  type Registered = { now: Date | null; keys: string[] | null; left: string[] | null };
  const { rows } = await tx.query<Registered>(prepared(BEGIN), values);
  const { now, keys, left } = rows[0]!;
  if (now === null) return null;
  const byFingerprint = new Map(fingerprints.map((fingerprint, index) => [fingerprint, keys![index]!]));
  return { now, keys: byFingerprint, left: left ?? [] };
}

/** A firing alert stays in its group unless it must be alone. Locks have a fixed order, so that no deadlock occurs. */
const BEGIN = `with noted as materialized (
    insert into intake_deliveries (id, source, delivery_key, received_at, alerts) values ($1, $2, $3, clock_timestamp(), $4)
    on conflict (source, delivery_key) where delivery_key is not null do nothing returning received_at
  ), held as materialized (
    -- Not as a join: a plan that was made while the tables were small would go through all that is open.
    select t.place, t.key, t.alone, (select (select g.group_key from alert_groups g where g.id = a.group_id and g.resolved_at is null)
      from alerts a where a.source = $2 and a.fingerprint = t.fingerprint and a.state = 'FIRING') as held
    from unnest($5::text[], $6::text[], $7::boolean[]) with ordinality as t(fingerprint, key, alone, place)
  ), keys as materialized (
    select place, case when alone then key else coalesce(held, key) end as key,
      case when alone and held <> key then held end as vacated from held
  ), locked as materialized (
    select pg_advisory_xact_lock(k) from (
      select distinct hashtextextended($2 || chr(1) || unnest(array[key, vacated]), 0) as k from keys order by 1) locks
    where k is not null
  )
  select (select received_at from noted) as now, (select array_agg(key order by place) from keys) as keys,
    (select array_agg(distinct vacated) from keys where vacated is not null) as "left", (select count(*) from locked) as locked`;

export interface KnownState {
  /** The known alerts by fingerprint; their rows are locked until the transaction ends. */
  alerts: ReadonlyMap<string, AlertRow>;
  /** The open groups by key. */
  groups: ReadonlyMap<string, AlertGroupRow>;
  firing: readonly FiringAlert[];
  silences: readonly ActiveSilence[];
  recent: RecentGroups;
  histories: ReadonlyMap<string, History>;
}

export async function readKnownState(
  tx: Queryable,
  asked: { source: string; fingerprints: readonly string[]; groupKeys: readonly string[]; now: Date },
  storm: Pick<StormConfig, 'groups' | 'withinMs'>,
): Promise<KnownState> {
  const { source, fingerprints, groupKeys, now } = asked;
  const before = (ms: number) => new Date(now.getTime() - ms);
  const { rows } = await tx.query<KnownRows>(prepared(KNOWN), [
    ...[source, groupKeys, before(FLAPPING.withinMs), fingerprints, now],
    ...[before(storm.withinMs), storm.groups],
  ]);
  const known = rows[0]!;
  return {
    alerts: new Map(decoded<AlertRow>(known.alerts).map((alert) => [alert.fingerprint, alert])),
    groups: new Map(decoded<AlertGroupRow>(known.groups).map((group) => [group.groupKey, group])),
    firing: decoded(known.firing),
    silences: decoded<SilenceRow>(known.silences).map(activeSilence),
    recent: known.recent,
    histories: new Map((known.histories ?? []).map((row) => [row.key, historyFrom(row)])),
  };
}

type Rows = Record<string, unknown>[] | null;
const decoded = <T>(rows: Rows): T[] => (rows ?? []).map((row) => decodeRow<T>(row));

interface KnownRows {
  alerts: Rows;
  groups: Rows;
  firing: Rows;
  silences: Rows;
  recent: RecentGroups;
  histories: (HistoryRow & { key: string })[] | null;
}

const KNOWN = `with known as materialized (
    select to_jsonb(a) as row from alerts a where source = $1 and fingerprint = any($4::text[])
    order by fingerprint for no key update
  ), open as materialized (
    select * from alert_groups where source = $1 and group_key = any($2::text[]) and resolved_at is null
  )
  select (select jsonb_agg(row) from known) as alerts,
    (select jsonb_agg(${GROUP_JSON}) from open g) as groups,
    (select jsonb_agg(to_jsonb(f) order by f.starts_at, f.id) from open o cross join lateral (
       select ${FIRING_COLUMNS} from alerts where group_id = o.id and state = 'FIRING') f) as firing,
    (select jsonb_agg(to_jsonb(s) order by ends_at desc) from silences s where starts_at <= $5 and ends_at > $5) as silences,
    (select jsonb_build_object('groups', count(*), 'stormy', count(*) filter (where s.group_id is null)) from (
       select session_id from alert_groups where source = $1 and investigated_at > $6 order by investigated_at desc limit $7
     ) g join alert_sessions s on s.id = g.session_id) as recent,
    (select jsonb_agg(to_jsonb(h)) from (${HISTORIES}) h) as histories`;
