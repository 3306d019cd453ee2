import type { Logger } from 'pino';
import { createFailureLog, runPeriodically } from '../../common/periodic.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, SessionSnapshot, SharedStream } from '../api/engine.ts';
import type { Bus, EventNotice } from './bus.ts';
import { decodeRow, POLL_MS } from './event-log.ts';
import { FEED_RETRY_MS } from './session-feed.ts';

/** Age limit (s) of created or ended sessions that a poll reads. A poll is never later than this. */
const POLL_LOOKBACK_S = 10;

/** Sessions read at once. After an outage thousands may have changed. */
const LIST_PAGE = 200;

/**
 * Margin (s) before the first missed change at which the search starts, because rows carry the start time of their
 * transactions and a notice may be in flight while a probe is answered.
 */
const CATCH_UP_MARGIN_S = 30;

/** Event types that change a list of sessions. */
const LISTED_CHANGES: ReadonlySet<string> = new Set(['SessionStatusChanged', 'StageStatusChanged']);

export interface SessionListSubscriptions {
  subscribeSessions(): SharedStream<SessionSnapshot>;
  close(): void;
}

/**
 * Streams every created or changed session. Each change is read once for all listeners; changes of one session during
 * a read become one. A failed read is repeated. Changes during a lost connection are found in the rows.
 */
export function createSessionListSubscriptions(deps: {
  db: Queryable;
  bus: Bus;
  /** See LOOK_MS, the default. */
  lookMs?: number;
  logger: Logger;
}): SessionListSubscriptions {
  const { db, bus, lookMs = POLL_MS, logger } = deps;
  const listeners = new Set<LiveListener<SessionSnapshot>>();
  const dirty = new Set<string>();
  /** Last published state of the sessions that a poll finds. */
  const told = new Map<string, string>();
  /** True once `told` holds the state that the first listener has read. */
  let primed = false;
  /** Notices after this moment were missed; `null` if none were. */
  let missedSince: Date | null = null;
  const failureLog = createFailureLog('Reading changed sessions', logger);
  let place = 0;
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
        await tellSome();
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
    missedSince = null; // before the read, so that changes missed during it are searched again
    try {
      for (const id of await readChangedSince(db, since)) dirty.add(id);
    } catch (error) {
      missedSince = since;
      throw error;
    }
  }

  async function tellSome(): Promise<void> {
    const ids = [...dirty].slice(0, LIST_PAGE);
    for (const id of ids) dirty.delete(id); // before the read, so that changes during it are read again
    try {
      for (const session of await readSessions(db, ids)) {
        place += 1;
        told.set(session.id, stateOf(session));
        for (const listener of listeners) listener(session, place);
      }
    } catch (error) {
      for (const id of ids) dirty.add(id);
      throw error;
    }
  }

  /** Polls, because a process may die between its commit and its announcement. */
  async function look(): Promise<void> {
    if (listeners.size === 0) {
      told.clear();
      primed = false;
      return;
    }
    const before = new Map(told);
    const found = await readStates(db);
    for (const [id, state] of found) {
      if (!primed) told.set(id, told.get(id) ?? state);
      else if (told.get(id) !== state) dirty.add(id);
    }
    primed = true;
    for (const [id, state] of before) if (!found.has(id) && told.get(id) === state) told.delete(id);
    await readOn();
  }

  bus.on('event', onEvent);
  bus.on('reconnected', onReconnected);
  const looking = runPeriodically(look, {
    task: 'Looking for sessions that changed',
    everyMs: lookMs,
    logger,
  });

  const stream: SharedStream<SessionSnapshot> = {
    topic: 'sessions',
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    // biome-ignore lint/correctness/useYield: there is no replay
    async *replay() {
      return place;
    },
  };
  return {
    subscribeSessions: () => stream,
    close() {
      closed = true;
      void looking.stop();
      clearTimeout(retry);
      listeners.clear();
      bus.off('event', onEvent);
      bus.off('reconnected', onReconnected);
    },
  };
}

/** The changing fields of a session that lists show. */
const stateOf = ({ status, attempt, currentStageId }: SessionSnapshot) =>
  `${status} ${attempt} ${currentStageId ?? ''}`;

/** Returns the state of each running or recently created or ended session: those that may change without a notice. */
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

/**
 * Returns the sessions that changed in lists since then, oldest first: created, ended or requeued ones, and the few
 * running ones. Waiting sessions are left out, because there may be thousands.
 */
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

async function readSessions(db: Queryable, ids: string[]): Promise<SessionSnapshot[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    prepared(`select to_jsonb(s) - 'alert_data' as row from alert_sessions s
     where s.deleted_at is null and s.id = any($1::uuid[]) order by s.created_at, s.id`),
    [ids],
  );
  return rows.map(({ row }) => decodeRow<SessionSnapshot>(row));
}
