import { createTimeLimit, type TimeLimit } from '../../common/time-limit.ts';

/**
 * The time of a run or of a sub-agent. The last part, the reserve, is for conclusions. All moments are of the monotonic
 * clock (`performance.now()`, ms).
 *
 *   startedAt ──── work ──── concludeAt ──── reserve ──── endsAt
 */
export interface TimeBudget {
  readonly startedAt: number;
  readonly concludeAt: number;
  /** The moment at which the run is aborted. */
  readonly endsAt: number;
  /** Aborts with a TimeoutError at `concludeAt`, or with the reason of `requested`. */
  readonly reserve: AbortSignal;
  /** Aborts when a responder asks the run to conclude; the reserve then begins at once. */
  readonly requested: AbortSignal;
  /** Creates the error of a run or sub-agent that reaches no conclusion by `endsAt`. */
  exceeded(): Error;
}

/** The reserve is at most this share of the whole time, so that a short limit leaves time for work. */
const MAX_RESERVE_SHARE = 1 / 4;

/**
 * Share of the remaining time that one concluding step may use, because a synthesis, a report or a summary may
 * follow.
 */
const CONCLUSION_SHARE = 3 / 4;

/** Share of the remaining time for work that must still run in the reserve, such as an approved call. */
const LAST_WORK_SHARE = 1 / 4;

export function createTimeBudget(
  { startedAt, endsAt, exceeded }: Limit,
  reserveMs: number,
  requested: AbortSignal,
): TimeBudget {
  const concludeAt = endsAt - Math.min(reserveMs, (endsAt - startedAt) * MAX_RESERVE_SHARE);
  return { startedAt, concludeAt, endsAt, reserve: abortsAt(concludeAt, requested), requested, exceeded };
}

/** Creates the time budget of a sub-agent: the shortest of these limits. */
export function shortestBudget(
  limits: readonly [Limit, ...Limit[]],
  reserveMs: number,
  requested: AbortSignal,
): TimeBudget {
  const shortest = limits.reduce((a, b) => (b.endsAt < a.endsAt ? b : a));
  return createTimeBudget(shortest, reserveMs, requested);
}

type Limit = Pick<TimeBudget, 'startedAt' | 'endsAt' | 'exceeded'>;

/** Creates the reason of `requested`. A TimeoutError, because running calls stop as at a time limit. */
export const conclusionRequested = (): DOMException =>
  new DOMException('A responder asked the investigation to conclude.', 'TimeoutError');

/** True once the reserve has begun: no new work begins, and agents conclude. */
export const isTimeUp = ({ reserve }: TimeBudget): boolean => reserve.aborted;

/** True if the reserve began early, because a responder asked the run to conclude. */
export const isRequested = ({ reserve, requested }: TimeBudget): boolean =>
  requested.aborted && reserve.reason === requested.reason;

interface Timed {
  /** Aborts when the run must stop. */
  signal: AbortSignal;
  time: TimeBudget;
}

/** Returns the signal for work: aborts with the run, or when the reserve begins. In the reserve, little time is left. */
export function workSignal({ signal, time }: Timed): AbortSignal {
  const { reserve, endsAt } = time;
  return AbortSignal.any([signal, reserve.aborted ? abortsAt(shareUntil(endsAt, LAST_WORK_SHARE)) : reserve]);
}

/** True if the reserve interrupted work with `error`. The run itself continues, with a conclusion. */
export function isReserveReason({ signal, time }: Timed, error: unknown): boolean {
  return !signal.aborted && isTimeUp(time) && error === time.reserve.reason;
}

/** Returns the latest end of a concluding step that begins now. */
export function concludeBy({ concludeAt, endsAt }: TimeBudget): number {
  return shareUntil(endsAt, CONCLUSION_SHARE, Math.max(performance.now(), concludeAt));
}

/** Starts the time limit of a concluding step. A pause of the limit does not move `concludeBy`. */
export function conclusionLimit({ signal, time }: Timed, limitMs: number): TimeLimit {
  return createTimeLimit(AbortSignal.any([signal, abortsAt(concludeBy(time))]), limitMs);
}

function shareUntil(endsAt: number, share: number, from = performance.now()): number {
  return from + Math.max(0, endsAt - from) * share;
}

/**
 * Returns a signal that aborts at a moment, or earlier with `requested`. Not AbortSignal.timeout, because a garbage
 * collection could drop its timer while only combined signals use it. Not AbortSignal.any, because one that nothing
 * listens to takes the reason of its first aborted signal in the list, not of the first that aborted.
 */
function abortsAt(moment: number, requested?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const leftMs = moment - performance.now();
  const up = () => controller.abort(new DOMException('The time for this work was used up.', 'TimeoutError'));
  if (requested?.aborted) controller.abort(requested.reason);
  else if (leftMs > 0) setTimeout(up, leftMs).unref();
  else up();
  requested?.addEventListener('abort', () => controller.abort(requested.reason), { once: true });
  return controller.signal;
}
