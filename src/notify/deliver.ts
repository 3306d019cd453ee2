import type { Logger } from 'pino';
import { jittered } from '../common/jitter.ts';
import { runPeriodically } from '../common/periodic.ts';
import type { NotificationKind } from '../config/enums.ts';
import type { NotificationDeliveryRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import { WARNING_CATEGORIES, type Warnings } from '../warnings.ts';
import type { Outgoing, Send } from './channels/channel.ts';
import { SendError } from './failure.ts';
import { createTexts, TEST_EVENT } from './notice.ts';
import { readNotice } from './read-notice.ts';
import * as store from './store.ts';

export interface DeliveryDeps {
  db: Queryable;
  channels: ReadonlyMap<string, Send>;
  dashboardUrl: string;
  /** Masks secrets; may throw. */
  mask: (text: string) => string;
  warnings: Warnings;
  metrics: DeliveryMetrics;
  logger: Logger;
  /** Time limit of one attempt (ms). @default ATTEMPT_MS */
  attemptMs?: number;
}

export interface DeliveryMetrics {
  notificationAttempted(kind: NotificationKind, outcome: DeliveryOutcome): void;
}

/** How an attempt to send a notification ended. */
export const DELIVERY_OUTCOMES = ['DELIVERED', 'RETRIED', 'FAILED', 'DISABLED'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Interval of looking for due deliveries (ms), and so the usual delay of a notification. */
const POLL_MS = 1_000;

/** Simultaneous attempts of one process per channel, so that an unresponsive receiver delays no other channel. */
const ATTEMPTS_PER_CHANNEL = 4;

/** Shortest and longest delay between two attempts (ms). */
const MIN_RETRY_MS = 5_000;
const MAX_RETRY_MS = 3_600_000;

/** Longest delay that a receiver may ask for (ms), because the whole channel may wait for it. */
const MAX_RETRY_AFTER_MS = 6 * 3_600_000;

/** Longest delay of a request for approval (ms), because an investigation waits for the answer. */
const MAX_APPROVAL_RETRY_MS = 60_000;

/** Time after queueing during which a delivery is attempted (ms). */
const RETRY_MS = 24 * 3_600_000;

/** Says when a channel whose receiver is gone is enabled again. */
const UNTIL_REQUESTED = 'until a test or a repeated delivery succeeds';

/** Maximum length of a stored error (characters). */
const MAX_ERROR = 500;

/**
 * Sends due deliveries until it is stopped. The rows are the queue: any process may claim a due row, and a row whose
 * process died is due again when its lease expires. A delivery may then be sent twice, with the same id.
 */
export function startDeliveries(deps: DeliveryDeps): { stop(): Promise<void> } {
  const { db, channels, logger } = deps;
  const stopping = new AbortController();
  const running = new Map([...channels.keys()].map((name) => [name, new Set<Promise<void>>()]));

  async function fill(name: string): Promise<void> {
    const ofChannel = running.get(name)!;
    const free = ATTEMPTS_PER_CHANNEL - ofChannel.size;
    if (free <= 0 || stopping.signal.aborted) return;
    for (const delivery of await store.claimDue(db, name, free)) {
      const attempt: Promise<void> = attemptDelivery(deps, channels.get(name)!, delivery, stopping.signal)
        .catch((error: unknown) => logger.error({ err: error, channel: name }, 'delivery not recorded'))
        .finally(() => {
          ofChannel.delete(attempt);
          void fill(name).catch((error: unknown) => logger.debug({ err: error }, 'deliveries not claimed'));
        });
      ofChannel.add(attempt);
    }
  }

  const round = async () => {
    for (const name of await store.channelsWithDue(db, [...channels.keys()])) await fill(name);
  };
  const polling = runPeriodically(round, { task: 'send notifications', everyMs: POLL_MS, logger });
  return {
    async stop() {
      stopping.abort();
      await polling.stop();
      await Promise.all([...running.values()].flatMap((attempts) => [...attempts]));
    },
  };
}

async function attemptDelivery(
  deps: DeliveryDeps,
  send: Send,
  delivery: NotificationDeliveryRow,
  stopping: AbortSignal,
): Promise<void> {
  const { db, warnings, metrics } = deps;
  const { id, channel, kind, event } = delivery;
  const logger = deps.logger.child({ deliveryId: id, channel, event, attempt: delivery.attempts });
  if (!isRequested(delivery) && (await store.isReceiverGone(db, channel))) {
    const reason = `Not sent, because the receiver answered 410. The channel is disabled ${UNTIL_REQUESTED}.`;
    await store.endDelivery(db, delivery, 'DISABLED', reason);
    return metrics.notificationAttempted(kind, 'DISABLED');
  }
  try {
    const notice = await readNotice(deps, delivery);
    if (notice === null) {
      await store.endDelivery(db, delivery, 'FAILED', 'The session was deleted before the delivery.');
      return;
    }
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deps.attemptMs ?? store.ATTEMPT_MS)]);
    const remark = await send({ id, createdAt: delivery.createdAt, notice, ...targetOf(delivery) }, signal);
    await store.endDelivery(db, delivery, 'DELIVERED', remark);
  } catch (error) {
    if (stopping.aborted) return store.postpone(db, delivery, 0, 'The process stopped during the attempt.');
    return handleFailure(deps, delivery, asSendError(error), logger);
  }
  await store.resumeChannel(db, channel);
  await warnings.clear(WARNING_CATEGORIES.notifications, channel);
  await warnings.clear(WARNING_CATEGORIES.notificationsDisabled, channel);
  metrics.notificationAttempted(kind, 'DELIVERED');
  logger.info('notification delivered');
}

