import type { ResolvedAgent } from '../../config/resolve.ts';
import type { Config } from '../../config/types.ts';
import {
  type Material,
  readMaterial,
  toStoredClaims,
  toStoredReport,
  toTaskOutputs,
} from '../features/report/material.ts';
import { CLAIMS_INSTRUCTIONS, REPORT_INSTRUCTIONS, reportUserPrompt } from '../features/report/prompt.ts';
import {
  parseClaims,
  parseReport,
  type SubmittedClaims,
  type SubmittedReport,
  submitClaimsTool,
  submitReportTool,
} from '../features/report/schema.ts';
import { type ReportForm, submitReport } from '../features/report/submit-report.ts';
import type { LlmWork } from '../model/task.ts';
import type { PlannedStage } from '../run-context/chain-plan.ts';
import type { AgentPlan, SessionRun } from '../run-context/types.ts';
import {
  type AgentHypothesis,
  type Replica,
  readReplicas,
  readSessionHypotheses,
} from '../store/hypotheses.ts';
import { addAnswerReport, addReport, type NewReport } from '../store/reports.ts';
import { SINGLE_AGENT, type StagePlan } from './stage.ts';

/** Minimum confidence (0 to 1) of a verdict that ends a chain early. */
const CONCLUSIVE = 0.5;

/** Returns whether a verdict may end a chain: known, fairly certain, and with all claims proven. */
function isConclusive({ verdict, confidence, evidenceScore }: NewReport): boolean {
  return verdict !== 'INCONCLUSIVE' && confidence >= CONCLUSIVE && evidenceScore === 1;
}

/** Returns the form of a report, given the replicas with whose hypotheses its causes are compared. */
type FormOf<Given extends SubmittedClaims> = (replicas: readonly Replica[]) => ReportForm<Given>;

/**
 * @param labels the operator's labels by name
 * @param isStored returns false for a report that is not kept
 */
function reportForm(
  labels: Config['labels'],
  isStored: (report: NewReport) => boolean = () => true,
): FormOf<SubmittedReport> {
  const vocabulary = Object.keys(labels);
  return (replicas) => ({
    of: 'INVESTIGATION',
    submit: submitReportTool(labels),
    read: parseReport,
    stored: (report, checked, byRules) => {
      const row = toStoredReport(report, checked, { vocabulary, replicas });
      return isStored(row) ? [addReport(row, byRules)] : [];
    },
    verdict: ({ verdict }) => verdict,
  });
}

/** Plans the stage that turns the analysis into claims with citations and verifies them; `null` if reports are off. */
export function reportStage(run: SessionRun, index: number, analysis: string): StagePlan | null {
  const form = reportForm(run.config.labels);
  const plan = planReporter(run, run.chainPlan.reporter, { system: REPORT_INSTRUCTIONS, analysis, form });
  if (plan === null) return null;
  return { ...SINGLE_AGENT, name: 'Report', index, type: 'REPORT', agents: () => [plan] };
}

/** Plans the report of a stage that may end the chain. Only a conclusive report is stored. */
export function conclusionStage(
  run: SessionRun,
  stage: PlannedStage,
  at: { index: number; analysis: string },
): StagePlan | null {
  const form = reportForm(run.config.labels, isConclusive);
  const source = { system: REPORT_INSTRUCTIONS, analysis: at.analysis, form };
  const plan = planReporter(run, stage.concluder, source);
  if (plan === null) return null;
  const name = `${stage.name} - Report`;
  return { ...SINGLE_AGENT, name, index: at.index, type: 'REPORT', agents: () => [plan] };
}

/** Plans the agent that turns an answer to a question into claims, in the answer's stage; `null` if reports are off. */
export function answerReporter(
  run: SessionRun,
  { question, stage }: { question: string; stage: { id: string; index: number } },
  analysis: string,
): AgentPlan | null {
  const form: ReportForm<SubmittedClaims> = {
    of: 'ANSWER',
    submit: submitClaimsTool(),
    read: parseClaims,
    stored: (given, checked) => [addAnswerReport({ stageId: stage.id, ...toStoredClaims(given, checked) })],
    verdict: () => null,
  };
  const system = CLAIMS_INSTRUCTIONS;
  const source = { system, analysis, question, stageIndex: stage.index, form: () => form };
  return planReporter(run, run.chainPlan.reporter, source);
}

interface ReportSource<Given extends SubmittedClaims> {
  system: string;
  analysis: string;
  question?: string;
  stageIndex?: number; // index of the stage that answers the question
  form: FormOf<Given>;
}

function planReporter<Given extends SubmittedClaims>(
  run: SessionRun,
  resolved: ResolvedAgent | null,
  { system, analysis, question, stageIndex, form }: ReportSource<Given>,
): AgentPlan | null {
  if (resolved === null) return null;
  let material: Material = { calls: [], outputs: [] };
  let hypotheses: AgentHypothesis[] = [];
  const works: LlmWork[] = [];
  const about = question === undefined ? {} : { question };
  return {
    name: resolved.agentName,
    resolved,
    selection: { servers: [] },
    interactionType: 'REPORT',
    task: { ...run.subject, instructions: resolved.customInstructions, ...about, works },
    opening: () => ({
      system,
      user: reportUserPrompt({ ...run.alert, analysis, ...about, material, hypotheses }),
    }),
    async work(context) {
      const { db, session, llm } = context;
      let replicas: Replica[] = [];
      if (question === undefined) {
        hypotheses = await readSessionHypotheses(db, session.id);
        replicas = await readReplicas(db, session.id);
      }
      material = await readMaterial(db, { sessionId: session.id, analysis, llm, stageIndex });
      works.push({ analysis, outputs: toTaskOutputs(material) });
      return submitReport(context, form(replicas));
    },
  };
}
