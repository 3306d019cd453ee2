import type { Queryable } from '../../db/queryable.ts';
import { CancelledError, statusOfFailure } from '../agent/abort.ts';
import { describeError } from '../agent/model-failure.ts';
import type { SessionSnapshot } from '../engine.ts';
import {
  claimSession,
  isCancelling,
  readSession,
  releaseSession,
  renewLease,
  type SessionOutcome,
  undispatch,
} from '../journal/sessions.ts';
import type { TraceFacts } from '../observer.ts';
import { LeaseLostError } from '../run/break-off.ts';
import type { Claim, Held, Holds, Work } from '../run/holds.ts';
import type { NotifySlack } from '../slack/posts.ts';
import { endSession } from './end.ts';
import type { RunDeps } from './run.ts';
import { runChain } from './run-session.ts';
import { runbookOf } from './session-runbook.ts';
import type { Transaction } from './transaction.ts';

export interface SessionRunnerDeps extends RunDeps {
  /** Apart from the runs' own connections: what they wait for must not cost them their leases. */
  heartbeats: Queryable;
  holds: Holds;
  transaction: Transaction;
  workerId: string;
  /** Gives free slots to waiting sessions, within a transaction that frees one. */
  dispatch: (db: RunDeps['db']) => Promise<void>;
  notifySlack: NotifySlack;
}

export interface SessionRunner {
  /** Claims a session and runs it to its end. Resolves at once when it is not waiting (any more). */
  run(sessionId: string): Promise<void>;
}

/** Runs sessions under a lease: whoever loses it stops writing, whoever finds it expired goes on. */
export function createSessionRunner(deps: SessionRunnerDeps): SessionRunner {
  return {
    run: (sessionId) =>
      deps.holds.isStopping ? putBack(deps, sessionId) : deps.holds.under(investigation(deps, sessionId)),
  };
}

function investigation(deps: SessionRunnerDeps, sessionId: string): Work<SessionOutcome> {
  return {
    claim: () => claim(deps, sessionId),
    run: (held) => investigate(deps, held),
    outcomeOf(error) {
      const isKnown = statusOfFailure(error) !== 'FAILED';
      if (!isKnown) deps.logger.error({ err: error, sessionId }, 'investigation failed unexpectedly');
      const reason = describeError(error);
      const errorMessage = isKnown ? reason : `The investigation failed unexpectedly: ${reason}`;
      return failure(errorMessage, statusOfFailure(error));
    },
    async end(outcome, { fence, logger }) {
      await endSession(deps, fence, outcome);
      logger.info({ status: outcome.status }, 'investigation ended');
    },
    giveBack: ({ fence, logger }) => giveBack({ ...deps, logger }, fence),
  };
}

async function claim(deps: SessionRunnerDeps, sessionId: string): Promise<Claim | null> {
  const { config, logger, observer } = deps;
  const lease = { workerId: deps.workerId, leaseMs: config.queue.leaseDurationMs };
  const claimed = await deps.transaction(async (tx) => {
    const session = await claimSession(tx, sessionId, lease);
    if (session) await deps.notifySlack(tx, sessionId, 'STARTED');
    return session;
  });
  if (!claimed) {
    logger.debug({ sessionId }, 'session is not waiting');
    return null;
  }
  const fence = { sessionId, attempt: claimed.attempt };
  // All three are the database's times.
  const { createdAt, startedAt, lastInteractionAt } = claimed;
  const begunAt = startedAt ?? createdAt;
  if (claimed.attempt === 1) observer.metrics.sessionBegan(claimed, begunAt.getTime() - createdAt.getTime());
  const log = logger.child({ sessionId, attempt: claimed.attempt });
  log.info('investigation begins');
  return {
    fence,
    elapsedMs: (lastInteractionAt ?? begunAt).getTime() - begunAt.getTime(),
    renew: () => renewLease(deps.heartbeats, fence, lease.leaseMs),
    logger: log,
  };
}

async function investigate(deps: SessionRunnerDeps, held: Held): Promise<SessionOutcome> {
  const { db, fence, signal } = held;
  const session = await readSession(db, fence.sessionId);
  if (!session) throw new LeaseLostError(fence.sessionId);
  const chain = deps.config.chains[session.chainId];
  if (!chain) return failure(`The chain ${session.chainId} is not in the configuration any more.`);
  return deps.observer.tracing.session(session.id, factsOf(session), async () => {
    const runbook = await runbookOf({ ...deps, db }, session, signal);
    return runChain({ ...deps, ...held, session, chain, runbook });
  });
}

function factsOf({ attempt, alertType, chainId }: SessionSnapshot): TraceFacts {
  return { 'tarsy.attempt': attempt, 'tarsy.alert.type': alertType, 'tarsy.chain.id': chainId };
}

async function giveBack(deps: SessionRunnerDeps, fence: Claim['fence']): Promise<void> {
  const released = await deps.transaction(async (tx) => {
    const session = await releaseSession(tx, fence);
    if (session) await deps.dispatch(tx);
    return session !== null;
  });
  if (released) return deps.logger.info('investigation handed over');
  // Cancelled since: nobody else would end it before its lease has run out.
  if (await isCancelling(deps.db, fence))
    await endSession(deps, fence, failure(new CancelledError().message, 'CANCELLED'));
  else deps.logger.warn('the lease is lost, another worker goes on');
}

/** A job that came after this process began to stop: another one shall have it. */
async function putBack(deps: SessionRunnerDeps, sessionId: string): Promise<void> {
  await deps.transaction(async (tx) => {
    await undispatch(tx, sessionId);
    await deps.dispatch(tx);
  });
}

function failure(errorMessage: string, status: SessionOutcome['status'] = 'FAILED'): SessionOutcome {
  return {
    status,
    finalAnalysis: null,
    executiveSummary: null,
    executiveSummaryError: null,
    errorMessage,
  };
}
