import type { Logger } from 'pino';
import type { LiveListener, SessionSnapshot, SharedStream } from '../engine.ts';
import { FEED_RETRY_MS } from '../tunables.ts';
import type { Bus, EventNotice } from './bus.ts';
import { decodeRow, type Queryable } from './log.ts';

/** Event types after which a list of sessions looks different. */
const LISTED_CHANGES: ReadonlySet<string> = new Set(['SessionStatusChanged', 'StageStatusChanged']);

export interface SessionListSubscriptions {
  subscribeSessions(): SharedStream<SessionSnapshot>;
  close(): void;
}

/**
 * Tells of every session created or changed. Each change is read once, however many listen; changes of one
 * session that arrive while it is read become one. What cannot be read is read a little later.
 */
export function createSessionListSubscriptions(deps: {
  db: Queryable;
  bus: Bus;
  logger: Logger;
}): SessionListSubscriptions {
  const { db, bus, logger } = deps;
  const listeners = new Set<LiveListener<SessionSnapshot>>();
  const dirty = new Set<string>();
  /** Notices after this moment were missed; null when none were. */
  let missedSince: Date | null = null;
  let lastNoticeAt = new Date();
  let place = 0;
  let reading = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  function onEvent({ sessionId, type }: EventNotice): void {
    lastNoticeAt = new Date();
    if (listeners.size === 0 || !LISTED_CHANGES.has(type)) return;
    dirty.add(sessionId);
    void readOn();
  }

  function onReconnected(): void {
    if (listeners.size === 0) return;
    missedSince ??= lastNoticeAt;
    void readOn();
  }

  async function readOn(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      while (missedSince !== null || dirty.size > 0) await readOnce();
    } catch (error) {
      logger.warn({ err: error }, 'changed sessions could not be read, trying again');
      clearTimeout(retry);
      if (!closed) retry = setTimeout(readOn, FEED_RETRY_MS);
    } finally {
      reading = false;
    }
  }

  async function readOnce(): Promise<void> {
    const ids = [...dirty];
    const since = missedSince;
    dirty.clear();
    missedSince = null;
    try {
      const sessions = since === null ? await readChanged(db, ids) : await readAllSince(db, since, ids);
      for (const session of sessions) {
        place += 1;
        for (const listener of listeners) listener(session, place);
      }
    } catch (error) {
      for (const id of ids) dirty.add(id);
      missedSince ??= since;
      throw error;
    }
  }

  bus.on('event', onEvent);
  bus.on('reconnected', onReconnected);

  const stream: SharedStream<SessionSnapshot> = {
    topic: 'sessions',
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    // biome-ignore lint/correctness/useYield: nothing comes before what is live
    async *replay() {
      return place;
    },
  };
  return {
    subscribeSessions: () => stream,
    close() {
      closed = true;
      clearTimeout(retry);
      listeners.clear();
      bus.off('event', onEvent);
      bus.off('reconnected', onReconnected);
    },
  };
}

function readChanged(db: Queryable, ids: string[]): Promise<SessionSnapshot[]> {
  return readSessions(db, 's.id = any($1::uuid[])', [ids]);
}

/** Those, and whatever is running, or began or ended since, for it may have changed. */
function readAllSince(db: Queryable, since: Date, ids: string[]): Promise<SessionSnapshot[]> {
  return readSessions(
    db,
    `s.id = any($1::uuid[]) or s.status in ('PENDING', 'IN_PROGRESS', 'CANCELLING')
     or s.completed_at > $2 or s.created_at > $2`,
    [ids, since],
  );
}

async function readSessions(db: Queryable, condition: string, values: unknown[]): Promise<SessionSnapshot[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(s) - 'alert_data' as row from alert_sessions s
     where s.deleted_at is null and (${condition}) order by s.created_at, s.id`,
    values,
  );
  return rows.map(({ row }) => decodeRow<SessionSnapshot>(row));
}
