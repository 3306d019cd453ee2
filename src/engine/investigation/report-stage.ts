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
import type { AgentPlan, SessionRun } from '../run-context/types.ts';
import { type AgentHypothesis, readSessionHypotheses } from '../store/hypotheses.ts';
import { addAnswerReport, addReport } from '../store/reports.ts';
import { SINGLE_AGENT, type StagePlan } from './stage.ts';

/** @param labels the operator's labels by name */
function reportForm(labels: Config['labels']): ReportForm<SubmittedReport> {
  const vocabulary = Object.keys(labels);
  return {
    of: 'INVESTIGATION',
    submit: submitReportTool(labels),
    read: parseReport,
    stored: (report, checked) => addReport(toStoredReport(report, checked, vocabulary)),
    verdict: ({ verdict }) => verdict,
  };
}

/** Plans the stage that turns the analysis into claims with citations and verifies them; `null` if reports are off. */
export function reportStage(run: SessionRun, index: number, analysis: string): StagePlan | null {
  const plan = planReporter(run, {
    system: REPORT_INSTRUCTIONS,
    analysis,
    form: reportForm(run.config.labels),
  });
  if (plan === null) return null;
  return { ...SINGLE_AGENT, name: 'Report', index, type: 'REPORT', agents: () => [plan] };
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
    stored: (given, checked) => addAnswerReport({ stageId: stage.id, ...toStoredClaims(given, checked) }),
    verdict: () => null,
  };
  const system = CLAIMS_INSTRUCTIONS;
  return planReporter(run, { system, analysis, question, stageIndex: stage.index, form });
}

interface ReportSource<Given extends SubmittedClaims> {
  system: string;
  analysis: string;
  question?: string;
  stageIndex?: number; // index of the stage that answers the question
  form: ReportForm<Given>;
}

function planReporter<Given extends SubmittedClaims>(
  run: SessionRun,
  { system, analysis, question, stageIndex, form }: ReportSource<Given>,
): AgentPlan | null {
  const resolved = run.chainPlan.reporter;
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
      if (question === undefined) hypotheses = await readSessionHypotheses(db, session.id);
      material = await readMaterial(db, { sessionId: session.id, analysis, llm, stageIndex });
      works.push({ analysis, outputs: toTaskOutputs(material) });
      return submitReport(context, form);
    },
  };
}
