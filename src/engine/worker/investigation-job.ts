import { uuidv7 } from '../../common/uuidv7.ts';
import { isScoredAutomatically } from '../../config/resolve-calls.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import {
  CancelledError,
  LeaseLostError,
  OverBudgetError,
  type RunInterruptedError,
  WaitingForApprovalError,
} from '../common/interruptions.ts';
import { type NotifySlack, withSlackPost } from '../features/slack/posts.ts';
import { runChain } from '../investigation/chain.ts';
import { withSessionRun } from '../run-context/session-run.ts';
import type { ClaimedRun, RunDeps, RunOutcome } from '../run-context/types.ts';
import { parkSession } from '../store/open-work.ts';
import { AUTOMATIC, addScore } from '../store/scores.ts';
import {
  claimSession,
  isCancelling,
  lockSession,
  readSession,
  releaseSession,
  renewLease,
  undispatch,
} from '../store/sessions.ts';
import { endSession } from './finish-session.ts';
import type { JobClaim, LeasedJob } from './lease-holder.ts';

export interface InvestigationDeps extends RunDeps {
  /** For lease renewals only, so that slow queries of the runs cannot delay them. */
  heartbeats: Queryable;
  transaction: Transaction;
  workerId: string;
  /** Gives free slots to waiting sessions, in the transaction that frees one. */
  dispatch: (db: Queryable) => Promise<void>;
  /** Gives a free slot to a waiting session. */
  offerSlot: () => Promise<void>;
  /** Queues a score. */
  enqueueScore: (db: Queryable, scoreId: string) => Promise<void>;
  /** Queues the extraction of memories from a session. */
  enqueueLearning: (db: Queryable, sessionId: string) => Promise<void>;
  notifySlack: NotifySlack | null;
}

type InvestigationClaim = JobClaim & { chainId: string };

/** The job that investigates a session with the chain of its alert type. */
export function investigationJob(deps: InvestigationDeps, sessionId: string): LeasedJob<InvestigationClaim> {
  const scoreId = uuidv7(); // the same when `end` is retried
  return {
    name: 'investigation',
    claim: () => claimInvestigation(deps, sessionId),
    run: (run) => runInvestigation(deps, run),
    end: (outcome, { fence, chainId }) =>
      endInvestigation(deps, fence, outcome, isScored(deps, chainId, outcome) ? scoreId : null),
    release: (claim, reason) => releaseInvestigation(deps, claim, reason),
    requeue: () =>
      deps.transaction(async (tx) => {
        await undispatch(tx, sessionId);
        await deps.dispatch(tx);
      }),
  };
}

async function claimInvestigation(
  deps: InvestigationDeps,
  sessionId: string,
): Promise<InvestigationClaim | null> {
  const { heartbeats, workerId, observer } = deps;
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const session = await withSlackPost(deps, 'STARTED', (db) =>
    claimSession(db, sessionId, { workerId, leaseMs }),
  );
  if (!session) {
    deps.logger.debug({ sessionId }, 'session is not waiting');
    return null;
  }
  const { attempt, chainId, createdAt, startedAt, lastInteractionAt, waitedMs } = session;
  const fence = { sessionId, attempt };
  const logger = deps.logger.child(fence);
  logger.info('investigation begins');
  const beganAt = startedAt ?? createdAt;
  if (attempt === 1) observer.metrics.sessionBegan(session, beganAt.getTime() - createdAt.getTime());
  return {
    fence,
    chainId,
    // By the database's clock, without the time in which it waited for approvals, budgets or a worker.
    elapsedMs: (lastInteractionAt ?? beganAt).getTime() - beganAt.getTime() - waitedMs,
    renew: () => renewLease(heartbeats, fence, leaseMs),
    logger,
  };
}

async function runInvestigation(deps: InvestigationDeps, claimed: ClaimedRun): Promise<RunOutcome> {
  const session = await readSession(claimed.db, claimed.fence.sessionId);
  if (!session) throw new LeaseLostError(claimed.fence.sessionId);
  const { attempt, alertType, chainId } = session;
  const facts = { 'tarsy.attempt': attempt, 'tarsy.alert.type': alertType, 'tarsy.chain.id': chainId };
  return withSessionRun({ ...deps, ...claimed }, session, facts, runChain);
}

function isScored(
  { config }: InvestigationDeps,
  chainId: string,
  { status, finalAnalysis }: RunOutcome,
): boolean {
  const chain = config.chains[chainId];
  return (
    status === 'COMPLETED' && !!finalAnalysis && chain !== undefined && isScoredAutomatically(config, chain)
  );
}

/** @param scoreId id of the score that is requested with the end; `null` for no score */
async function endInvestigation(
  deps: InvestigationDeps,
  fence: JobClaim['fence'],
  { noted = [], ...outcome }: RunOutcome,
  scoreId: string | null = null,
): Promise<void> {
  const nothing = { finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
  const changes = [...noted, ...(scoreId === null ? [] : [addScore(scoreId, AUTOMATIC)])];
  await endSession(deps, fence, { ...nothing, ...outcome }, changes);
  if (scoreId !== null) await deps.enqueueScore(deps.db, scoreId); // recovery requeues a score whose job is lost here
  const { enabled, learnFrom } = deps.config.defaults.memory;
  // If the process dies here, the session's review queues the extraction.
  if (enabled && learnFrom === 'completed' && outcome.status === 'COMPLETED')
    await deps.enqueueLearning(deps.db, fence.sessionId);
}

async function releaseInvestigation(
  deps: InvestigationDeps,
  { fence, logger }: JobClaim,
  reason: RunInterruptedError,
): Promise<void> {
  const released = await deps.transaction(async (tx) => {
    const session = await releaseOrPark(tx, fence, reason);
    if (session) await deps.dispatch(tx);
    return session !== null;
  });
  if (released) return logger.info('investigation released');
  // Ends a session that was cancelled meanwhile, because no other worker would before its lease expires.
  const errorMessage = new CancelledError().message;
  if (await isCancelling(deps.db, fence))
    await endInvestigation(deps, fence, { status: 'CANCELLED', errorMessage });
  else logger.warn('lease lost, another worker resumes the session');
}

/** Requeues the session, at once or when its budget is available again, or parks it until an approval is decided. */
async function releaseOrPark(
  tx: Queryable,
  fence: JobClaim['fence'],
  reason: RunInterruptedError,
): Promise<SessionSnapshot | null> {
  if (!(reason instanceof WaitingForApprovalError))
    return releaseSession(tx, fence, reason instanceof OverBudgetError ? reason.until : null);
  await lockSession(tx, fence.sessionId);
  return parkSession(tx, fence);
}
