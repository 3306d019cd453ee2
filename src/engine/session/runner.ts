import { CancelledError, HandedOverError, mustNotWrite } from '../agent/abort.ts';
import { describeError } from '../agent/model-call.ts';
import type { SessionSnapshot } from '../engine.ts';
import type { Bus } from '../events/bus.ts';
import { isConnectionLost } from '../events/connection-lost.ts';
import { type Fence, LeaseLostError, type Queryable } from '../events/log.ts';
import type { TraceFacts } from '../observer.ts';
import type { NotifySlack } from '../slack/posts.ts';
import { keepLease, retried } from './lease.ts';
import {
  claimSession,
  finishSession,
  readSession,
  releaseSession,
  renewLease,
  type SessionOutcome,
  undispatch,
} from './lifecycle.ts';
import { closeEverythingOpen } from './progress.ts';
import type { RunDeps } from './run.ts';
import { runChain } from './run-session.ts';
import { runbookOf } from './session-runbook.ts';
import type { Transaction } from './transaction.ts';

export interface SessionRunnerDeps extends RunDeps {
  bus: Bus;
  transaction: Transaction;
  workerId: string;
  /** Gives free slots to waiting sessions, within a transaction that frees one. */
  dispatch: (db: RunDeps['db']) => Promise<void>;
  notifySlack: NotifySlack;
}

export interface SessionRunner {
  /** Claims a session and runs it to its end. Resolves at once when it is not waiting (any more). */
  run(sessionId: string): Promise<void>;
  /** Hands every running session over to other workers, and takes no more. */
  stop(): Promise<void>;
  readonly running: number;
}

/** Runs sessions under a lease: whoever loses it stops writing, whoever finds it expired goes on. */
export function createSessionRunner(deps: SessionRunnerDeps): SessionRunner {
  const { db, logger, config, observer } = deps;
  const active = new Map<AbortController, Promise<void>>();
  let stopping = false;

  async function runClaimed(sessionId: string, controller: AbortController): Promise<void> {
    const lease = { workerId: deps.workerId, leaseMs: config.queue.leaseDurationMs };
    const claim = (tx: Queryable) => claimSession(tx, sessionId, lease);
    const claimed = await retried(logger, () => deps.transaction((tx) => claimAndTell(deps, tx, claim)));
    if (!claimed) return logger.debug({ sessionId }, 'session is not waiting');
    const fence = { sessionId, attempt: claimed.attempt };
    const log = logger.child({ sessionId, attempt: claimed.attempt });
    log.info('investigation begins');
    if (claimed.attempt === 1)
      observer.metrics.sessionBegan(claimed, Date.now() - claimed.createdAt.getTime());
    const renew = async () => {
      const status = await renewLease(db, fence, lease.leaseMs);
      return status && { cancel: status === 'CANCELLING' };
    };
    const startedAt = claimed.startedAt ?? new Date();
    const releaseLease = keepLease({ sessionId, startedAt, renew, controller }, config.queue, log);
    try {
      await observer.tracing.session(sessionId, factsOf(claimed), async () => {
        const outcome = await runToOutcome({ ...deps, logger: log }, fence, controller.signal);
        await endSession(deps, fence, outcome);
        log.info({ status: outcome.status }, 'investigation ended');
      });
    } catch (error) {
      if (error instanceof HandedOverError) await handOver(deps, fence);
      else if (mustNotWrite(error)) log.warn('the lease is lost, another worker goes on');
      else throw error;
    } finally {
      releaseLease();
    }
  }

  return {
    async run(sessionId) {
      if (stopping) return giveBack(deps, sessionId);
      const controller = new AbortController();
      const onCancel = (id: string) => id === sessionId && controller.abort(new CancelledError());
      deps.bus.on('cancel', onCancel);
      const run = runClaimed(sessionId, controller).finally(() => {
        active.delete(controller);
        deps.bus.off('cancel', onCancel);
      });
      active.set(controller, run);
      await run;
    },
    async stop() {
      stopping = true;
      for (const controller of active.keys()) controller.abort(new HandedOverError());
      await Promise.allSettled(active.values());
    },
    get running() {
      return active.size;
    },
  };
}

function factsOf({ attempt, alertType, chainId }: SessionSnapshot): TraceFacts {
  return { 'tarsy.attempt': attempt, 'tarsy.alert.type': alertType, 'tarsy.chain.id': chainId };
}

async function claimAndTell(
  { notifySlack }: SessionRunnerDeps,
  tx: Queryable,
  claim: (tx: Queryable) => ReturnType<typeof claimSession>,
): ReturnType<typeof claimSession> {
  const claimed = await claim(tx);
  if (claimed) await notifySlack(tx, claimed.id, 'STARTED');
  return claimed;
}

/** The chain's outcome; an unexpected error is one too, so that no session hangs. */
async function runToOutcome(
  deps: SessionRunnerDeps,
  fence: Fence,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const session = await readSession(deps.db, fence.sessionId);
  if (!session) throw new LeaseLostError(fence.sessionId);
  const chain = deps.config.chains[session.chainId];
  if (!chain) return failure(`The chain ${session.chainId} is not in the configuration any more.`);
  try {
    const runbook = await runbookOf(deps, session, signal);
    return await runChain({ ...deps, fence, session, chain, runbook, signal });
  } catch (error) {
    if (error instanceof HandedOverError || mustNotWrite(error)) throw error;
    if (isConnectionLost(error)) throw new HandedOverError(); // not the investigation's fault: it goes on later
    deps.logger.error({ err: error }, 'investigation failed unexpectedly');
    return failure(`The investigation failed unexpectedly: ${describeError(error)}`);
  }
}

/** Writes the end and gives the slot on, in one transaction; tried again while the database is away. */
async function endSession(deps: SessionRunnerDeps, fence: Fence, outcome: SessionOutcome): Promise<void> {
  await retried(deps.logger, async () => {
    const { status, errorMessage } = outcome;
    if (status !== 'COMPLETED') await closeEverythingOpen(deps.db, fence, { status, errorMessage });
    const ended = await deps.transaction(async (tx) => {
      const finished = await finishSession(tx, fence, outcome);
      if (finished) await deps.notifySlack(tx, fence.sessionId, 'TERMINAL');
      await deps.dispatch(tx);
      return finished;
    });
    if (ended) deps.observer.metrics.sessionEnded(ended);
  });
}

async function handOver(deps: SessionRunnerDeps, fence: Fence): Promise<void> {
  deps.logger.info({ sessionId: fence.sessionId }, 'investigation handed over');
  await retried(deps.logger, async () => {
    await deps.transaction(async (tx) => {
      await releaseSession(tx, fence);
      await deps.dispatch(tx);
    });
  });
}

/** A job that came after this process began to stop: another one shall have it. */
async function giveBack(deps: SessionRunnerDeps, sessionId: string): Promise<void> {
  await deps.transaction(async (tx) => {
    await undispatch(tx, sessionId);
    await deps.dispatch(tx);
  });
}

function failure(errorMessage: string): SessionOutcome {
  return {
    status: 'FAILED',
    finalAnalysis: null,
    executiveSummary: null,
    executiveSummaryError: null,
    errorMessage,
  };
}
