import { v7 as uuidv7 } from 'uuid';
import type { AlertRow } from '../../db/entities/index.ts';
import type { Severity } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../../engine/events/log.ts';
import { type Change, compare } from '../compare.ts';
import type { IncomingAlert } from '../delivery.ts';

/** An alert of a delivery, masked, with what its rule says. */
export interface ArrivedAlert extends IncomingAlert {
  readonly severity: Severity;
  readonly rule: string | null;
  readonly isExcluded: boolean;
}

/** What a delivery made of an alert. */
export interface TakenAlert {
  readonly row: AlertRow;
  readonly change: Change;
}

/** Keys of the open groups in which these alerts fire now, by fingerprint: an alert stays in its group until it is over. */
export async function openGroupKeys(
  db: Queryable,
  source: string,
  fingerprints: readonly string[],
): Promise<Map<string, string>> {
  // Not as a join: a plan that was made while the tables were small would go through all that is open.
  const { rows } = await db.query<{ fingerprint: string; key: string | null }>(
    prepared(`select a.fingerprint,
       (select g.group_key from alert_groups g where g.id = a.group_id and g.resolved_at is null) as key
     from alerts a where a.source = $1 and a.fingerprint = any($2::text[]) and a.state = 'FIRING'`),
    [source, fingerprints],
  );
  return new Map(rows.flatMap(({ fingerprint, key }) => (key === null ? [] : [[fingerprint, key]])));
}

/** The known alerts of these fingerprints, locked until the transaction ends. */
export async function lockAlerts(
  tx: Queryable,
  source: string,
  fingerprints: readonly string[],
): Promise<Map<string, AlertRow>> {
  const { rows } = await tx.query<{ row: Record<string, unknown> }>(
    prepared(`select to_jsonb(a) as row from alerts a where source = $1 and fingerprint = any($2::text[])
     order by fingerprint for no key update`),
    [source, fingerprints],
  );
  return new Map(rows.map(({ row }) => decodeRow<AlertRow>(row)).map((alert) => [alert.fingerprint, alert]));
}

/** Compares an alert with what is known of it, and gives the row as it is to be stored. Pure but for a new id. */
export function takeAlert(
  known: AlertRow | null,
  arrived: ArrivedAlert,
  place: { source: string; groupId: string },
  now: Date,
): TakenAlert {
  const change = compare(known, arrived);
  const told = { deliveries: (known?.deliveries ?? 0) + 1, lastReceivedAt: now };
  if (known !== null && change === 'OLD') return { row: { ...known, ...told }, change };
  const isNew = known === null || change === 'EPISODE';
  const isOver = arrived.state === 'RESOLVED';
  const wasOver = known?.state === 'RESOLVED' && change === 'SAME';
  const row: AlertRow = {
    id: known?.id ?? uuidv7(),
    ...place,
    fingerprint: arrived.fingerprint,
    title: arrived.title,
    severity: arrived.severity,
    state: arrived.state,
    labels: arrived.labels,
    annotations: arrived.annotations,
    url: arrived.url,
    episode: arrived.episode ?? (isNew ? null : (known?.episode ?? null)),
    startsAt: isNew
      ? (earlier(arrived.startsAt ?? (isOver ? arrived.endsAt : null), now) ?? now)
      : known.startsAt,
    sentStartsAt: isNew ? arrived.startsAt : (known.sentStartsAt ?? arrived.startsAt),
    endsAt: !isOver ? null : wasOver ? (known.endsAt ?? now) : (earlier(arrived.endsAt, now) ?? now),
    firstReceivedAt: known?.firstReceivedAt ?? now,
    excluded: arrived.isExcluded,
    rule: arrived.rule,
    ...told,
  };
  return {
    row: change === 'SAME' && known !== null && isOver ? { ...row, groupId: known.groupId } : row,
    change,
  };
}

/** A source's clock may be ahead of ours: nothing happened later than now. */
function earlier(at: Date | null, now: Date): Date | null {
  return at !== null && at > now ? now : at;
}

/** Stores alerts by their fingerprints. */
export async function storeAlerts(tx: Queryable, rows: readonly AlertRow[]): Promise<void> {
  const records = rows.map((row) => ({
    id: row.id,
    group_id: row.groupId,
    source: row.source,
    fingerprint: row.fingerprint,
    title: row.title,
    severity: row.severity,
    state: row.state,
    labels: row.labels,
    annotations: row.annotations,
    url: row.url,
    episode: row.episode,
    starts_at: row.startsAt,
    sent_starts_at: row.sentStartsAt,
    ends_at: row.endsAt,
    deliveries: row.deliveries,
    first_received_at: row.firstReceivedAt,
    last_received_at: row.lastReceivedAt,
    excluded: row.excluded,
    rule: row.rule,
  }));
  await tx.query(prepared(STORE_ALERTS), [JSON.stringify(records)]);
}

const COLUMNS =
  `group_id, title, severity, state, labels, annotations, url, episode, starts_at, sent_starts_at, ends_at,
  deliveries, last_received_at, excluded, rule`.split(/,\s+/);

const STORE_ALERTS = `insert into alerts (id, source, fingerprint, first_received_at, ${COLUMNS.join(', ')})
  select id, source, fingerprint, first_received_at, ${COLUMNS.join(', ')}
  from jsonb_populate_recordset(null::alerts, $1::jsonb) order by fingerprint
  on conflict (source, fingerprint) do update set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** What decides about a group: its alerts that fire, without their annotations. */
export type FiringAlert = Pick<
  AlertRow,
  'id' | 'groupId' | 'title' | 'severity' | 'labels' | 'excluded' | 'rule'
>;

export async function firingAlerts(db: Queryable, groupIds: readonly string[]): Promise<FiringAlert[]> {
  const { rows } = await db.query<FiringAlert>(
    prepared(`select id, group_id as "groupId", title, severity, labels, excluded, rule from alerts
     where group_id = any($1::uuid[]) and state = 'FIRING' order by starts_at, id`),
    [groupIds],
  );
  return rows;
}

/** Alerts of a group whole, those that fire first. */
export async function alertsOfGroup(db: Queryable, groupId: string, limit: number): Promise<AlertRow[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    prepared(
      `select to_jsonb(a) as row from alerts a where group_id = $1 order by state, starts_at, id limit $2`,
    ),
    [groupId, limit],
  );
  return rows.map(({ row }) => decodeRow<AlertRow>(row));
}
