import { uuidv7 } from '../../common/uuidv7.ts';
import { isScoredAutomatically } from '../../config/resolve-calls.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import type { TraceFacts } from '../api/observer.ts';
import {
  type BreakOffError,
  CancelledError,
  LeaseLostError,
  OverBudgetError,
  WaitingForApprovalError,
} from '../common/interruptions.ts';
import { type NotifySlack, withSlackPost } from '../features/slack/posts.ts';
import { runChain } from '../investigation/chain.ts';
import { withSessionRun } from '../run-context/session-run.ts';
import type { RunDeps } from '../run-context/types.ts';
import type { Claim, ClaimedRun, Outcome } from '../store/lease.ts';
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
import type { LeasedJob } from './lease-holder.ts';

export interface InvestigationDeps extends RunDeps {
  /** Apart from the runs' own connections: what they wait for must not cost them their leases. */
  heartbeats: Queryable;
  transaction: Transaction;
  workerId: string;
  /** Gives free slots to waiting sessions, within a transaction that frees one. */
  dispatch: (db: Queryable) => Promise<void>;
  offerSlot: () => Promise<void>;
  /** Wakes somebody up for a score. */
  enqueueScore: (db: Queryable, scoreId: string) => Promise<void>;
  /** Has a session teach what it can. */
  enqueueLearning: (db: Queryable, sessionId: string) => Promise<void>;
  notifySlack: NotifySlack | null;
}

/** A session's investigation: the chain of its alert's type. */
export function investigationJob(deps: InvestigationDeps, sessionId: string): LeasedJob {
  let chainId = '';
  const scoreId = uuidv7();
  return {
    name: 'investigation',
    async claim() {
      const claimed = await claim(deps, sessionId);
      if (claimed) ({ chainId } = claimed);
      return claimed;
    },
    run: (held) => run(deps, held),
    end: (outcome, { fence }) => end(deps, fence, outcome, isScored(deps, chainId, outcome) ? scoreId : null),
    giveBack: (claimed, reason) => giveBack(deps, claimed, reason),
    decline: () =>
      deps.transaction(async (tx) => {
        await undispatch(tx, sessionId);
        await deps.dispatch(tx);
      }),
  };
}

async function claim(
  deps: InvestigationDeps,
  sessionId: string,
): Promise<(Claim & { chainId: string }) | null> {
  const { heartbeats, workerId } = deps;
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const session = await withSlackPost(deps, 'STARTED', (db) =>
    claimSession(db, sessionId, { workerId, leaseMs }),
  );
  if (!session) {
    deps.logger.debug({ sessionId }, 'session is not waiting');
    return null;
  }
  const fence = { sessionId, attempt: session.attempt };
  const logger = deps.logger.child(fence);
  logger.info('investigation begins');
  return {
    fence,
    chainId: session.chainId,
    elapsedMs: begun(deps, session),
    renew: () => renewLease(heartbeats, fence, leaseMs),
    logger,
  };
}

/** @returns milliseconds since it was first begun, by the database's times, without those that it waited for people or a worker */
function begun({ observer }: InvestigationDeps, session: SessionSnapshot): number {
  const { createdAt, startedAt, lastInteractionAt, attempt, waitedMs } = session;
  const begunAt = startedAt ?? createdAt;
  if (attempt === 1) observer.metrics.sessionBegan(session, begunAt.getTime() - createdAt.getTime());
  return (lastInteractionAt ?? begunAt).getTime() - begunAt.getTime() - waitedMs;
}

async function run(deps: InvestigationDeps, held: ClaimedRun): Promise<Outcome> {
  const session = await readSession(held.db, held.fence.sessionId);
  if (!session) throw new LeaseLostError(held.fence.sessionId);
  return withSessionRun({ ...deps, ...held }, session, factsOf(session), runChain);
}

function factsOf({ attempt, alertType, chainId }: SessionSnapshot): TraceFacts {
  return { 'tarsy.attempt': attempt, 'tarsy.alert.type': alertType, 'tarsy.chain.id': chainId };
}

function isScored(
  { config }: InvestigationDeps,
  chainId: string,
  { status, finalAnalysis }: Outcome,
): boolean {
  const chain = config.chains[chainId];
  return (
    status === 'COMPLETED' && !!finalAnalysis && chain !== undefined && isScoredAutomatically(config, chain)
  );
}

/** @param scoreId of the score that is asked for with it; null = none is */
async function end(
  deps: InvestigationDeps,
  fence: Claim['fence'],
  { noted = [], ...outcome }: Outcome,
  scoreId: string | null = null,
): Promise<void> {
  const nothing = { finalAnalysis: null, executiveSummary: null, executiveSummaryError: null };
  const more = [...noted, ...(scoreId === null ? [] : [addScore(scoreId, AUTOMATIC)])];
  await endSession(deps, fence, { ...nothing, ...outcome }, more);
  if (scoreId !== null) await deps.enqueueScore(deps.db, scoreId); // a job that is lost here is made up for
  const { enabled, learnFrom } = deps.config.defaults.memory;
  // Lost when the process dies just here: its review has it teach all the same.
  if (enabled && learnFrom === 'completed' && outcome.status === 'COMPLETED')
    await deps.enqueueLearning(deps.db, fence.sessionId);
}

async function letGo(tx: Queryable, fence: Claim['fence'], reason: BreakOffError) {
  if (!(reason instanceof WaitingForApprovalError))
    return releaseSession(tx, fence, reason instanceof OverBudgetError ? reason.until : null);
  await lockSession(tx, fence.sessionId);
  return parkSession(tx, fence);
}

async function giveBack(
  deps: InvestigationDeps,
  { fence, logger }: Claim,
  reason: BreakOffError,
): Promise<void> {
  const released = await deps.transaction(async (tx) => {
    const session = await letGo(tx, fence, reason);
    if (session) await deps.dispatch(tx);
    return session !== null;
  });
  if (released) return logger.info('investigation handed over');
  // Cancelled since: nobody else would end it before its lease has run out.
  const errorMessage = new CancelledError().message;
  if (await isCancelling(deps.db, fence)) await end(deps, fence, { status: 'CANCELLED', errorMessage });
  else logger.warn('the lease is lost, another worker goes on');
}
