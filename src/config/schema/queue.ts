import { z } from 'zod';
import { formatDuration } from '../durations.ts';
import { count, duration } from './common.ts';
import { settings } from './settings.ts';

const queueKeys = z.strictObject({
  max_concurrent_sessions: count(1, 1000)
    .describe('Sessions that run at the same time in all processes together')
    .prefault(5),
  worker_concurrency: count(1, 1000)
    .describe(
      'Sessions that run at the same time in one process; WORKER_CONCURRENCY takes precedence; default: max_concurrent_sessions',
    )
    .optional(),
  chat_concurrency: count(1, 1000)
    .describe('Questions that one process answers at the same time')
    .prefault(5),
  scoring_concurrency: count(1, 1000)
    .describe('Investigations that one process scores at the same time')
    .prefault(2),
  session_timeout: duration('Time limit of a session, and of a chat answer', '1s').prefault('40m'),
  heartbeat_interval: duration('Interval at which a worker renews its lease on a session', '100ms').prefault(
    '10s',
  ),
  lease_duration: duration(
    'Time without renewal after which another worker claims the session; must be more than twice heartbeat_interval',
    '200ms',
  ).prefault('30s'),
  max_pending: count(1, 1_000_000)
    .describe('Sessions that may wait in the queue; further alerts are refused (QUEUE_FULL)')
    .prefault(10_000),
  alerts_per_minute: count(1, 1_000_000)
    .describe(
      'Alerts that one sender may submit per minute to one API process; further ones are refused (RATE_LIMITED)',
    )
    .prefault(3_000),
  max_attempts: count(1, 20)
    .describe(
      'Workers that a session may lose to crashes or lost connections before it fails; requeues at a shutdown do not count',
    )
    .prefault(3),
});

export const queueSchema = settings(queueKeys, [
  'lease_duration',
  ({ lease_duration: lease, heartbeat_interval: heartbeat }) => {
    // One failed heartbeat must not let the lease expire.
    if (typeof lease !== 'number' || typeof heartbeat !== 'number' || lease > 2 * heartbeat) return null;
    const limit = formatDuration(heartbeat);
    return `must be more than twice heartbeat_interval (${limit}), got ${formatDuration(lease)}`;
  },
]).describe('Queue and leases of sessions');
