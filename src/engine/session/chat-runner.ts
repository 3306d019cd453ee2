import type { StageRow } from '../../db/entities/index.ts';
import { CancelledError, HandedOverError, mustNotWrite } from '../agent/abort.ts';
import type { Bus } from '../events/bus.ts';
import type { Fence, Queryable } from '../events/log.ts';
import { answerQuestion } from './answer.ts';
import { claimChatStage, readQuestion, releaseChat, renewChatLease } from './chat-store.ts';
import { keepLease, retried } from './lease.ts';
import type { RunDeps } from './run.ts';
import { runbookOf } from './session-runbook.ts';
import { finishStage } from './stages.ts';
import type { Transaction } from './transaction.ts';

export interface ChatRunnerDeps extends RunDeps {
  bus: Bus;
  transaction: Transaction;
  workerId: string;
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
}

export interface ChatRunner {
  /** Claims a question and answers it. Resolves at once when there is nothing to answer (any more). */
  run(stageId: string): Promise<void>;
  /** Hands every running answer over to other workers, and takes no more. */
  stop(): Promise<void>;
}

/** Answers questions under the same lease rules as investigations. */
export function createChatRunner(deps: ChatRunnerDeps): ChatRunner {
  const { db, config } = deps;
  const active = new Map<AbortController, Promise<void>>();
  let stopping = false;

  async function runClaimed(stageId: string, controller: AbortController): Promise<void> {
    const lease = { workerId: deps.workerId, leaseMs: config.queue.leaseDurationMs };
    const claimed = await retried(deps.logger, () => claimChatStage(db, stageId, lease));
    if (!claimed) return;
    const { fence, stage } = claimed;
    const logger = deps.logger.child({ sessionId: fence.sessionId, stageId, attempt: fence.attempt });
    const onCancel = (id: string) => id === fence.sessionId && controller.abort(new CancelledError());
    deps.bus.on('cancel', onCancel);
    const renew = () => renewChatLease(db, fence, stageId, lease.leaseMs);
    const held = { sessionId: fence.sessionId, startedAt: stage.startedAt ?? new Date(), renew, controller };
    const releaseLease = keepLease(held, config.queue, logger);
    try {
      if (stage.cancelRequestedAt) controller.abort(new CancelledError());
      await deps.observer.tracing.session(
        fence.sessionId,
        { 'tarsy.attempt': stage.attempt, 'tarsy.stage.type': 'CHAT' },
        () => answerClaimed({ ...deps, logger }, fence, stage, controller.signal),
      );
      await retried(logger, () => release(deps, fence));
    } catch (error) {
      if (error instanceof HandedOverError) await handOver(deps, fence);
      else if (mustNotWrite(error)) logger.warn('the lease is lost, another worker goes on');
      else throw error;
    } finally {
      releaseLease();
      deps.bus.off('cancel', onCancel);
    }
  }

  return {
    async run(stageId) {
      if (stopping) return deps.transaction((tx) => deps.enqueueAnswer(tx, stageId));
      const controller = new AbortController();
      const run = runClaimed(stageId, controller).finally(() => active.delete(controller));
      active.set(controller, run);
      await run;
    },
    async stop() {
      stopping = true;
      for (const controller of active.keys()) controller.abort(new HandedOverError());
      await Promise.allSettled(active.values());
    },
  };
}

async function answerClaimed(
  deps: ChatRunnerDeps,
  fence: Fence,
  stage: StageRow,
  signal: AbortSignal,
): Promise<void> {
  const { db, config } = deps;
  const failed = (errorMessage: string) =>
    finishStage(db, fence, stage.id, { status: 'FAILED', errorMessage }).then(() => {});
  if (stage.attempt > config.queue.maxAttempts) {
    return failed(
      `The worker of this answer was lost ${config.queue.maxAttempts} times; it is not begun again.`,
    );
  }
  const asked = await readQuestion(db, stage);
  const chain = asked && config.chains[asked.session.chainId];
  if (!asked || !chain) return failed('The session, or its chain, is not there any more.');
  const { session, question } = asked;
  const runbook = await runbookOf(deps, session, signal);
  await answerQuestion({ ...deps, fence, session, chain, runbook, signal }, stage, question);
}

function release({ transaction, enqueueAnswer }: ChatRunnerDeps, fence: Fence): Promise<void> {
  return transaction((tx) => releaseChat(tx, fence, enqueueAnswer));
}

/** The question is open still, and so is queued again. */
async function handOver(deps: ChatRunnerDeps, fence: Fence): Promise<void> {
  await retried(deps.logger, () => release(deps, fence));
}
