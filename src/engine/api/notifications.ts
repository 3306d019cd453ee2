import type { Actor } from '../../audit.ts';
import type { NotificationKind } from '../../config/enums.ts';
import type { NotificationDeliveryRow } from '../../db/entities/index.ts';

/** A configured notification channel. */
export interface NotificationChannelInfo {
  name: string;
  kind: NotificationKind;
  /** Where the channel leads, without secrets. */
  target: string;
  events: readonly string[];
  pending: number;
  /** `null` if it delivers, or was not used yet. */
  problem: string | null;
}

/** Operations on notifications, for admins. */
export interface NotificationAdmin {
  /** Returns the configured notification channels with their backlog and problem. */
  notificationChannels(): Promise<NotificationChannelInfo[]>;

  /** Sends a notification again; one that waits is sent now. @throws NotFoundError, ConflictError (being attempted) */
  redeliverNotification(id: string, by: Actor): Promise<NotificationDeliveryRow>;

  /** Queues a test notification. @throws NotFoundError */
  testNotificationChannel(name: string, by: Actor): Promise<NotificationDeliveryRow>;
}
