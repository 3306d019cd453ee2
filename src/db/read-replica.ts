import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import type { Queryable } from './queryable.ts';
import {
  mismatchOf,
  type PrimaryState,
  type ReplicaState,
  readPrimary,
  readReplica,
} from './replica-position.ts';

/** Time between two checks without reads (ms). */
const CHECK_MS = 1_000;

/** Number of consecutive checks that must succeed before a lost replica is used again, so that it does not alternate. */
const PASSES = 3;

/** Pauses between two looks at a replica that is behind (ms). */
const FIRST_PAUSE_MS = 2;
const LAST_PAUSE_MS = 50;

const BEHIND = 'it is behind the primary';

export interface ReplicaStatus {
  /** True if reads use the replica. */
  readonly serves: boolean;
  /** Why reads use the primary, as the end of a sentence; `null` while they use the replica. */
  readonly problem: string | null;
  /** WAL that the replica has not replayed (bytes); `null` if unknown. */
  readonly lagBytes: number | null;
  /** Age of the oldest commit that the replica may not have replayed (s); 0 = none, `null` if unknown. */
  readonly lagSeconds: number | null;
  /** How often `isCurrent` resolved true. */
  readonly served: number;
  /** How often `isCurrent` resolved false. */
  readonly fellBack: number;
  /** Number of reads that failed on the replica and were repeated on the primary. */
  readonly repeated: number;
}

/** Decides for each operation whether the replica can answer its reads. */
export interface ReadReplica {
  /**
   * Resolves true once the replica has replayed everything that was committed before the call. Resolves false if it has
   * not within the wait, or is not used now. Never rejects.
   */
  isCurrent(): Promise<boolean>;
  /** Stops the use of the replica until checks succeed, because a read failed there and is repeated. */
  failed(error: unknown): void;
  readonly status: ReplicaStatus;
  close(): Promise<void>;
}

export interface ReadReplicaDeps {
  /** Connections of the checks alone, with short time limits. */
  primary: Queryable;
  replica: Queryable;
  /** Connections of the reads. */
  pools: { expect(server: string): void; drop(): void };
  /** Maximum time that a read waits for the replica (ms). */
  waitMs: number;
  /** Called after each check. */
  onCheck?: (status: ReplicaStatus) => void;
  /** Replaces CHECK_MS in tests. */
  everyMs?: number;
  logger: Logger;
}

/**
 * Compares the replica with the primary, for each read and each second. Both positions are read after the read began,
 * so a read from the replica sees every earlier commit, whichever process made it.
 */
export function createReadReplica(deps: ReadReplicaDeps): ReadReplica {
  const { pools, waitMs, logger } = deps;
  const lag = createLag();
  const counts = { served: 0, fellBack: 0, repeated: 0 };
  let passes = PASSES - 1; // the first successful check suffices at the start
  let problem: string | null = 'it was not checked yet';
  let closing = false;

  function lose(why: string, error?: unknown): void {
    passes = 0;
    if (problem === why || closing) return;
    problem = why;
    logger.warn({ problem, err: error, ...lag.now() }, 'read replica is not used, reads use the primary');
  }

  function pass(): void {
    if (passes >= PASSES || ++passes < PASSES) return;
    problem = null;
    logger.info('read replica is used');
  }

  /** Resolves true if the replica reached the primary's position. Only then do reads stay or become possible. */
  async function check(): Promise<boolean> {
    const found = await compare().catch((error: unknown) => {
      lag.forget();
      return { problem: problemOf(error), error };
    });
    if (found === null) pass();
    else {
      if (found.problem !== BEHIND) pools.drop(); // reads must not wait for a server that is silent, or another one
      lose(found.problem, 'error' in found ? found.error : undefined);
    }
    deps.onCheck?.(status());
    return found === null;
  }

  async function compare(): Promise<{ problem: string } | null> {
    const until = performance.now() + waitMs;
    const [primary, first] = await Promise.all([
      readPrimary(deps.primary).catch(asProblem('the primary does not answer')),
      readReplica(deps.replica),
    ]);
    let replica = first;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
      const mismatch = mismatchOf(primary, replica);
      if (mismatch !== null) {
        lag.forget();
        return { problem: mismatch };
      }
      pools.expect(replica.server);
      if (lag.note(primary, replica) === 0) return null;
      if (closing || performance.now() + pauseMs > until) return { problem: BEHIND };
      await delay(pauseMs);
      replica = await readReplica(deps.replica);
    }
  }

  const status = (): ReplicaStatus => ({ serves: passes >= PASSES, problem, ...lag.now(), ...counts });
  const checkNext = shared(check);
  const checking = runPeriodically(async () => void (await checkNext()), {
    task: 'check the read replica',
    everyMs: deps.everyMs ?? CHECK_MS,
    logger,
  });
  async function inTime(): Promise<boolean> {
    const timer = new AbortController();
    const late = delay(waitMs, false, { signal: timer.signal }).catch(() => false); // aborted below
    const isCurrent = await Promise.race([checkNext(), late]);
    timer.abort();
    return isCurrent;
  }
  return {
    async isCurrent() {
      const isCurrent = passes >= PASSES && (await inTime());
      counts[isCurrent ? 'served' : 'fellBack'] += 1;
      return isCurrent;
    },
    failed(error) {
      counts.repeated += 1;
      if (passes >= PASSES) lose(`a read failed there${codeOf(error)}`, error);
    },
    get status() {
      return status();
    },
    async close() {
      closing = true;
      await checking.stop();
    },
  };
}

/** Returns a function that runs `work` once for all calls since the previous run began. Runs do not overlap. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= previous.then(() => {
      next = null;
      return work();
    });
    previous = next;
    return next;
  };
}

/** Measures how far the replica is behind. */
function createLag() {
  let caughtUpAt = performance.now();
  let now: Pick<ReplicaStatus, 'lagBytes' | 'lagSeconds'> = { lagBytes: null, lagSeconds: null };
  return {
    now: () => now,
    forget() {
      now = { lagBytes: null, lagSeconds: null };
    },
    /** Returns the lag (bytes). */
    note(primary: PrimaryState, replica: ReplicaState): number {
      const lagBytes = Math.max(0, primary.position - (replica.position ?? 0));
      if (lagBytes === 0) caughtUpAt = performance.now();
      // Both ages are too large in some case: the first on an idle primary, the second with a constant delay.
      const ages = [(performance.now() - caughtUpAt) / 1000];
      if (replica.replayedAt !== null)
        ages.push((primary.now.getTime() - replica.replayedAt.getTime()) / 1000);
      now = { lagBytes, lagSeconds: lagBytes === 0 ? 0 : Math.max(0, Math.min(...ages)) };
      return lagBytes;
    },
  };
}

class PrimaryProblem extends Error {}

const asProblem = (message: string) => (cause: unknown) => {
  throw new PrimaryProblem(message, { cause });
};

function problemOf(error: unknown): string {
  return error instanceof PrimaryProblem ? error.message : `it does not answer${codeOf(error)}`;
}

/** Returns the code of an error in parentheses, without its message, which may contain names of hosts and users. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}
