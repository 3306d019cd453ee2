import type { StageRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { statusOfFailure } from '../agent/abort.ts';
import { describeError } from '../agent/model-failure.ts';
import { claimChatStage, endAnswer, readQuestion, releaseChat } from '../journal/chats.ts';
import { renewLease } from '../journal/sessions.ts';
import type { WorkEnd } from '../journal/work.ts';
import type { Claim, Held, Holds, Work } from '../run/holds.ts';
import { answerQuestion } from './answer.ts';
import type { RunDeps } from './run.ts';
import { runbookOf } from './session-runbook.ts';
import type { Transaction } from './transaction.ts';

export interface ChatRunnerDeps extends RunDeps {
  heartbeats: Queryable;
  holds: Holds;
  transaction: Transaction;
  workerId: string;
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
}

export interface ChatRunner {
  /** Claims a question and answers it. Resolves at once when there is nothing to answer (any more). */
  run(stageId: string): Promise<void>;
}

/** Answers questions under the same lease rules as investigations. */
export function createChatRunner(deps: ChatRunnerDeps): ChatRunner {
  return {
    run: (stageId) =>
      deps.holds.isStopping
        ? deps.transaction((tx) => deps.enqueueAnswer(tx, stageId))
        : deps.holds.under(answering(deps, stageId)),
  };
}

function answering(deps: ChatRunnerDeps, stageId: string): Work<WorkEnd> {
  const { transaction, enqueueAnswer } = deps;
  let stage: StageRow;
  return {
    async claim() {
      const claimed = await claimStage(deps, stageId);
      if (!claimed) return null;
      ({ stage } = claimed);
      return claimed.claim;
    },
    run: (held) => answer(deps, held, stage),
    outcomeOf(error) {
      const status = statusOfFailure(error);
      if (status === 'FAILED') deps.logger.error({ err: error, stageId }, 'answer failed');
      return { status, errorMessage: describeError(error) };
    },
    end: (outcome, { fence }) =>
      transaction(async (tx) => {
        await endAnswer(tx, fence, outcome);
        await releaseChat(tx, fence, enqueueAnswer);
      }),
    giveBack: ({ fence }) => transaction((tx) => releaseChat(tx, fence, enqueueAnswer)),
  };
}

async function claimStage(
  deps: ChatRunnerDeps,
  stageId: string,
): Promise<{ stage: StageRow; claim: Claim } | null> {
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const claimed = await claimChatStage(deps.db, stageId, { workerId: deps.workerId, leaseMs });
  if (!claimed) return null;
  const { fence, stage, elapsedMs } = claimed;
  return {
    stage,
    claim: {
      fence,
      elapsedMs,
      renew: () => renewLease(deps.heartbeats, fence, leaseMs),
      logger: deps.logger.child({ sessionId: fence.sessionId, stageId, attempt: fence.attempt }),
    },
  };
}

async function answer(deps: ChatRunnerDeps, held: Held, stage: StageRow): Promise<WorkEnd> {
  const { db, fence, signal } = held;
  const { config, observer } = deps;
  const failed = (errorMessage: string) => ({ status: 'FAILED', errorMessage }) as const;
  if (stage.cancelRequestedAt) return { status: 'CANCELLED', errorMessage: 'Cancelled.' };
  const { maxAttempts } = config.queue;
  if (stage.workersLost >= maxAttempts)
    return failed(`The worker of this answer was lost ${maxAttempts} times; it is not begun again.`);
  const asked = await readQuestion(db, stage);
  const chain = asked && config.chains[asked.session.chainId];
  if (!asked || !chain) return failed('The session, or its chain, is not there any more.');
  const { session, question } = asked;
  const facts = { 'tarsy.attempt': stage.attempt, 'tarsy.stage.type': 'CHAT' } as const;
  return observer.tracing.session(fence.sessionId, facts, async () => {
    const runbook = await runbookOf({ ...deps, db }, session, signal);
    return answerQuestion({ ...deps, ...held, session, chain, runbook }, stage, question);
  });
}
