import { visibilityParameter } from '../../access/visibility.ts';
import type { NotificationDeliveryRow } from '../../db/entities/index.ts';
import type { DeliveryPageArgs } from '../../schema/args.ts';
import { keyOf } from '../../schema/ids.ts';
import type { Page } from '../../schema/views.ts';
import { ID_COLUMN, type List, momentColumn, readPage } from './page.ts';
import type { ReadDb } from './tables.ts';
import { sessionShown } from './visible-rows.ts';

/** SQL condition: the viewer may see the session of delivery `t`, or the delivery has none. */
export const deliveryShown = (place: string) => `(t.session_id is null or ${sessionShown(place)})`;

export function readNotificationDeliveries(
  { pool, tables, sight }: ReadDb,
  args: DeliveryPageArgs,
): Promise<Page<NotificationDeliveryRow>> {
  const { sessionId, channel } = args;
  const list: List<NotificationDeliveryRow> = {
    table: tables.notificationDelivery,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add, any }) => [
      deliveryShown(add(visibilityParameter(sight))),
      ...any('channel', channel == null ? null : [channel]),
      ...any('status', args.status),
      ...(sessionId == null ? [] : [`t.session_id = ${add(keyOf('Session', sessionId))}`]),
    ],
  };
  return readPage(pool, list, args);
}
