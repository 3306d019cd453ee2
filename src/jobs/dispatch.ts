import { setTimeout as delay } from 'node:timers/promises';
import { prepared } from '../db/prepared.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { UNCLAIMED_AFTER } from '../engine/store/sessions.ts';
import { hasNoJob } from './kit.ts';

/** Pause after a check that found no free slot (ms). All sessions committed during the pause share the next check. */
const CHECK_PAUSE_MS = 10;

/**
 * Creates the function that gives free slots to waiting sessions, in the order of the queue, and adds a job for each.
 * The slots of all processes are counted under one lock, held until the caller's transaction commits, so the count is
 * exact. Rows locked by other transactions are skipped, because those may wait for that lock. A later dispatch serves
 * them.
 */
export function createDispatch({ maxConcurrentSessions }: { maxConcurrentSessions: number }) {
  return async (tx: Queryable): Promise<void> => void (await tx.query(...giveSlots(maxConcurrentSessions)));
}

function giveSlots(max: number): Parameters<Queryable['query']> {
  return [prepared('select tarsy_assign_slots($1)'), [max]];
}

/**
 * Returns the function to call after a session was committed or a slot was released. Under load slots are rarely free,
 * so the function first checks for one without queueing for the lock. The check waits only for the lock's current
 * holder, which may have counted slots before that commit. Callers share a check that has not started yet.
 */
export function createOfferSlot(options: {
  db: Queryable;
  maxConcurrentSessions: number;
}): () => Promise<void> {
  const { db, maxConcurrentSessions: max } = options;
  const check = async () => {
    const sql = prepared('select tarsy_slot_is_wanted($1) as possible');
    const { possible } = (await db.query<{ possible: boolean }>(sql, [max])).rows[0]!;
    if (possible) await db.query(...giveSlots(max));
    return possible;
  };
  let last = Promise.resolve();
  let next: Promise<void> | null = null; // check that callers share until it starts
  let failedAt = Number.NEGATIVE_INFINITY; // time of the last check without a free slot
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

/** Gives free slots to sessions whose wait for more alerts has just ended. Later releases of slots serve the rest. */
export async function dispatchDue(deps: {
  db: Queryable;
  transaction: Transaction;
  dispatch: (tx: Queryable) => Promise<void>;
}): Promise<void> {
  const { rows } = await deps.db.query(prepared(DUE));
  if (rows.length > 0) await deps.transaction(deps.dispatch);
}

/**
 * Selects sessions that became due in the last 10 s. Others wait for a slot and must not cause a dispatch each round.
 */
const DUE = `select 1 from alert_sessions where status = 'PENDING' and dispatched_at is null
  and run_at between now() - interval '10 seconds' and now() limit 1`;

/**
 * Adds jobs again for dispatched sessions whose job a worker fetched and lost before the claim, which takes only
 * milliseconds. A duplicate is harmless, because a session is claimed once.
 */
export async function renewStaleJobs(db: Queryable): Promise<void> {
  await db.query(
    `with stale as (
       update alert_sessions s set dispatched_at = now()
       where status = 'PENDING' and dispatched_at < now() - ${UNCLAIMED_AFTER} and ${hasNoJob('run-session', 's.id')}
       returning s.id
     )
     select graphile_worker.add_job('run-session', json_build_object('sessionId', s.id),
       job_key := 'run-session:' || s.id, max_attempts := 1) from stale s`,
  );
}
