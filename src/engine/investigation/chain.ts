import { BreakOffError, statusOfFailure } from '../common/interruptions.ts';
import { describeError } from '../model/errors.ts';
import type { SessionRun } from '../run-context/types.ts';
import { writeStep } from '../store/event-statement.ts';
import type { Outcome } from '../store/lease.ts';
import { closeItems } from '../store/open-work.ts';
import { type Progress, readProgress } from '../store/progress.ts';
import { type NewReport, readStoredReport } from '../store/reports.ts';
import { writeExecutiveSummary } from './executive-summary.ts';
import { reportStage } from './report-stage.ts';
import { runStage } from './stage.ts';
import { investigationStage, type StageAnalysis, synthesisStage } from './stage-plans.ts';

/**
 * Runs a session's chain, stage after stage, from where an earlier run left it; the first stage that fails ends it.
 * @returns how the session ends; once there is an analysis, an abort of the run is an outcome that keeps it
 * @throws the run's abort reason, BreakOffError
 */
export async function runChain(run: SessionRun): Promise<Outcome> {
  const left = run.fence.attempt > 1 ? await leftEarlier(run) : NOTHING;
  const concluded = await runStages(run, left.stages);
  if (!('finalAnalysis' in concluded)) return concluded;
  const { finalAnalysis, stages } = concluded;
  try {
    const report = await runReport(run, left.stages, stages + 1, finalAnalysis);
    const written = left.summary === null ? await writeExecutiveSummary(run, finalAnalysis, report) : left;
    return { status: 'COMPLETED', finalAnalysis, ...outcomeOf(written), errorMessage: null };
  } catch (error) {
    const { aborted, reason } = run.signal;
    if (error instanceof BreakOffError || !aborted || reason instanceof BreakOffError) throw error;
    return { status: statusOfFailure(reason), finalAnalysis, errorMessage: describeError(reason) };
  }
}

function outcomeOf({ summary, error = null, noted = [] }: Summarized) {
  return { executiveSummary: summary, executiveSummaryError: error, noted };
}

type Summarized = Pick<Progress, 'summary'> &
  Partial<Omit<Awaited<ReturnType<typeof writeExecutiveSummary>>, 'summary'>>;

/** What the first run finds. */
const NOTHING: Progress = { stages: new Map(), summary: null };

/** What a run that broke off left; its open items will not grow any more. */
async function leftEarlier({ db, fence }: SessionRun): Promise<Progress> {
  await writeStep(db, fence, [closeItems('CANCELLED')]);
  return readProgress(db, fence.sessionId);
}

/** @returns the report; null when there is none, which fails nothing */
async function runReport(
  run: SessionRun,
  left: Progress['stages'],
  index: number,
  finalAnalysis: string,
): Promise<NewReport | null> {
  const plan = reportStage(run, index, finalAnalysis);
  if (plan === null) return null;
  const { status, errorMessage } = await runStage(run, plan, left.get(index));
  if (status === 'COMPLETED') return readStoredReport(run.db, run.fence.sessionId);
  run.logger.warn({ reason: errorMessage }, 'there is no report');
  return null;
}

/** What the stages of a chain come to, and how many they were, syntheses too. */
interface Concluded {
  finalAnalysis: string;
  stages: number;
}

/** @returns the analysis, or how the session ends without one */
async function runStages(
  run: SessionRun,
  left: Progress['stages'],
): Promise<Concluded | Omit<Outcome, 'finalAnalysis'>> {
  const analyses: StageAnalysis[] = [];
  let index = 0; // counts synthesis stages too
  for (const stage of run.chain.stages) {
    run.signal.throwIfAborted();
    const plan = investigationStage(run, stage, ++index, [...analyses]);
    let ran = await runStage(run, plan, left.get(index));
    if (ran.status === 'COMPLETED' && plan.expectedAgentCount > 1) {
      const synthesis = synthesisStage(run, stage, ++index, ran.stageId);
      ran = await runStage(run, synthesis, left.get(index));
    }
    const { status, finalAnalysis, errorMessage } = ran;
    if (status !== 'COMPLETED') return { status, errorMessage };
    if (finalAnalysis !== null) analyses.push({ name: stage.name, finalAnalysis });
  }
  const finalAnalysis = analyses.at(-1)?.finalAnalysis;
  if (finalAnalysis === undefined) return { status: 'FAILED', errorMessage: 'No stage came to an analysis.' };
  return { finalAnalysis, stages: index };
}
