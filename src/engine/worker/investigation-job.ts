import { uuidv7 } from '../../common/uuidv7.ts';
import { isScoredAutomatically } from '../../config/resolve-calls.ts';
import type { SessionWait } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import {
  LeaseLostError,
  OverBudgetError,
  type RunInterruptedError,
  WaitingForApprovalError,
} from '../common/interruptions.ts';
import { budgetOfCause, findBudgetWait } from '../features/budgets/budget-wait.ts';
import { isReplay as isReplayed } from '../features/cases/store.ts';
import { notifyOfBudget } from '../features/notifications/budget.ts';
import { withSlackPost } from '../features/slack/posts.ts';
import { runChain } from '../investigation/chain.ts';
import { readKnownResults } from '../investigation/known-results.ts';
import { withSessionRun } from '../run-context/session-run.ts';
import type { ClaimedRun, RunOutcome } from '../run-context/types.ts';
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
import { parkRunning, parkUnbegun } from '../store/waits.ts';
import { CANCELLED, endSession, NO_RESULTS } from './finish-session.ts';
import type { JobClaim, JobDeps, LeasedJob } from './lease-holder.ts';

type InvestigationClaim = JobClaim & { chainId: string; isReplay: boolean };

/** Creates the job that investigates a session with the chain of its alert type. */
export function investigationJob(deps: JobDeps, sessionId: string): LeasedJob<InvestigationClaim> {
  const scoreId = uuidv7(); // created here, so that a retried `end` uses the same id
  return {
    name: 'investigation',
    claim: () => claimInvestigation(deps, sessionId),
    run: (claimed) => runInvestigation(deps, claimed),
    async end(outcome, claim) {
      const known = await withKnownResults(deps.db, claim.fence.sessionId, outcome);
      await endInvestigation(deps, claim, known, isScored(deps, claim, outcome) ? scoreId : null);
    },
    release: (claim, reason) => releaseInvestigation(deps, claim, reason),
    requeue: () =>
      deps.transaction(async (tx) => {
        await undispatch(tx, sessionId);
        await deps.dispatch(tx);
      }),
  };
}

async function claimInvestigation(deps: JobDeps, sessionId: string): Promise<InvestigationClaim | null> {
  const { heartbeats, workerId, observer } = deps;
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const wait = await findBudgetWait(deps, sessionId);
  if (wait !== null && (await parkForBudget(deps, sessionId, wait))) return null;
  const [session, isReplay] = await Promise.all([
    withSlackPost(deps, 'STARTED', (db) => claimSession(db, sessionId, { workerId, leaseMs })),
    isReplayed(deps.db, sessionId),
  ]);
  if (!session) {
    deps.logger.debug({ sessionId }, 'session is not waiting');
    return null;
  }
  const { attempt, chainId, createdAt, startedAt, lastInteractionAt, waitedMs, concludeRequestedAt } =
    session;
  const fence = { sessionId, attempt };
  const logger = deps.logger.child(fence);
  logger.info('investigation begins');
  const beganAt = startedAt ?? createdAt;
  if (attempt === 1 && !isReplay)
    observer.metrics.sessionBegan(session, beganAt.getTime() - createdAt.getTime());
  return {
    fence,
    chainId,
    isReplay,
    // Uses the database's clock and excludes waits for approvals, budgets or a worker.
    elapsedMs: (lastInteractionAt ?? beganAt).getTime() - beganAt.getTime() - waitedMs,
    isConcluding: concludeRequestedAt != null,
    renew: () => renewLease(heartbeats, fence, leaseMs),
    logger,
  };
}

/**
 * Parks a session that has not begun. Returns false if it has begun, because its agents then decide if they
 * wait.
 */
function parkForBudget(deps: JobDeps, sessionId: string, wait: SessionWait): Promise<boolean> {
  return deps.transaction(async (tx) => {
    const parked = await parkUnbegun(tx, sessionId, wait);
    if (parked === null) return false;
    const target = budgetOfCause(deps.config.budgets, wait.cause);
    const endsAt = wait.until === null ? null : new Date(wait.until);
    if (target) await notifyOfBudget(tx, deps, { ...target, endsAt, measure: 'QUEUE', text: wait.message });
    await deps.dispatch(tx);
    return true;
  });
}

