import type { ScoreRow } from '../../db/entities/index.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { LeaseLostError } from '../common/interruptions.ts';
import { judge, judgeOf, NoScoreError } from '../features/scoring/score-investigation.ts';
import { withSessionRun } from '../run-context/session-run.ts';
import type { RunDeps } from '../run-context/types.ts';
import type { Claim, ClaimedRun, Outcome } from '../store/lease.ts';
import {
  claimScore,
  endScore,
  releaseScore,
  renewScore,
  type ScoreFence,
  type ScoreResult,
} from '../store/scores.ts';
import { readSession } from '../store/sessions.ts';
import type { LeasedJob } from './lease-holder.ts';

export interface ScoreDeps extends RunDeps {
  heartbeats: Queryable;
  transaction: Transaction;
  enqueueScore: (tx: Queryable, scoreId: string) => Promise<void>;
}

const NOTHING: ScoreResult = {
  ...{ total: null, dimensions: null, failureTags: [], analysis: null, toolReport: null },
  ...{ modelName: null, promptHash: null, errorMessage: null },
};

/** A judging model's opinion of an investigation. What breaks off is begun again: until the end nothing of it is stored. */
export function scoreJob(deps: ScoreDeps, scoreId: string): LeasedJob {
  const { transaction, enqueueScore, observer } = deps;
  let score: ScoreRow;
  let fence: ScoreFence;
  let result = NOTHING;
  return {
    name: 'score',
    async claim() {
      const claimed = await claim(deps, scoreId);
      if (claimed) ({ score, fence } = claimed);
      return claimed;
    },
    run: (held) =>
      run(deps, held, score, (more) => {
        result = { ...result, ...more };
      }),
    async end({ status, errorMessage }) {
      const ended = status === 'COMPLETED' ? 'COMPLETED' : 'FAILED';
      const kept = ended === 'COMPLETED' ? result : { ...NOTHING, ...judgeIn(result), errorMessage };
      await transaction((tx) => endScore(tx, fence, ended, kept));
      observer.metrics.scored(ended, kept.total ?? null);
    },
    giveBack: () =>
      transaction(async (tx) => {
        await releaseScore(tx, fence);
        await enqueueScore(tx, scoreId);
      }),
    decline: () => transaction((tx) => enqueueScore(tx, scoreId)),
  };
}

const judgeIn = ({ modelName, promptHash }: ScoreResult) => ({ modelName, promptHash });

async function claim(
  deps: ScoreDeps,
  scoreId: string,
): Promise<(Claim & { score: ScoreRow; fence: ScoreFence }) | null> {
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const claimed = await deps.transaction((tx) => claimScore(tx, scoreId, leaseMs));
  if (!claimed) return null;
  const { fence } = claimed;
  return {
    ...claimed,
    cancelledAs: scoreId,
    renew: () => renewScore(deps.heartbeats, fence, leaseMs),
    logger: deps.logger.child({ ...fence }),
  };
}

async function run(
  deps: ScoreDeps,
  held: ClaimedRun,
  score: ScoreRow,
  keep: (result: Partial<ScoreResult>) => void,
): Promise<Outcome> {
  if (score.cancelRequestedAt) return { status: 'CANCELLED', errorMessage: 'Cancelled.' };
  const { maxAttempts } = deps.config.queue;
  if (score.workersLost >= maxAttempts)
    return failed(`The worker of this score was lost ${maxAttempts} times; it is not begun again.`);
  const session = await readSession(held.db, held.fence.sessionId);
  if (!session) throw new LeaseLostError(held.fence.sessionId);
  const facts = { 'tarsy.attempt': score.attempt, 'tarsy.stage.type': 'SCORING' };
  return withSessionRun({ ...deps, ...held }, session, facts, async (whole) => {
    keep(judgeOf(whole));
    try {
      keep(await judge(whole, score, keep));
      return { status: 'COMPLETED', errorMessage: null };
    } catch (error) {
      if (error instanceof NoScoreError) return failed(error.message);
      throw error;
    }
  });
}

function failed(errorMessage: string): Outcome {
  return { status: 'FAILED', errorMessage };
}
