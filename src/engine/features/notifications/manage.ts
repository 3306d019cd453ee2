import { type Actor, recordAudit } from '../../../audit.ts';
import { ConflictError, NotFoundError } from '../../../common/errors.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { ChannelConfig, NotificationRule } from '../../../config/types.ts';
import type { NotificationDeliveryRow } from '../../../db/entities/index.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import { WARNING_CATEGORIES } from '../../../warnings.ts';
import type { NotificationChannelInfo } from '../../api/notifications.ts';
import { decodeRow } from '../../live/event-log.ts';
import type { NotificationDeps } from './request.ts';

export interface ManageDeps extends NotificationDeps {
  db: Queryable;
  transaction: Transaction;
}

/** Returns the configured channels in their order, with their backlog and problem. */
export async function listNotificationChannels({
  db,
  config: { notifications },
}: ManageDeps): Promise<NotificationChannelInfo[]> {
  const { channels, rules } = notifications;
  const { rows } = await db.query<{ name: string; pending: number; problem: string | null }>(
    `select c.name, (select count(*)::int from notification_deliveries d
         where d.channel = c.name and d.status = 'PENDING') as pending,
       (select w.message from system_warnings w where w.key = c.name and w.category = any($2)
         order by array_position($2, w.category) limit 1) as problem
     from unnest($1::text[]) as c (name)`,
    [Object.keys(channels), [WARNING_CATEGORIES.notificationsDisabled, WARNING_CATEGORIES.notifications]],
  );
  const states = new Map(rows.map((row) => [row.name, row]));
  return Object.values(channels).map((channel) => ({
    name: channel.name,
    kind: channel.kind,
    target: targetOf(channel),
    events: channel.kind === 'write_back' ? ['session.ended'] : eventsOf(channel.name, rules),
    pending: states.get(channel.name)?.pending ?? 0,
    problem: states.get(channel.name)?.problem ?? null,
  }));
}

function eventsOf(channel: string, rules: readonly NotificationRule[]): string[] {
  return [
    ...new Set(rules.filter((rule) => rule.channels.includes(channel)).flatMap(({ events }) => events)),
  ];
}

/** Returns where a channel leads, without secrets. */
function targetOf(channel: ChannelConfig): string {
  if (channel.kind === 'email') return channel.to.join(', ');
  if (channel.kind === 'slack') return channel.channel;
  if (channel.kind === 'write_back') return new URL(channel.writeBack.url).host;
  return channel.kind === 'webhook' ? new URL(channel.url).host : `URL in ${channel.urlEnv}`;
}

/**
 * Sends a delivery again, under the same id. A waiting one is attempted now.
 * @throws NotFoundError; ConflictError if it is being attempted, or its channel is not configured
 */
export function redeliverNotification(
  { transaction, config: { notifications } }: ManageDeps,
  id: string,
  by: Actor,
): Promise<NotificationDeliveryRow> {
  return transaction(async (tx) => {
    const { rows } = await tx.query<{ channel: string; event: string; isBusy: boolean }>(
      `select channel, event, status = 'PENDING' and due_at < now() + interval '2 minutes' as "isBusy"
       from notification_deliveries where id = $1 for update`,
      [id],
    );
    const [found] = rows;
    if (!found) throw new NotFoundError('There is no delivery with this id.');
    const { channel, event, isBusy } = found;
    if (!notifications.channels[channel])
      throw new ConflictError(`The channel ${channel} is not in the configuration any more.`);
    if (isBusy) throw new ConflictError('The delivery is being attempted, or will be within two minutes.');
    await recordAudit(tx, by, {
      action: 'notification.redeliver',
      target: { type: 'NotificationDelivery', id },
      detail: { channel, event },
    });
    const changed = await tx.query<{ row: Record<string, unknown> }>(
      `update notification_deliveries d set status = 'PENDING', due_at = now(), queued_at = now(), ended_at = null
       where id = $1 returning to_jsonb(d) as row`,
      [id],
    );
    return decodeRow<NotificationDeliveryRow>(changed.rows[0]!.row);
  });
}

/** Queues a test notification. @throws NotFoundError if no channel has the name */
export function testNotificationChannel(
  { transaction, config: { notifications } }: ManageDeps,
  name: string,
  by: Actor,
): Promise<NotificationDeliveryRow> {
  const channel = Object.hasOwn(notifications.channels, name) ? notifications.channels[name] : undefined;
  if (!channel) throw new NotFoundError('There is no notification channel with this name.');
  return transaction(async (tx) => {
    const id = uuidv7();
    const { rows } = await tx.query<{ row: Record<string, unknown> }>(
      `insert into notification_deliveries as d (id, channel, kind, event, event_key, notice)
       values ($1, $2, $3, 'test', $5, $4) returning to_jsonb(d) as row`,
      [id, name, channel.kind, { requestedBy: by.name }, `test:${id}`],
    );
    await recordAudit(tx, by, {
      action: 'notification.test',
      target: { type: 'NotificationDelivery', id },
      detail: { channel: name },
    });
    return decodeRow<NotificationDeliveryRow>(rows[0]!.row);
  });
}
