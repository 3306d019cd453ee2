import { RunInterruptedError, statusOfFailure } from '../common/interruptions.ts';
import { describeError } from '../model/errors.ts';
import type { RunOutcome, SessionRun } from '../run-context/types.ts';
import { writeRows } from '../store/event-statement.ts';
import { closeTimelineEvents } from '../store/open-work.ts';
import { type Progress, readProgress } from '../store/progress.ts';
import { type NewReport, readStoredReport } from '../store/reports.ts';
import { writeExecutiveSummary } from './executive-summary.ts';
import { reportStage } from './report-stage.ts';
import { runStage } from './stage.ts';
import { investigationStage, type StageAnalysis, synthesisStage } from './stage-plans.ts';

/**
 * Runs a session's chain, or resumes it from stored state:
 * 1. reads what earlier runs stored, and closes the timeline items that they left open
 * 2. runs the stages in order; the first one that fails ends the session
 * 3. merges the results of each stage with several agents in a synthesis stage
 * 4. writes the report, whose claims are checked; a missing report does not fail the session
 * 5. writes the executive summary
 * @returns how the session ends. An abort after step 3 is an outcome, because the analysis is kept
 * @throws the run's abort reason, RunInterruptedError
 */
export async function runChain(run: SessionRun): Promise<RunOutcome> {
  let progress: Progress = { stages: new Map(), summary: null };
  if (run.fence.attempt > 1) {
    await writeRows(run.db, run.fence, [closeTimelineEvents('CANCELLED')]);
    progress = await readProgress(run.db, run.session.id);
  }
  const result = await runStages(run, progress);
  if (result.kind === 'failed') return { status: result.status, errorMessage: result.errorMessage };
  const { finalAnalysis } = result;
  try {
    const report = await runReport(run, progress, result);
    const summary =
      progress.summary === null
        ? await writeExecutiveSummary(run, finalAnalysis, report)
        : { executiveSummary: progress.summary, executiveSummaryError: null };
    return { status: 'COMPLETED', finalAnalysis, errorMessage: null, ...summary };
  } catch (error) {
    const { aborted, reason } = run.signal;
    if (error instanceof RunInterruptedError || !aborted || reason instanceof RunInterruptedError)
      throw error;
    return { status: statusOfFailure(reason), finalAnalysis, errorMessage: describeError(reason) };
  }
}

type StagesResult =
  /** `lastIndex`: the index of the last stage, syntheses included. */
  | { kind: 'analysed'; finalAnalysis: string; lastIndex: number }
  | { kind: 'failed'; status: RunOutcome['status']; errorMessage: string | null };

async function runStages(run: SessionRun, progress: Progress): Promise<StagesResult> {
  const analyses: StageAnalysis[] = [];
  let index = 0; // index of the latest stage, syntheses included
  for (const stage of run.chainPlan.stages) {
    run.signal.throwIfAborted();
    let plan = investigationStage(run, stage, ++index, [...analyses]);
    let outcome = await runStage(run, plan, progress.stages.get(index));
    if (outcome.status === 'COMPLETED' && stage.synthesizer !== null) {
      plan = synthesisStage(run, stage, ++index, outcome.stageId);
      outcome = await runStage(run, plan, progress.stages.get(index));
    }
    const { status, finalAnalysis, errorMessage } = outcome;
    if (status !== 'COMPLETED') return { kind: 'failed', status, errorMessage };
    if (finalAnalysis !== null) analyses.push({ name: stage.name, finalAnalysis });
  }
  const finalAnalysis = analyses.at(-1)?.finalAnalysis;
  if (finalAnalysis !== undefined) return { kind: 'analysed', finalAnalysis, lastIndex: index };
  return { kind: 'failed', status: 'FAILED', errorMessage: 'No stage produced an analysis.' };
}

/** Returns the report; `null` if reports are off or the report stage did not complete. */
async function runReport(
  run: SessionRun,
  progress: Progress,
  { finalAnalysis, lastIndex }: Extract<StagesResult, { kind: 'analysed' }>,
): Promise<NewReport | null> {
  const plan = reportStage(run, lastIndex + 1, finalAnalysis);
  if (plan === null) return null;
  const outcome = await runStage(run, plan, progress.stages.get(plan.index));
  if (outcome.status === 'COMPLETED') return readStoredReport(run.db, run.session.id);
  run.logger.warn({ reason: outcome.errorMessage }, 'report not written');
  return null;
}
