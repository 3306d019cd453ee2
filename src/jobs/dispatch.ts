import { setTimeout as delay } from 'node:timers/promises';
import { prepared } from '../db/prepared.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { RUN_SESSION } from './tasks/run-session.ts';

/** A job that nobody took for this long (seconds) is added again: its worker may have died with it. */
const STALE_JOB_S = 60;

/** Milliseconds after a look in vain until the next one: while alerts pour in those of some time share a look. */
const LOOK_PAUSE_MS = 10;

/**
 * Gives free slots to the sessions that wait longest: each gets a job. Slots are counted over all processes under one
 * lock, so their number is exact. Runs within the caller's transaction, which holds the lock until it commits. It waits
 * for no session's row under that lock, because who holds one may wait for the lock: a session that somebody changes
 * just now is left to them, and they dispatch after it.
 */
export function createDispatch(options: { maxConcurrentSessions: number }) {
  return async (tx: Queryable): Promise<void> =>
    void (await tx.query(...giveSlots(options.maxConcurrentSessions)));
}

/** A statement with its values. */
function giveSlots(max: number): Parameters<Queryable['query']> {
  return [prepared('select tarsy_give_slots($1)'), [max]];
}

/**
 * Looks for a free slot for a session that was just committed, or for a session for a slot that was just given back. Most
 * often there is none while alerts pour in, and then they need not queue for the lock: it is enough to wait for who holds
 * it (who may have counted before that commit), and whoever gets it later finds the session. What was committed before a
 * look begins shares it.
 */
export function createOfferSlot(options: {
  db: Queryable;
  maxConcurrentSessions: number;
}): () => Promise<void> {
  const { db, maxConcurrentSessions: max } = options;
  const look = async () => {
    const { rows } = await db.query<{ possible: boolean }>(
      prepared('select tarsy_slot_is_free($1) as possible'),
      [max],
    );
    const { possible } = rows[0]!;
    if (possible) await db.query(...giveSlots(max));
    return possible;
  };
  let last = Promise.resolve();
  let next: Promise<void> | null = null; // not begun
  let lookedAt = Number.NEGATIVE_INFINITY; // in vain
  const begin = async () => {
    const pause = lookedAt + LOOK_PAUSE_MS - performance.now();
    if (pause > 0) await delay(pause);
    next = null;
    if (!(await look())) lookedAt = performance.now();
  };
  return () => {
    next ??= last = last.then(begin, begin);
    return next;
  };
}

/**
 * Gives slots to sessions whose wait for more alerts has just ended. Those for which there is none then are found, as any
 * that wait, when a slot is given back.
 */
export async function dispatchDue(deps: {
  db: Queryable;
  transaction: Transaction;
  dispatch: (tx: Queryable) => Promise<void>;
}): Promise<void> {
  const { rows } = await deps.db.query(prepared(DUE));
  if (rows.length > 0) await deps.transaction(deps.dispatch);
}

/** Only of late: a session that waits for a slot is no reason to look each time. */
const DUE = `select 1 from alert_sessions where status = 'PENDING' and dispatched_at is null
  and run_at between now() - interval '10 seconds' and now() limit 1`;

/** Adds the job of a dispatched session again when its first one got lost; a session is claimed once all the same. */
export async function renewStaleJobs(db: Queryable): Promise<void> {
  await db.query(
    `with stale as (
       update alert_sessions s set dispatched_at = now()
       where status = 'PENDING' and dispatched_at < now() - interval '${STALE_JOB_S} seconds' returning s.id
     )
     select graphile_worker.add_job('${RUN_SESSION}', json_build_object('sessionId', s.id),
       job_key := '${RUN_SESSION}:' || s.id, max_attempts := 1) from stale s`,
  );
}
