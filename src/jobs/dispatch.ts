import { setTimeout as delay } from 'node:timers/promises';
import { prepared } from '../db/prepared.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';

/** Milliseconds after an unsuccessful check for a free slot; under load, sessions of that time share a check. */
const CHECK_PAUSE_MS = 10;

/**
 * Returns the function that gives free slots to the longest-waiting sessions and adds a job for each. Slots are counted
 * over all processes under one lock, so their number is exact. The lock is held until the caller's transaction commits.
 * Under the lock it waits for no session row, because a row's holder may itself wait for the lock. Locked rows are skipped;
 * their holders dispatch after their change.
 */
export function createDispatch({ maxConcurrentSessions }: { maxConcurrentSessions: number }) {
  return async (tx: Queryable): Promise<void> => void (await tx.query(...giveSlots(maxConcurrentSessions)));
}

function giveSlots(max: number): Parameters<Queryable['query']> {
  return [prepared('select tarsy_give_slots($1)'), [max]];
}

/**
 * Returns the function that offers slots after a session was committed or a slot was released. Under load slots are rarely
 * free, so it first checks without queueing for the lock. The check only waits for the current holder, which may have
 * counted before that commit. All commits before a check starts share it.
 */
export function createOfferSlot(options: {
  db: Queryable;
  maxConcurrentSessions: number;
}): () => Promise<void> {
  const { db, maxConcurrentSessions: max } = options;
  const check = async () => {
    const sql = prepared('select tarsy_slot_is_free($1) as possible');
    const { possible } = (await db.query<{ possible: boolean }>(sql, [max])).rows[0]!;
    if (possible) await db.query(...giveSlots(max));
    return possible;
  };
  let last = Promise.resolve();
  let next: Promise<void> | null = null; // not started yet
  let failedAt = Number.NEGATIVE_INFINITY; // last check without a free slot
  const begin = async () => {
    const pause = failedAt + CHECK_PAUSE_MS - performance.now();
    if (pause > 0) await delay(pause);
    next = null;
    if (!(await check())) failedAt = performance.now();
  };
  return () => {
    next ??= last = last.then(begin, begin);
    return next;
  };
}

/** Gives free slots to sessions whose wait for more alerts has just ended. The others follow when a slot is released. */
export async function dispatchDue(deps: {
  db: Queryable;
  transaction: Transaction;
  dispatch: (tx: Queryable) => Promise<void>;
}): Promise<void> {
  const { rows } = await deps.db.query(prepared(DUE));
  if (rows.length > 0) await deps.transaction(deps.dispatch);
}

/** Only sessions of the last 10 s, so that those waiting for a slot do not trigger a dispatch each time. */
const DUE = `select 1 from alert_sessions where status = 'PENDING' and dispatched_at is null
  and run_at between now() - interval '10 seconds' and now() limit 1`;

/** Adds the jobs of sessions unclaimed for a minute again. A duplicate job is harmless, because a session is claimed once. */
export async function renewStaleJobs(db: Queryable): Promise<void> {
  await db.query(
    `with stale as (
       update alert_sessions s set dispatched_at = now()
       where status = 'PENDING' and dispatched_at < now() - interval '1 minute' returning s.id
     )
     select graphile_worker.add_job('run-session', json_build_object('sessionId', s.id),
       job_key := 'run-session:' || s.id, max_attempts := 1) from stale s`,
  );
}
