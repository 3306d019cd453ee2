import type { Logger } from 'pino';
import type { SessionSnapshot } from '../engine.ts';
import { SUBSCRIBER_MAX_ITEMS, SUBSCRIBER_MAX_UNITS } from '../tunables.ts';
import type { Bus, EventNotice } from './bus.ts';
import { decodeRow, type Queryable } from './log.ts';
import { createPushQueue } from './push-queue.ts';

/** Event types after which a list of sessions looks different. */
const LISTED_CHANGES: ReadonlySet<string> = new Set(['SessionStatusChanged', 'StageStatusChanged']);

export interface SessionListSubscriptions {
  subscribeSessions(signal: AbortSignal): AsyncIterable<SessionSnapshot>;
  close(): void;
}

/**
 * Tells of every session created or changed. Each change is read once, however many listen; changes of one
 * session that arrive while it is read become one.
 */
export function createSessionListSubscriptions(deps: {
  db: Queryable;
  bus: Bus;
  logger: Logger;
}): SessionListSubscriptions {
  const { db, bus, logger } = deps;
  const subscribers = new Set<(session: SessionSnapshot) => void>();
  const dirty = new Set<string>();
  let reading = false;
  let lastNoticeAt = new Date();

  function onEvent({ sessionId, type }: EventNotice): void {
    lastNoticeAt = new Date();
    if (subscribers.size === 0 || !LISTED_CHANGES.has(type)) return;
    dirty.add(sessionId);
    void readDirty();
  }

  async function readDirty(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      while (dirty.size > 0) {
        const ids = [...dirty];
        dirty.clear();
        await readAndEmit('s.id = any($1::uuid[])', [ids]);
      }
    } catch (error) {
      logger.warn({ err: error }, 'changed sessions could not be read');
    } finally {
      reading = false;
    }
  }

  async function readAndEmit(condition: string, values: unknown[]): Promise<void> {
    const { rows } = await db.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(s) - 'alert_data' as row from alert_sessions s
       where s.deleted_at is null and (${condition}) order by s.created_at, s.id`,
      values,
    );
    for (const { row } of rows) {
      const session = decodeRow<SessionSnapshot>(row);
      for (const push of subscribers) push(session);
    }
  }

  /** Notices were missed: whatever is running, or began or ended since, may have changed. */
  function onReconnected(): void {
    if (subscribers.size === 0) return;
    readAndEmit(
      `s.status in ('PENDING', 'IN_PROGRESS', 'CANCELLING') or s.completed_at > $1 or s.created_at > $1`,
      [lastNoticeAt],
    ).catch((error: unknown) => logger.warn({ err: error }, 'changed sessions could not be read'));
  }

  bus.on('event', onEvent);
  bus.on('reconnected', onReconnected);

  return {
    async *subscribeSessions(signal) {
      const queue = createPushQueue<SessionSnapshot>({
        items: SUBSCRIBER_MAX_ITEMS,
        size: SUBSCRIBER_MAX_UNITS,
        sizeOf: (session) => session.finalAnalysis?.length ?? 0,
      });
      const onAbort = () => queue.end();
      signal.addEventListener('abort', onAbort, { once: true });
      subscribers.add(queue.push);
      try {
        if (!signal.aborted) yield* queue;
      } finally {
        subscribers.delete(queue.push);
        signal.removeEventListener('abort', onAbort);
      }
    },
    close() {
      bus.off('event', onEvent);
      bus.off('reconnected', onReconnected);
    },
  };
}
