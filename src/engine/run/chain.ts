import { statusOfFailure } from '../agent/abort.ts';
import { describeError } from '../agent/model-failure.ts';
import { closeItems } from '../journal/open.ts';
import { type Progress, readProgress } from '../journal/progress.ts';
import { writeStep } from '../journal/step.ts';
import { BreakOffError } from './break-off.ts';
import { writeExecutiveSummary } from './executive-summary.ts';
import type { Outcome } from './hold.ts';
import type { SessionRun } from './run.ts';
import { runStage, type StagePlan } from './stage.ts';
import { type Analysis, investigationStage, synthesisStage } from './stage-plans.ts';

/**
 * Runs a session's chain, stage after stage, from where an earlier run left it; the first stage that fails ends it.
 * @returns how the session ends; once there is an analysis, an abort of the run is an outcome that keeps it
 * @throws the run's abort reason, BreakOffError
 */
export async function runChain(run: SessionRun): Promise<Outcome> {
  const finalAnalysis = await runStages(run);
  if (typeof finalAnalysis !== 'string') return finalAnalysis;
  try {
    const { summary, error } = await writeExecutiveSummary(run, finalAnalysis);
    const written = { executiveSummary: summary, executiveSummaryError: error };
    return { status: 'COMPLETED', finalAnalysis, ...written, errorMessage: null };
  } catch (error) {
    const { aborted, reason } = run.signal;
    if (error instanceof BreakOffError || !aborted || reason instanceof BreakOffError) throw error;
    return { status: statusOfFailure(reason), finalAnalysis, errorMessage: describeError(reason) };
  }
}

/** What the first run finds. */
const NOTHING: Progress = { stages: new Map() };

/** @returns the analysis, or how the session ends without one */
async function runStages(run: SessionRun): Promise<string | Outcome> {
  const isResumed = run.fence.attempt > 1;
  if (isResumed) await writeStep(run.db, run.fence, [closeItems('CANCELLED')]); // of a run that broke off
  const { stages } = isResumed ? await readProgress(run.db, run.session.id) : NOTHING;
  const analyses: Analysis[] = [];
  const next = (plan: StagePlan) => runStage(run, plan, stages.get(plan.index));
  let index = 0; // counts synthesis stages too
  for (const stage of run.chain.stages) {
    run.signal.throwIfAborted();
    const plan = investigationStage(run, stage, ++index, [...analyses]);
    let ran = await next(plan);
    if (ran.status === 'COMPLETED' && plan.expectedAgentCount > 1)
      ran = await next(synthesisStage(run, stage, ++index, ran.stageId));
    const { status, finalAnalysis, errorMessage } = ran;
    if (status !== 'COMPLETED') return { status, errorMessage };
    if (finalAnalysis !== null) analyses.push({ name: stage.name, finalAnalysis });
  }
  return (
    analyses.at(-1)?.finalAnalysis ?? { status: 'FAILED', errorMessage: 'No stage came to an analysis.' }
  );
}