/** True for a test and for a delivery that an admin repeats, which are sent even if the receiver is gone. */
function isRequested({ event, createdAt, queuedAt }: NotificationDeliveryRow): boolean {
  return event === TEST_EVENT || queuedAt > createdAt;
}

function targetOf({ notice: { object }, attempts }: NotificationDeliveryRow): Pick<Outgoing, 'target'> {
  if (object === undefined) return {};
  const { id: objectId, since, omitted } = object;
  return { target: { objectId, since: new Date(since), omitted, isRepeated: attempts > 1 } };
}

/** Returns a failure that is no answer of the receiver, such as an error of the database, as a temporary one. */
function asSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  return new SendError('Preparing the notification failed.', { code: 'INTERNAL' }, { cause: error });
}

async function handleFailure(
  { db, warnings, metrics, mask }: DeliveryDeps,
  delivery: NotificationDeliveryRow,
  { message, failure, cause }: SendError,
  logger: Logger,
): Promise<void> {
  const { channel, kind } = delivery;
  const { code, isFinal = false, isGone = false, isRateLimited = false, retryAfterMs = 0 } = failure;
  const error = createTexts(mask).line(`${code}: ${message}`, MAX_ERROR);
  const askedMs = Number.isNaN(retryAfterMs) ? 0 : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  // A rate limit concerns the whole channel, so the age of this delivery does not delay the others.
  const limitMs = Math.max(askedMs, MIN_RETRY_MS);
  const waitMs = isRateLimited && askedMs > 0 ? limitMs : Math.max(delayOf(delivery), askedMs);
  const isLast = Date.now() + waitMs > delivery.queuedAt.getTime() + RETRY_MS;
  const outcome = isGone ? 'DISABLED' : isFinal || isLast ? 'FAILED' : 'RETRIED';
  if (outcome === 'RETRIED') await store.postpone(db, delivery, waitMs, error);
  else await store.endDelivery(db, delivery, outcome, error);
  if (isRateLimited) await store.postponeChannel(db, channel, limitMs);
  metrics.notificationAttempted(kind, outcome);
  logger.warn(
    { code, outcome, waitMs, ...(code === 'INTERNAL' && { err: cause }) },
    'notification not delivered',
  );
  if (failure.isOfDelivery || (isRateLimited && outcome === 'RETRIED')) return;
  const text = `The channel ${channel} does not deliver notifications (${code}).`;
  await warnings.raise({
    category: WARNING_CATEGORIES[isGone ? 'notificationsDisabled' : 'notifications'],
    key: channel,
    message: isGone ? `${text} It is disabled ${UNTIL_REQUESTED}.` : text,
    details: message,
  });
}

/** Returns the delay before the next attempt (ms): as long as the attempts took so far, within limits, with jitter. */
function delayOf({ queuedAt, event }: NotificationDeliveryRow): number {
  const elapsedMs = Date.now() - queuedAt.getTime();
  const maxMs = event === 'approval.requested' ? MAX_APPROVAL_RETRY_MS : MAX_RETRY_MS;
  return jittered(Math.min(Math.max(elapsedMs, MIN_RETRY_MS), maxMs));
}
