import { RunInterruptedError, SessionTimeoutError, statusOfFailure } from '../common/interruptions.ts';
import { describeError } from '../model/errors.ts';
import { isTimeUp } from '../run-context/time-budget.ts';
import type { RunOutcome, SessionRun } from '../run-context/types.ts';
import { writeRows } from '../store/event-statement.ts';
import { closeOpenWork, closeTimelineEvents } from '../store/open-work.ts';
import { type Progress, readProgress, type StageProgress } from '../store/progress.ts';
import { type NewReport, readStoredReport } from '../store/reports.ts';
import { writeExecutiveSummary } from './executive-summary.ts';
import { readKnownResults, readStageAnalyses } from './known-results.ts';
import { reportStage } from './report-stage.ts';
import { runStage, type StagePlan } from './stage.ts';
import { investigationStage, type StageAnalysis, synthesisStage } from './stage-plans.ts';

/**
 * Runs a session's chain, or resumes it from stored state:
 * 1. reads what earlier runs stored, and closes the timeline items that they left open
 * 2. runs the stages in order; the first one that fails ends the session
 * 3. merges the results of each stage with several agents in a synthesis stage
 * 4. writes the report, whose claims are checked; a missing report does not fail the session
 * 5. writes the executive summary
 * No further stage begins once the time is nearly used up and there is an analysis.
 * @returns how the session ends. An abort is an outcome if there is an analysis: completed if the time is over,
 * cancelled after a cancellation
 * @throws the run's abort reason, RunInterruptedError
 */
export async function runChain(run: SessionRun): Promise<RunOutcome> {
  let progress: Progress = { stages: new Map(), summary: null };
  if (run.fence.attempt > 1) {
    await writeRows(run.db, run.fence, [closeTimelineEvents('CANCELLED')]);
    progress = await readProgress(run.db, run.session.id);
  }
  let finalAnalysis: string | null = null;
  try {
    const result = await runStages(run, progress);
    if (result.kind === 'failed') return { status: result.status, errorMessage: result.errorMessage };
    ({ finalAnalysis } = result);
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
    if (reason instanceof SessionTimeoutError) return concludeLate(run, finalAnalysis, reason);
    if (finalAnalysis === null) throw error;
    return { status: statusOfFailure(reason), finalAnalysis, errorMessage: describeError(reason) };
  }
}

/**
 * Returns the outcome of a session whose time is over: completed if its agents have concluded. Ends the open stages.
 * @throws the reason if the agents have not concluded
 */
async function concludeLate(
  run: SessionRun,
  finalAnalysis: string | null,
  reason: SessionTimeoutError,
): Promise<RunOutcome> {
  let known = finalAnalysis;
  if (known === null) {
    const { hasConcluded, analyses } = await readKnownResults(run.db, run.session.id);
    if (hasConcluded) known = analyses;
  }
  if (known === null) throw reason;
  const errorMessage = describeError(reason);
  await writeRows(run.db, run.fence, closeOpenWork({ status: 'TIMED_OUT', errorMessage }));
  return {
    ...{ status: 'COMPLETED', finalAnalysis: known, errorMessage: null },
    ...{ executiveSummary: null, executiveSummaryError: errorMessage },
  };
}

type StagesResult =
  /** `lastIndex`: the index of the last stage, syntheses included. */
  | { kind: 'analysed'; finalAnalysis: string; lastIndex: number }
  | { kind: 'failed'; status: RunOutcome['status']; errorMessage: string | null };

async function runStages(run: SessionRun, progress: Progress): Promise<StagesResult> {
  const analyses: StageAnalysis[] = [];
  const skipped: string[] = [];
  let index = 0; // index of the latest stage, syntheses included
  for (const stage of run.chainPlan.stages) {
    run.signal.throwIfAborted();
    const hasBegun = progress.stages.get(index + 1)?.row.type === 'INVESTIGATION';
    if (isTimeUp(run.time) && analyses.length > 0 && !hasBegun) {
      skipped.push(stage.name);
      continue;
    }
    const plan = investigationStage(run, stage, ++index, [...analyses]);
    let outcome = await runStage(run, plan, progress.stages.get(index));
    if (outcome.status === 'COMPLETED' && stage.synthesizer !== null) {
      const synthesis = synthesisStage(run, stage, ++index, outcome.stageId);
      outcome = await runSynthesis(run, synthesis, progress.stages.get(index));
    }
    const { status, finalAnalysis, errorMessage } = outcome;
    if (status !== 'COMPLETED') return { kind: 'failed', status, errorMessage };
    if (finalAnalysis !== null) analyses.push({ name: stage.name, finalAnalysis });
  }
  const last = analyses.at(-1)?.finalAnalysis;
  if (last !== undefined) {
    const finalAnalysis = [last, ...skippedNotes(skipped)].join('\n\n');
    return { kind: 'analysed', finalAnalysis, lastIndex: index };
  }
  return { kind: 'failed', status: 'FAILED', errorMessage: 'No stage produced an analysis.' };
}

const skippedNotes = (skipped: readonly string[]): string[] =>
  skipped.length === 0 ? [] : [`Not run, because the time was nearly used up: ${skipped.join(', ')}.`];

/** Runs a synthesis. If the time does not suffice, the analyses of the agents stand side by side. */
async function runSynthesis(
  run: SessionRun,
  plan: StagePlan,
  progress: StageProgress | undefined,
): ReturnType<typeof runStage> {
  const outcome = await runStage(run, plan, progress);
  const stageId = plan.referencedStageId;
  if (outcome.status !== 'TIMED_OUT' || stageId === null) return outcome;
  const finalAnalysis = await readStageAnalyses(run.db, { sessionId: run.session.id, stageId });
  return finalAnalysis === null ? outcome : { ...outcome, status: 'COMPLETED', finalAnalysis };
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
