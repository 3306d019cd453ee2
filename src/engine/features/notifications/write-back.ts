import { toStorableJson } from '../../../common/storable.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { NotificationsConfig, WriteBackChannelConfig } from '../../../config/types.ts';
import type { StoredNotice } from '../../../db/entities/index.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { NotifySlack } from '../slack/posts.ts';
import type { NotificationDeps } from './request.ts';

/** Maximum number of objects of one sender that get a note about an investigation. */
export const MAX_OBJECTS = 20;

/** True if a source has a write-back. */
export function hasWriteBack(notifications: NotificationsConfig): boolean {
  return channelsOf(notifications).length > 0;
}

/**
 * Returns the function that queues notes for the objects of an ended investigation's alerts, once per object. A
 * cancelled investigation has no result to note.
 */
export function writeBackNotifier({ config: { notifications } }: NotificationDeps): NotifySlack {
  const channels = new Map(channelsOf(notifications).map((channel) => [channel.source, channel]));
  const sources = [...channels.keys()];
  return async (tx, sessionId, point) => {
    if (point !== 'TERMINAL') return;
    const objects = await objectsOf(tx, sessionId, sources);
    if (objects.length === 0) return;
    const rows = objects.map(({ source, objectId, since, count, place }) => {
      const omitted = place === MAX_OBJECTS ? count - MAX_OBJECTS : 0;
      const notice: StoredNotice = { object: { id: objectId, since: since.toISOString(), omitted } };
      const key = `session.ended:${sessionId}:${objectId ?? ''}`;
      return { id: uuidv7(), channel: channels.get(source)!.name, event_key: key, notice };
    });
    await tx.query(prepared(INSERT), [toStorableJson(rows), sessionId]);
  };
}

function channelsOf({ channels }: NotificationsConfig): WriteBackChannelConfig[] {
  return Object.values(channels).flatMap((channel) => (channel.kind === 'write_back' ? [channel] : []));
}

interface ObjectRow {
  source: string;
  objectId: string | null;
  since: Date;
  /** Number of all objects of the source. */
  count: number;
  place: number;
}

async function objectsOf(tx: Queryable, sessionId: string, sources: string[]): Promise<ObjectRow[]> {
  const { rows } = await tx.query<ObjectRow>(prepared(OBJECTS), [sessionId, sources, MAX_OBJECTS]);
  return rows;
}

/**
 * Objects of the alerts that fired or were reported during a session, the firing and latest ones first. A group whose
 * alerts have moved on to later groups has the object `null`, so that its missing note shows.
 */
const OBJECTS = `with groups as (
    select g.id, g.source, g.opened_at, s.created_at from alert_sessions s
    cross join lateral (select s.group_id as id union select o.id from alert_groups o where o.session_id = s.id) c
    join alert_groups g on g.id = c.id
    where s.id = $1 and s.status <> 'CANCELLED' and g.source = any($2::text[])
      and not exists (select 1 from replays p where p.session_id = s.id)
  ), objects as (
    select g.source, a.object_id, coalesce(min(a.starts_at), min(g.opened_at)) as since,
      bool_or(a.state = 'FIRING') as fires, max(a.starts_at) as latest
    from groups g left join alerts a on a.group_id = g.id and (a.state = 'FIRING' or a.last_received_at >= g.created_at)
    group by g.source, a.object_id
  ), placed as (
    select *, count(*) over (partition by source)::int as count, row_number() over (
      partition by source order by object_id is null, fires desc nulls last, latest desc nulls last, object_id)::int as place
    from objects
  )
  select source, object_id as "objectId", since, count, place from placed where place <= $3 order by source, place`;

const INSERT = `insert into notification_deliveries (id, channel, kind, event, event_key, notice, session_id)
  select id, channel, 'write_back', 'session.ended', event_key, notice, $2
  from json_to_recordset($1::json) as r (id uuid, channel text, event_key text, notice jsonb)
  on conflict (channel, event_key) do nothing`;
