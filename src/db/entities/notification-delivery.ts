import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { NotificationKind } from '../../config/enums.ts';
import type { DeliveryStatus } from '../delivery-status.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, oneOf, reference } from './columns.ts';

/** Facts of an event that no other table has. */
export interface StoredNotice {
  /** The approval that was requested or decided. */
  approvalId?: string;
  /** Text about a budget or a canary; masked. */
  text?: string;
  /** User who requested a test. */
  requestedBy?: string;
  /** The object at the sender that gets the note; only of write-backs. */
  object?: StoredObject;
}

/** An object at the sender of an alert, such as an incident. */
export interface StoredObject {
  /** The sender's id; `null` if the alert came without one. */
  id: string | null;
  /** Start of the alert (ISO 8601). */
  since: string;
  /** Number of further objects of the investigation that get no note. */
  omitted: number;
}

/** One notification to one channel about one event. The row decides when it is sent; nothing else queues it. */
export const NotificationDelivery = defineEntity({
  name: 'NotificationDelivery',
  tableName: 'notification_deliveries',
  properties: {
    id: id(), // also the id that receivers see, so that they recognize a repeated delivery
    channel: p.text(),
    kind: oneOf<NotificationKind>(),
    event: p.text(),
    eventKey: p.text(), // identifies the event; a channel gets it once
    sessionId: () => reference(AlertSession, 'session_id').nullable(),
    notice: p.json<StoredNotice>(),
    status: oneOf<DeliveryStatus>().default('PENDING'),
    attempts: p.integer().default(0), // number of the last attempt; writes of an older attempt are refused
    dueAt: moment().defaultRaw('now()'), // time of the next attempt; during an attempt, when it counts as lost
    queuedAt: createdAt(), // when it was queued, by its event or by a redelivery; attempts end a day later
    lastError: p.text().nullable(), // masked
    createdAt: createdAt(),
    endedAt: moment().nullable(), // when it was delivered, failed for good or was disabled
  },
  uniques: [{ name: 'notification_deliveries_event', properties: ['channel', 'eventKey'] }],
  indexes: [
    { name: 'notification_deliveries_due', properties: ['channel', 'dueAt'], where: `status = 'PENDING'` },
    { name: 'notification_deliveries_created', properties: ['createdAt', 'id'] },
    { name: 'notification_deliveries_channel', properties: ['channel', 'createdAt', 'id'] },
    { name: 'notification_deliveries_session', properties: ['sessionId'] },
  ],
});
export type NotificationDeliveryRow = InferEntity<typeof NotificationDelivery>;
