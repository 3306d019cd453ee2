import { isTerminalStatus, type StageType } from '../../db/enums.ts';
import { statusOfFailure } from '../agent/abort.ts';
import { describeError } from '../agent/model-failure.ts';
import { closeItems } from '../journal/open.ts';
import { type Progress, readProgress } from '../journal/progress.ts';
import type { SessionOutcome } from '../journal/sessions.ts';
import { writeStep } from '../journal/step.ts';
import { BreakOffError } from '../run/break-off.ts';
import { writeExecutiveSummary } from './executive-summary.ts';
import type { SessionRun } from './run.ts';
import { runStage } from './run-stage.ts';
import { runSynthesis } from './synthesis.ts';

/**
 * Runs a session's chain, stage after stage, from where an earlier run left it; the first stage that fails ends it.
 * @returns how the session ends; an abort of the run is an outcome too, which keeps the analysis if there is one
 * @throws BreakOffError
 */
export async function runChain(run: SessionRun): Promise<SessionOutcome> {
  let finalAnalysis: string | null = null;
  try {
    const stages = await runStages(run);
    if (typeof stages !== 'string') return stages;
    finalAnalysis = stages;
    const { summary, error } = await writeExecutiveSummary(run, finalAnalysis);
    return {
      status: 'COMPLETED',
      finalAnalysis,
      executiveSummary: summary,
      executiveSummaryError: error,
      errorMessage: null,
    };
  } catch (error) {
    if (error instanceof BreakOffError || !run.signal.aborted) throw error;
    const { reason } = run.signal;
    if (reason instanceof BreakOffError) throw reason;
    return { ...failed(statusOfFailure(reason), describeError(reason)), finalAnalysis };
  }
}

/** What the first run finds. */
const NOTHING: Progress = { stages: new Map() };

/** @returns the analysis, or how the session ends without one */
async function runStages(run: SessionRun): Promise<string | SessionOutcome> {
  const isResumed = run.fence.attempt > 1;
  if (isResumed) await writeStep(run.db, run.fence, [closeItems('CANCELLED')]); // of a run that broke off
  const { stages } = isResumed ? await readProgress(run.db, run.session.id) : NOTHING;
  const results: { name: string; finalAnalysis: string }[] = [];
  const traced = <T>(name: string, at: number, type: StageType, work: (at: number) => Promise<T>) =>
    run.observer.tracing.stage(
      { 'tarsy.stage.name': name, 'tarsy.stage.index': at, 'tarsy.stage.type': type },
      () => work(at),
    );
  let index = 0; // counts synthesis stages too
  for (const stage of run.chain.stages) {
    run.signal.throwIfAborted();
    index += 1;
    const ran = await traced(stage.name, index, 'INVESTIGATION', (at) =>
      runStage(run, stage, at, results, stages.get(at)),
    );
    if (ran.status !== 'COMPLETED') return failed(ran.status, ran.errorMessage);
    let { finalAnalysis } = ran;
    if (ran.agentCount > 1) {
      index += 1;
      const joined = await traced(stage.name, index, 'SYNTHESIS', (at) =>
        runSynthesis(run, stage, ran, at, stages.get(at)),
      );
      if (joined.status !== 'COMPLETED') return failed(joined.status, joined.errorMessage);
      ({ finalAnalysis } = joined);
    }
    if (finalAnalysis !== null) results.push({ name: stage.name, finalAnalysis });
  }
  return results.at(-1)?.finalAnalysis ?? failed('FAILED', 'No stage came to an analysis.');
}

function failed(status: string, errorMessage: string | null): SessionOutcome {
  return {
    status: isTerminalStatus(status) ? status : 'FAILED',
    finalAnalysis: null,
    executiveSummary: null,
    executiveSummaryError: null,
    errorMessage,
  };
}
