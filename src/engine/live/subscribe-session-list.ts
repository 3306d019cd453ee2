import type { Logger } from 'pino';
import { createFailureLog, runPeriodically } from '../../common/periodic.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, SessionSnapshot, SharedStream } from '../api/engine.ts';
import type { Bus } from './bus.ts';
import { POLL_MS, readRows } from './event-log.ts';
import type { EventNotice } from './notices.ts';
import { FEED_RETRY_MS } from './session-feed.ts';

/** Age up to which polls check created and ended sessions (s). Longer than any delay of a poll. */
const POLL_LOOKBACK_S = 10;

/** Maximum number of sessions read at once, because thousands may have changed during an outage. */
const LIST_PAGE = 200;

/**
 * Margin of the search for missed changes (s), because a row's time is that of its transaction's start, which
 * may be long before the commit.
 */
const CATCH_UP_MARGIN_S = 30;

const LISTED_CHANGES: ReadonlySet<string> = new Set(['SessionStatusChanged', 'StageStatusChanged']);

export interface SessionListSubscriptions {
  subscribeSessions(): SharedStream<SessionSnapshot>;
  close(): void;
}

/**
 * Creates the subscription to the session list, which publishes every created or changed session except replays. Reads each
 * change once for all subscribers. Retries failed reads. After an outage, compares times and states in the
 * sessions' rows to find missed changes.
 */
export function createSessionListSubscriptions(deps: {
  db: Queryable;
  bus: Bus;
  /** Default: POLL_MS. */
  pollMs?: number;
  logger: Logger;
}): SessionListSubscriptions {
  const { db, bus, pollMs = POLL_MS, logger } = deps;
  const listeners = new Set<LiveListener<SessionSnapshot>>();
  const dirty = new Set<string>();
  /** The last published states of the sessions that polls check. */
  const published = new Map<string, string>();
  /**
   * True after the first poll with subscribers. The first poll publishes nothing, because the subscribers read the
   * list themselves.
   */
  let primed = false;
  /** Time after which notices were missed; `null` if no notice was missed. */
  let missedSince: Date | null = null;
  const failureLog = createFailureLog('read changed sessions', logger);
  let position = 0;
  let reading = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  function onEvent({ sessionId, type }: EventNotice): void {
    if (listeners.size === 0 || !LISTED_CHANGES.has(type)) return;
    dirty.add(sessionId);
    void readOn();
  }

  function onReconnected(since: Date): void {
    if (listeners.size === 0) return;
    missedSince ??= since;
    void readOn();
  }

  async function readOn(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      while (missedSince !== null || dirty.size > 0) {
        if (missedSince !== null) await catchUp(missedSince);
        await publishSome();
      }
      failureLog.succeeded();
    } catch (error) {
      failureLog.failed(error);
      clearTimeout(retry);
      if (!closed) retry = setTimeout(readOn, FEED_RETRY_MS);
    } finally {
      reading = false;
    }
  }

  async function catchUp(since: Date): Promise<void> {
    missedSince = null; // before the read, so that a miss during the read counts
    try {
      for (const id of await readChangedSince(db, since)) dirty.add(id);
    } catch (error) {
      missedSince = since;
      throw error;
    }
  }

  async function publishSome(): Promise<void> {
    const ids = [...dirty].slice(0, LIST_PAGE);
    for (const id of ids) dirty.delete(id); // before the read, so that later changes are read again
    try {
      for (const session of await readRows<SessionSnapshot>(db, prepared(CHANGED), [ids])) {
        position += 1;
        published.set(session.id, stateOf(session));
        for (const listener of listeners) listener(session, position);
      }
    } catch (error) {
      for (const id of ids) dirty.add(id);
      throw error;
    }
  }

  /** Finds changes whose notice was lost, for example because the writer died after its commit. */
  async function poll(): Promise<void> {
    if (listeners.size === 0) {
      published.clear();
      primed = false;
      return;
    }
    const before = new Map(published);
    const found = await readStates(db);
    for (const [id, state] of found) {
      if (!primed) published.set(id, published.get(id) ?? state);
      else if (published.get(id) !== state) dirty.add(id);
    }
    primed = true;
    for (const [id, state] of before) if (!found.has(id) && published.get(id) === state) published.delete(id);
    await readOn();
  }

  bus.on('event', onEvent);
  bus.on('reconnected', onReconnected);
  const polling = runPeriodically(poll, { task: 'poll changed sessions', everyMs: pollMs, logger });

  const stream: SharedStream<SessionSnapshot> = {
    topic: 'sessions',
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    // biome-ignore lint/correctness/useYield: there is nothing to replay
    async *replay() {
      return position;
    },
  };
  return {
    subscribeSessions: () => stream,
    close() {
      closed = true;
      void polling.stop();
      clearTimeout(retry);
      listeners.clear();
      bus.off('event', onEvent);
      bus.off('reconnected', onReconnected);
    },
  };
}

const stateOf = ({ status, attempt, currentStageId }: SessionSnapshot) =>
  `${status} ${attempt} ${currentStageId ?? ''}`;

const CHANGED = `select to_jsonb(s) - 'alert_data' as row from alert_sessions s
  where s.deleted_at is null and s.id = any($1::uuid[])
    and not exists (select 1 from replays p where p.session_id = s.id) order by s.created_at, s.id`;

/**
 * Returns the states of sessions that run, wait for approval, or were created or ended in the last POLL_LOOKBACK_S. A
 * session that returned to the queue is found when a worker claims it.
 */
async function readStates(db: Queryable): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; state: string }>(
    prepared(`select s.id, s.status || ' ' || s.attempt || ' ' || coalesce(s.current_stage_id::text, '') as state
     from alert_sessions s where s.deleted_at is null and s.id in (
       select id from alert_sessions where deleted_at is null and created_at > now() - interval '${POLL_LOOKBACK_S} seconds'
       union all
       select id from alert_sessions where deleted_at is null and completed_at > now() - interval '${POLL_LOOKBACK_S} seconds'
       union all select id from alert_sessions where status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL'))`),
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Returns the sessions that may have changed since a time, oldest first. Skips older sessions that never ran. */
async function readChangedSince(db: Queryable, since: Date): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with missed as (select $1::timestamptz - interval '${CATCH_UP_MARGIN_S} seconds' as since)
     select s.id from alert_sessions s where s.deleted_at is null and s.id in (
       select id from alert_sessions, missed where deleted_at is null and created_at > since
       union all select id from alert_sessions, missed where deleted_at is null and completed_at > since
       union all select id from alert_sessions where status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL')
       union all select id from alert_sessions where status = 'PENDING' and attempt > 0
     ) order by s.created_at, s.id`,
    [since],
  );
  return rows.map(({ id }) => id);
}
