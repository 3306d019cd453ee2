import type { ResolvedAgent } from '../../config/resolve.ts';
import { resolveReport } from '../../config/resolve-calls.ts';
import {
  type Material,
  outputsOf,
  REPORT_RESULTS_MAX_UNITS,
  REPORT_RESULTS_SHARE,
  readMaterial,
  toStored,
  toStoredClaims,
} from '../features/report/material.ts';
import { CLAIMS_INSTRUCTIONS, REPORT_INSTRUCTIONS, reportUserPrompt } from '../features/report/prompt.ts';
import {
  type GivenClaims,
  type GivenReport,
  readClaims,
  readReport,
  submitClaims,
  submitReport,
} from '../features/report/schema.ts';
import { type Form, handIn } from '../features/report/submit-report.ts';
import { promptUnits } from '../model/context-window/window.ts';
import type { LlmWork } from '../model/task.ts';
import { alertOf, subjectOf } from '../run-context/session-run.ts';
import type { AgentPlan, SessionRun } from '../run-context/types.ts';
import { addAnswerReport, addReport } from '../store/reports.ts';
import type { StagePlan } from './stage.ts';

const REPORT: Form<GivenReport> = {
  of: 'INVESTIGATION',
  submit: submitReport(),
  read: readReport,
  stored: (report, checked) => addReport(toStored(report, checked)),
  verdict: ({ verdict }) => verdict,
};

/**
 * Puts the analysis into claims that cite what proves them, and checks these; null where no report is to be made. Why there is
 * none in the end is a failure of this stage alone.
 */
export function reportStage(run: SessionRun, index: number, analysis: string): StagePlan | null {
  const resolved = resolveReport(run.config, run.chain);
  if (resolved === null) return null;
  const made = { system: REPORT_INSTRUCTIONS, analysis, form: REPORT };
  return {
    name: 'Report',
    index,
    type: 'REPORT',
    parallelType: null,
    successPolicy: null,
    expectedAgentCount: 1,
    referencedStageId: null,
    agents: () => [reporter(run, resolved, made)],
  };
}

/** A question, and the stage that answers it. */
export interface AskedQuestion {
  question: string;
  stage: { id: string; index: number };
}

/** Likewise puts the answer to a question into claims, in the stage that answers it; null where none are to be made. */
export function answerReporter(
  run: SessionRun,
  { question, stage }: AskedQuestion,
  analysis: string,
): AgentPlan | null {
  const resolved = resolveReport(run.config, run.chain);
  if (resolved === null) return null;
  const form: Form<GivenClaims> = {
    of: 'ANSWER',
    submit: submitClaims(),
    read: readClaims,
    stored: (given, checked) => addAnswerReport({ stageId: stage.id, ...toStoredClaims(given, checked) }),
    verdict: () => null,
  };
  return reporter(run, resolved, {
    system: CLAIMS_INSTRUCTIONS,
    analysis,
    question,
    stage: stage.index,
    form,
  });
}

/** What a report is made of, and how it is handed in. */
interface Made<Given extends GivenClaims> {
  system: string;
  analysis: string;
  question?: string;
  /** Of the question, by its index. */
  stage?: number;
  form: Form<Given>;
}

function reporter<Given extends GivenClaims>(
  run: SessionRun,
  resolved: ResolvedAgent,
  { system, analysis, question, stage, form }: Made<Given>,
): AgentPlan {
  let material: Material = { calls: [], outputs: [] };
  const works: LlmWork[] = [];
  const about = question === undefined ? {} : { question };
  return {
    name: resolved.agentName,
    resolved,
    selection: { servers: [] },
    interactionType: 'REPORT',
    task: { ...subjectOf(run, resolved), ...about, works },
    opening: () => ({ system, user: reportUserPrompt({ ...alertOf(run), analysis, ...about, material }) }),
    async work(context) {
      const units = Math.min(REPORT_RESULTS_MAX_UNITS, promptUnits(context.llm) * REPORT_RESULTS_SHARE);
      material = await readMaterial(run.db, run.session.id, analysis, Math.floor(units), stage);
      works.push({ analysis, outputs: outputsOf(material) });
      return handIn(context, form);
    },
  };
}
