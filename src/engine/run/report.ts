import { type ResolvedAgent, resolveReport } from '../../config/resolve.ts';
import type { LlmWork } from '../llm/task.ts';
import { promptUnits } from '../llm/window.ts';
import { type Material, readMaterial } from '../report/material.ts';
import { REPORT_INSTRUCTIONS, reportUserPrompt } from '../report/prompt.ts';
import { REPORT_RESULTS_MAX_UNITS, REPORT_RESULTS_SHARE } from '../tunables.ts';
import type { AgentPlan } from './agent.ts';
import { handIn } from './hand-in.ts';
import { alertOf, type SessionRun, subjectOf } from './run.ts';
import type { StagePlan } from './stage.ts';

/**
 * Puts the analysis into claims that cite what proves them, and checks these; null where no report is to be made. Why there is
 * none in the end is a failure of this stage alone.
 */
export function reportStage(run: SessionRun, index: number, analysis: string): StagePlan | null {
  const resolved = resolveReport(run.config, run.chain);
  if (resolved === null) return null;
  return {
    name: 'Report',
    index,
    type: 'REPORT',
    parallelType: null,
    successPolicy: null,
    expectedAgentCount: 1,
    referencedStageId: null,
    agents: () => [reporter(run, resolved, analysis)],
  };
}

function reporter(run: SessionRun, resolved: ResolvedAgent, analysis: string): AgentPlan {
  let material: Material = { calls: [], outputs: [] };
  const works: LlmWork[] = [];
  return {
    name: resolved.agentName,
    resolved,
    selection: { servers: [] },
    interactionType: 'REPORT',
    task: { ...subjectOf(run, resolved), works },
    opening: () => ({
      system: REPORT_INSTRUCTIONS,
      user: reportUserPrompt({ ...alertOf(run), analysis, material }),
    }),
    async work(context) {
      const units = Math.min(REPORT_RESULTS_MAX_UNITS, promptUnits(context.llm) * REPORT_RESULTS_SHARE);
      material = await readMaterial(run.db, run.session.id, analysis, Math.floor(units));
      works.push({ analysis, outputs: outputsOf(material) });
      return handIn(context);
    },
  };
}

/** The results that the model is shown, as data. */
export function outputsOf({ calls, outputs }: Material) {
  const byNumber = new Map(calls.map((call) => [call.number, call]));
  return outputs.map(({ number, text: content }) => {
    const { server, tool, arguments: args, failed } = byNumber.get(number)!;
    return { number, tool: `${server}.${tool}`, arguments: args, content, failed };
  });
}
