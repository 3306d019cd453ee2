import { useStoredChoice } from '../../lib/stored.ts';

const CHOICES = ['off', 'on'] as const;

/** Desktop notifications: off until the viewer turns them on. All open pages share the choice. */
export const useNotificationChoice = () => useStoredChoice('notifications', CHOICES, 'off');

/** A sound with each notification: off until the viewer turns it on. */
export const useSoundChoice = () => useStoredChoice('notification-sound', CHOICES, 'off');

/** State of the browser's permission. `unavailable` if the browser or an insecure address has no notifications. */
export function notificationPermission(): NotificationPermission | 'unavailable' {
  return 'Notification' in window && window.isSecureContext ? Notification.permission : 'unavailable';
}
