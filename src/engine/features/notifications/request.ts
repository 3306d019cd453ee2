import { toStorableJson } from '../../../common/storable.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { NotificationEvent } from '../../../config/enums.ts';
import type { NotificationsConfig } from '../../../config/types.ts';
import type { StoredNotice } from '../../../db/entities/index.ts';
import type { SlackPoint } from '../../../db/enums.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { columnTypes, type RowChange, type RowWriter } from '../../store/event-statement.ts';
import { isQuiet } from '../../store/schedule-runs.ts';
import { channelsFor, type EventProperties, isNotified, NO_PROPERTIES } from './rules.ts';

/** Part of the configuration that decides who is notified. */
export interface NotificationDeps {
  config: { notifications: NotificationsConfig };
}

/** An event that channels may be notified about. */
export interface NotifiedEvent {
  event: NotificationEvent;
  /** Identifies the event; each channel is notified once per key. */
  key: string;
  notice: StoredNotice;
}

interface NewDelivery extends NotifiedEvent {
  id: string;
  channel: string;
  kind: string;
}

const COLUMNS = 'id uuid, channel text, kind text, event text, event_key text, notice jsonb';
const TARGET = 'notification_deliveries';
const NAMES = 'id, channel, kind, event, event_key, notice';

const DELIVERY: RowWriter = {
  name: 'notification',
  columns: { ...columnTypes(COLUMNS), is_of_session: 'boolean' },
  sql: (rows) => `insert into ${TARGET} as t (${NAMES}, session_id)
    select r.id, r.channel, r.kind, r.event, r.event_key, r.notice, case when r.is_of_session then l.id end
    from locked l, ${rows} on conflict (channel, event_key) do nothing`,
};

/** Queues the notifications about events of a session within `tx`, which also makes the event. None for replays and canaries. */
export async function requestNotifications(
  tx: Queryable,
  { config: { notifications } }: NotificationDeps,
  sessionId: string,
  ...events: NotifiedEvent[]
): Promise<void> {
  const wanted = events.filter(({ event }) => isNotified(notifications, event));
  if (wanted.length === 0) return;
  const properties = await readProperties(tx, sessionId);
  if (properties === null) return;
  await insert(tx, sessionId, deliveriesOf(notifications, wanted, properties));
}

/** Queues the notifications about a system warning, once per warning. A warning that was cleared and returns is new. */
export async function notifyOfWarning(
  db: Queryable,
  { config: { notifications } }: NotificationDeps,
  { category, key }: { category: string; key: string },
  { event, text }: { event: NotificationEvent; text: string },
): Promise<void> {
  if (!isNotified(notifications, event)) return;
  const { rows } = await db.query<{ id: string }>(
    'select id from system_warnings where category = $1 and key = $2',
    [category, key],
  );
  const events = rows.map(({ id }) => ({ event, key: `${event}:${id}`, notice: { text } }));
  await requestSystemNotifications(db, { config: { notifications } }, events, NO_PROPERTIES);
}

/** Queues the notifications about events without a session. */
export async function requestSystemNotifications(
  db: Queryable,
  { config: { notifications } }: NotificationDeps,
  events: readonly NotifiedEvent[],
  properties: EventProperties,
): Promise<void> {
  await insert(db, null, deliveriesOf(notifications, events, properties));
}

/** Queues the notification about a session that started or ended, unless it is a quiet run of a schedule. */
export function sessionNotifier(deps: NotificationDeps) {
  return async (tx: Queryable, sessionId: string, point: SlackPoint): Promise<void> => {
    if (await isQuiet(tx, sessionId, point)) return;
    const event = point === 'STARTED' ? 'session.started' : 'session.ended';
    await requestNotifications(tx, deps, sessionId, { event, key: `${event}:${sessionId}`, notice: {} });
  };
}

/**
 * Returns the row changes that queue notifications about events of a run, for the statement that stores the events.
 * @param properties default: those of the session. Given ones are for events that concern no single session
 */
export async function notificationChanges(
  { db, config: { notifications } }: NotificationDeps & { db: Queryable },
  sessionId: string,
  events: readonly NotifiedEvent[],
  properties?: EventProperties,
): Promise<RowChange[]> {
  const wanted = events.filter(({ event }) => isNotified(notifications, event));
  if (wanted.length === 0) return [];
  const found = properties ?? (await readProperties(db, sessionId));
  if (found === null) return [];
  return deliveriesOf(notifications, wanted, found).map(({ key, ...delivery }) => ({
    writer: DELIVERY,
    row: { ...delivery, eventKey: key, isOfSession: properties === undefined },
  }));
}

function deliveriesOf(
  notifications: NotificationsConfig,
  events: readonly NotifiedEvent[],
  properties: EventProperties,
): NewDelivery[] {
  return events.flatMap((event) =>
    channelsFor(notifications, event.event, properties).map(({ name, kind }) => ({
      ...{ ...event, id: uuidv7(), channel: name, kind },
    })),
  );
}

async function insert(
  tx: Queryable,
  sessionId: string | null,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ key, ...delivery }) => ({ ...delivery, event_key: key }));
  await tx.query(
    `insert into ${TARGET} (${NAMES}, session_id)
     select ${NAMES}, $2 from json_to_recordset($1::json) as r (${COLUMNS})
     on conflict (channel, event_key) do nothing`,
    [toStorableJson(rows), sessionId],
  );
}

/** Source of a session's alerts; sessions that were submitted through the API have none of their own. */
const PROPERTIES = `select s.verdict, s.severity, s.team, s.alert_type as "alertType",
    coalesce((select g.source from alert_groups g where g.id = s.group_id),
      (select min(g.source) from alert_groups g where g.session_id = s.id), 'api') as source
  from alert_sessions s where s.id = $1 and not exists (select 1 from replays p where p.session_id = s.id)`;

/** Source of the alerts that TARSy sends to itself; `canary.failing` reports them. */
const CANARY = 'canary';

/** Returns the properties of a session that rules select; `null` for a replay, a canary or a deleted session. */
async function readProperties(db: Queryable, sessionId: string): Promise<EventProperties | null> {
  const { rows } = await db.query<EventProperties>(prepared(PROPERTIES), [sessionId]);
  const [properties = null] = rows;
  return properties?.source === CANARY ? null : properties;
}
