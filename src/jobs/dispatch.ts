import { setTimeout as delay } from 'node:timers/promises';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Transaction } from '../engine/session/transaction.ts';
import { RUN_SESSION } from './tasks/run-session.ts';

/** Key of the advisory lock under which slots are counted and given ("slot", as bytes). */
const SLOT_LOCK = 0x736c6f74;

/** A job that nobody took for this long (seconds) is added again: its worker may have died with it. */
const STALE_JOB_S = 60;

/** Every session that ends or waits gives its slot back, so these are few, and have an index of their own. */
const SLOTS_HELD = 'select count(*) from alert_sessions where dispatched_at is not null';

/** Milliseconds after a look in vain until the next one: while alerts pour in those of some time share a look. */
const LOOK_PAUSE_MS = 10;

/**
 * Gives free slots to the sessions that wait longest: each gets a job. Slots are counted over all processes under one
 * lock, so their number is exact. Runs within the caller's transaction, which holds the lock until it commits. It waits
 * for no session's row under that lock, because who holds one may wait for the lock: a session that somebody changes
 * just now is left to them, and they dispatch after it.
 */
export function createDispatch(options: { maxConcurrentSessions: number }) {
  return async (tx: Queryable): Promise<void> => {
    await tx.query('select pg_advisory_xact_lock($1)', [SLOT_LOCK]);
    await tx.query(prepared(give('$1')), [options.maxConcurrentSessions]);
  };
}

const WAITING = `status = 'PENDING' and dispatched_at is null and deleted_at is null and (run_at is null or run_at <= now())`;

/** @param max sessions that run at once, as SQL */
function give(max: string): string {
  return `with next as (
      select id from alert_sessions where ${WAITING} order by created_at, id
      limit greatest(0, ${max}::int - (${SLOTS_HELD}))
      for no key update skip locked
    ), picked as (
      update alert_sessions s set dispatched_at = now() from next where s.id = next.id returning s.id
    )
    select ${addJob('p.id')} from picked p`;
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
  // Each is one message to the server, so that nobody holds the lock while we are waited for; yet each statement sees what
  // was committed before it began.
  const count = `select pg_advisory_xact_lock_shared(${SLOT_LOCK});
    select (${SLOTS_HELD}) < ${max} and exists (select 1 from alert_sessions where ${WAITING}) as possible`;
  const dispatch = `select pg_advisory_xact_lock(${SLOT_LOCK}); ${give(String(max))}`;
  const look = async () => {
    const [, looked] = (await db.query(count)) as unknown as [unknown, { rows: { possible: boolean }[] }];
    const { possible } = looked.rows[0]!;
    if (possible) await db.query(dispatch);
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
     select ${addJob('s.id')} from stale s`,
  );
}

/** One attempt: what happens to a session when its worker dies is the lease's business, not the queue's. */
function addJob(id: string): string {
  return `graphile_worker.add_job('${RUN_SESSION}', json_build_object('sessionId', ${id}),
    job_key := '${RUN_SESSION}:' || ${id}, max_attempts := 1)`;
}