async function runInvestigation(deps: JobDeps, claimed: ClaimedRun): Promise<RunOutcome> {
  const session = await readSession(claimed.db, claimed.fence.sessionId);
  if (!session) throw new LeaseLostError(claimed.fence.sessionId);
  const { attempt, alertType, chainId } = session;
  const facts = { 'tarsy.attempt': attempt, 'tarsy.alert.type': alertType, 'tarsy.chain.id': chainId };
  return withSessionRun({ ...deps, ...claimed }, session, facts, runChain);
}

function isScored(
  { config }: JobDeps,
  { chainId, isReplay }: InvestigationClaim,
  { status, finalAnalysis }: RunOutcome,
): boolean {
  const chain = config.chains[chainId];
  return (
    !isReplay && status === 'COMPLETED' && !!finalAnalysis && !!chain && isScoredAutomatically(config, chain)
  );
}

/** Adds what is known to the outcome of a session that failed, or whose time was over, without a final analysis. */
async function withKnownResults(db: Queryable, sessionId: string, outcome: RunOutcome): Promise<RunOutcome> {
  const { status, finalAnalysis = null } = outcome;
  if (finalAnalysis !== null || (status !== 'FAILED' && status !== 'TIMED_OUT')) return outcome;
  const { analyses, all, toolResults } = await readKnownResults(db, sessionId);
  if (status === 'FAILED') return { ...outcome, finalAnalysis: analyses };
  const stored = toolResults === 1 ? '1 tool result is stored.' : `${toolResults} tool results are stored.`;
  const why = outcome.errorMessage ? `${outcome.errorMessage.replace(/\.$/, '')}. ` : '';
  return { ...outcome, finalAnalysis: all, errorMessage: `${why}${stored}` };
}

/** Ends the session. @param scoreId id of the score to request with the end; `null` for no score */
async function endInvestigation(
  deps: JobDeps,
  { fence, isReplay }: Pick<InvestigationClaim, 'fence' | 'isReplay'>,
  { noted = [], ...outcome }: RunOutcome,
  scoreId: string | null,
): Promise<void> {
  const changes = [...noted, ...(scoreId === null ? [] : [addScore(scoreId, AUTOMATIC)])];
  await endSession(deps, fence, { ...NO_RESULTS, ...outcome }, changes);
  if (scoreId !== null) await deps.enqueueScore(deps.db, scoreId); // recovery requeues a score whose job is lost here
  const { enabled, learnFrom } = deps.config.defaults.memory;
  // If the process dies here, the session's review queues the extraction.
  if (enabled && !isReplay && learnFrom === 'completed' && outcome.status === 'COMPLETED')
    await deps.enqueueLearning(deps.db, fence.sessionId);
}

async function releaseInvestigation(
  deps: JobDeps,
  claim: InvestigationClaim,
  reason: RunInterruptedError,
): Promise<void> {
  const { fence, logger } = claim;
  const released = await deps.transaction(async (tx) => {
    const session = await releaseOrPark(tx, fence, reason);
    if (session) await deps.dispatch(tx);
    return session !== null;
  });
  if (released) return logger.info('investigation released');
  // Ends a session that was cancelled meanwhile, because no other worker would before its lease expires.
  if (await isCancelling(deps.db, fence)) await endInvestigation(deps, claim, CANCELLED, null);
  else logger.warn('lease lost, another worker resumes the session');
}

/** Requeues the session, or parks it until its budget has room again or an approval is decided. */
async function releaseOrPark(
  tx: Queryable,
  fence: JobClaim['fence'],
  reason: RunInterruptedError,
): Promise<SessionSnapshot | null> {
  if (reason instanceof OverBudgetError) return parkRunning(tx, fence, reason.wait);
  if (!(reason instanceof WaitingForApprovalError)) return releaseSession(tx, fence);
  await lockSession(tx, fence.sessionId);
  return parkSession(tx, fence);
}
