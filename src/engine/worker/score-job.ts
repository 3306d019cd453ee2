import type { ScoreRow } from '../../db/entities/index.ts';
import { LeaseLostError } from '../common/interruptions.ts';
import { NoScoreError, scoreInvestigation, scoringModel } from '../features/scoring/score-investigation.ts';
import { withSessionRun } from '../run-context/session-run.ts';
import type { ClaimedRun, RunOutcome } from '../run-context/types.ts';
import {
  claimScore,
  endScore,
  releaseScore,
  renewScore,
  type ScoreFence,
  type ScoreResult,
} from '../store/scores.ts';
import { readSession } from '../store/sessions.ts';
import { failed, type JobClaim, type JobDeps, type LeasedJob, outcomeWithoutRun } from './lease-holder.ts';

const EMPTY: ScoreResult = {
  ...{ total: null, dimensions: null, failureTags: [], analysis: null, toolReport: null },
  ...{ modelName: null, promptHash: null, errorMessage: null },
};

interface ScoreClaim extends JobClaim {
  score: ScoreRow;
  fence: ScoreFence;
}

/** Creates the job that scores an investigation. An interrupted job restarts, because only its end stores a result. */
export function scoreJob(deps: JobDeps, scoreId: string): LeasedJob<ScoreClaim> {
  const { transaction, enqueueScore, observer } = deps;
  let result = EMPTY;
  return {
    name: 'score',
    claim: () => claimForScoring(deps, scoreId),
    run: (claimed, { score }) =>
      runScoring(deps, claimed, score, (part) => {
        result = { ...result, ...part };
      }),
    async end({ status, errorMessage }, { fence }) {
      const end = status === 'COMPLETED' ? 'COMPLETED' : 'FAILED';
      await transaction((tx) => endScore(tx, fence, end, { ...result, errorMessage }));
      observer.metrics.scored(end, result.total ?? null);
    },
    release: ({ fence }) =>
      transaction(async (tx) => {
        await releaseScore(tx, fence);
        await enqueueScore(tx, scoreId);
      }),
    requeue: () => transaction((tx) => enqueueScore(tx, scoreId)),
  };
}

async function claimForScoring(deps: JobDeps, scoreId: string): Promise<ScoreClaim | null> {
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

/** Runs the judge. @param onResult receives each part of the result at once, so that a failed score names its model */
async function runScoring(
  deps: JobDeps,
  claimed: ClaimedRun,
  score: ScoreRow,
  onResult: (part: Partial<ScoreResult>) => void,
): Promise<RunOutcome> {
  const outcome = outcomeWithoutRun(score, 'score', deps.config.queue);
  if (outcome) return outcome;
  const session = await readSession(claimed.db, claimed.fence.sessionId);
  if (!session) throw new LeaseLostError(claimed.fence.sessionId);
  const facts = { 'tarsy.attempt': score.attempt, 'tarsy.stage.type': 'SCORING' };
  return withSessionRun({ ...deps, ...claimed }, session, facts, async (run) => {
    onResult(scoringModel(run));
    try {
      onResult(await scoreInvestigation(run, score, onResult));
      return { status: 'COMPLETED', errorMessage: null };
    } catch (error) {
      if (error instanceof NoScoreError) return failed(error.message);
      throw error;
    }
  });
}
