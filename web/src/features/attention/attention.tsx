import { lazy, Suspense } from 'react';
import { notificationPermission, useNotificationChoice } from './notification-choice.ts';

const Notifier = lazy(() => import('./notifier.tsx'));

/** Shows desktop notifications if the viewer turned them on and the browser permits them. */
export function Attention() {
  const [choice] = useNotificationChoice();
  if (choice === 'off' || notificationPermission() !== 'granted') return null;
  return (
    <Suspense>
      <Notifier />
    </Suspense>
  );
}
