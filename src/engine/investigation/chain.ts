import { RunInterruptedError, SessionTimeoutError, statusOfFailure } from '../common/interruptions.ts';
import { describeError } from '../model/errors.ts';
import { isRequested, isTimeUp } from '../run-context/time-budget.ts';
import type { RunOutcome, SessionRun } from '../run-context/types.ts';
import { writeRows } from '../store/event-statement.ts';
import { closeOpenWork, closeTimelineEvents } from '../store/open-work.ts';
import { type Progress, readProgress, type StageProgress } from '../store/progress.ts';
import { type NewReport, readStoredReport } from '../store/reports.ts';
import { chooseCause } from './choose-cause.ts';
import { compositionStage, type FoundAnalysis } from './composition.ts';
import { writeExecutiveSummary } from './executive-summary.ts';
import { joinAnalyses, readKnownResults, readStageAnalyses } from './known-results.ts';
import { conclusionStage, reportStage } from './report-stage.ts';
import { runStage, type StagePlan } from './stage.ts';
import { investigationStage, synthesisStage } from './stage-plans.ts';

/**
 * Runs a session's chain, or resumes it from stored state:
 * 1. reads what earlier runs stored, and closes the timeline items that they left open
 * 2. runs the stages in order; the first one that fails ends the session
 * 3. merges the results of each stage with several agents in a synthesis stage, and ends the chain after a stage with
 *    `escalate: inconclusive` whose report is conclusive
 * 4. composes the final analysis, if several stages have one
 * 5. writes the report, whose claims are checked; a missing report does not fail the session
 * 6. in a replay, lets the model choose the cause from the list of the case
 * 7. writes the executive summary
 * No further stage begins once the time is nearly used up and there is an analysis.
 * @returns how the session ends. An abort is an outcome if there is an analysis: completed if the time is over,
 * cancelled after a cancellation
 * @throws the run's abort reason, RunInterruptedError
 */
