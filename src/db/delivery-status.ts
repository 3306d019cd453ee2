import type { NotificationKind } from '../config/enums.ts';

/** Meanings of the statuses of a notification to one channel. */
export const DELIVERY_STATUS_MEANINGS = {
  PENDING: 'Not sent yet; the next attempt is at nextAttemptAt.',
  DELIVERED: 'Sent, and accepted by the receiver.',
  FAILED: 'Refused by the receiver, or not sent within a day.',
  DISABLED: 'Not sent, because the receiver answered that it is gone (410).',
} as const;
export type DeliveryStatus = keyof typeof DELIVERY_STATUS_MEANINGS;

/** Meanings of the kinds of notification channels. */
export const NOTIFICATION_CHANNEL_KIND_MEANINGS = {
  SLACK: 'A channel of Slack.',
  EMAIL: 'E-mail by SMTP.',
  TEAMS: 'Microsoft Teams, by the webhook of a workflow.',
  MATTERMOST: 'Mattermost, by an incoming webhook.',
  WEBHOOK: 'HTTP POST of a signed CloudEvent.',
  WRITE_BACK: 'Note in the system that sent the alert.',
} as const satisfies Record<Uppercase<NotificationKind>, string>;