export async function runChain(run: SessionRun): Promise<RunOutcome> {
  let progress: Progress = new Map();
  if (run.fence.attempt > 1) {
    await writeRows(run.db, run.fence, [closeTimelineEvents('CANCELLED')]);
    progress = await readProgress(run.db, run.session.id);
  }
  let finalAnalysis: string | null = null;
  try {
    const result = await runStages(run, progress);
    if (result.kind === 'failed') return { status: result.status, errorMessage: result.errorMessage };
    finalAnalysis = byRule(result);
    let { report, provider } = result.conclusion ?? { report: null, provider: null };
    if (report === null) {
      const { lastIndex, ...composed } = await compose(run, progress, result);
      ({ finalAnalysis } = composed);
      report = await runReport(run, progress, { finalAnalysis, lastIndex });
    }
    await chooseCause(run, finalAnalysis);
    const summary = await writeExecutiveSummary(run, finalAnalysis, { report, provider });
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
  const { reached } = reason;
  await writeRows(run.db, run.fence, closeOpenWork({ status: 'TIMED_OUT', errorMessage: reached }));
  return {
    ...{ status: 'COMPLETED', finalAnalysis: known, errorMessage: null },
    ...{ executiveSummary: null, executiveSummaryError: reached },
  };
}

interface Analysed {
  analyses: readonly FoundAnalysis[];
  /** Names of the stages that did not run, and why. */
  skipped: { names: readonly string[]; why: string };
  /** Index of the last stage, syntheses included. */
  lastIndex: number;
  /** The report that ended the chain early, and the name of the LLM provider that wrote it; `null` if none did. */
  conclusion: { report: NewReport; provider: string } | null;
}

type StagesResult =
  | ({ kind: 'analysed' } & Analysed)
  | { kind: 'failed'; status: RunOutcome['status']; errorMessage: string | null };

async function runStages(run: SessionRun, progress: Progress): Promise<StagesResult> {
  const analyses: FoundAnalysis[] = [];
  const inconclusive: FoundAnalysis[] = [];
  const names: string[] = [];
  let index = 0; // index of the latest stage, syntheses and reports included
  for (const [position, stage] of run.chainPlan.stages.entries()) {
    run.signal.throwIfAborted();
    const hasBegun = progress.get(index + 1)?.row.type === 'INVESTIGATION';
    if (isTimeUp(run.time) && analyses.length + inconclusive.length > 0 && !hasBegun) {
      names.push(stage.name);
      continue;
    }
    const plan = investigationStage(run, stage, ++index, [...inconclusive, ...analyses]);
    let outcome = await runStage(run, plan, progress.get(index));
    const { stageId } = outcome;
    if (outcome.status === 'COMPLETED' && stage.synthesizer !== null) {
      const synthesis = synthesisStage(run, stage, ++index, stageId);
      outcome = await runSynthesis(run, synthesis, progress.get(index));
    }
    const { status, finalAnalysis, errorMessage } = outcome;
    if (status !== 'COMPLETED') return { kind: 'failed', status, errorMessage };
    if (finalAnalysis === null) continue;
    const found = { name: stage.name, finalAnalysis, stageId };
    const stageReport = conclusionStage(run, stage, { index: index + 1, analysis: finalAnalysis });
    if (stageReport === null) {
      analyses.push(found);
      continue;
    }
    index += 1;
    await runStage(run, stageReport, progress.get(index));
    const report = await readStoredReport(run.db, run.session.id);
    if (report !== null) {
      const conclusion = { report, provider: stage.concluder!.providerName };
      const left = run.chainPlan.stages.slice(position + 1).map(({ name }) => name);
      return {
        kind: 'analysed',
        analyses: [...analyses, found],
        skipped: { names: left, why: 'this analysis is conclusive' },
        lastIndex: index,
        conclusion,
      };
    }
    inconclusive.push(found);
  }
  const why = isRequested(run.time) ? 'a responder asked for a conclusion' : 'the time was nearly used up';
  const kept = analyses.length > 0 ? analyses : inconclusive;
  if (kept.length > 0)
    return { kind: 'analysed', analyses: kept, skipped: { names, why }, lastIndex: index, conclusion: null };
  return { kind: 'failed', status: 'FAILED', errorMessage: 'No stage produced an analysis.' };
}

/** Composes the analyses of several stages to one. If the model does not, they stand below each other. */
async function compose(
  run: SessionRun,
  progress: Progress,
  result: Analysed,
): Promise<{ finalAnalysis: string; lastIndex: number }> {
  const { analyses, lastIndex } = result;
  const plan = compositionStage(run, lastIndex + 1, analyses);
  if (plan === null) return { finalAnalysis: byRule(result), lastIndex };
  const stored = progress.get(plan.index);
  // An earlier version of TARSy ran the stages without a composition, and has begun the report.
  if (stored?.row.type === 'REPORT')
    return { finalAnalysis: byRule({ ...result, analyses: analyses.slice(-1) }), lastIndex };
  const { finalAnalysis, errorMessage } = await runStage(run, plan, stored);
  if (finalAnalysis === null) run.logger.warn({ reason: errorMessage }, 'final analysis not composed');
  const composed = finalAnalysis ?? joinAnalyses(analyses)!;
  return { finalAnalysis: withSkipped(composed, result), lastIndex: plan.index };
}

const byRule = (result: Analysed): string => withSkipped(joinAnalyses(result.analyses)!, result);

function withSkipped(finalAnalysis: string, { skipped: { names, why } }: Analysed): string {
  if (names.length === 0) return finalAnalysis;
  return `${finalAnalysis}\n\nNot run, because ${why}: ${names.join(', ')}.`;
}

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
  { finalAnalysis, lastIndex }: { finalAnalysis: string; lastIndex: number },
): Promise<NewReport | null> {
  const plan = reportStage(run, lastIndex + 1, finalAnalysis);
  if (plan === null) return null;
  const outcome = await runStage(run, plan, progress.get(plan.index));
  if (outcome.status === 'COMPLETED') return readStoredReport(run.db, run.session.id);
  run.logger.warn({ reason: outcome.errorMessage }, 'report not written');
  return null;
}
