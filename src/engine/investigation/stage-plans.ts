import type { AgentExecutionRow, TimelineEventRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { recallForAlert } from '../features/memory/tools.ts';
import { decodeRow } from '../live/event-log.ts';
import { type LlmWork, workOf } from '../model/task.ts';
import type { PlannedStage } from '../run-context/chain-plan.ts';
import { investigationSystemPrompt, investigationUserPrompt } from '../run-context/investigation-prompt.ts';
import { planToolAgent } from '../run-context/session-run.ts';
import type { AgentPlan, SessionRun } from '../run-context/types.ts';
import { SINGLE_AGENT, type StagePlan } from './stage.ts';
import { type AgentInvestigation, synthesisSystemPrompt, synthesisUserPrompt } from './synthesis-prompt.ts';

/** A stage's analysis, as later stages read it. */
export interface StageAnalysis {
  name: string;
  finalAnalysis: string;
}

/** Plans a stage whose agents investigate side by side. */
export function investigationStage(
  run: SessionRun,
  stage: PlannedStage,
  index: number,
  previousStages: readonly StageAnalysis[],
): StagePlan {
  const works = previousStages.map(({ name, finalAnalysis }) => ({ stage: name, analysis: finalAnalysis }));
  return {
    name: stage.name,
    index,
    type: 'INVESTIGATION',
    parallelType: stage.parallelType,
    successPolicy: stage.successPolicy,
    expectedAgentCount: stage.agents.length,
    referencedStageId: null,
    agents: () =>
      stage.agents.map((planned) =>
        planToolAgent(run, {
          ...planned,
          interactionType: 'ITERATION',
          task: { works },
          recall: () => recallForAlert(run),
          messages: (prompt, memories) => ({
            system: investigationSystemPrompt(prompt),
            user: investigationUserPrompt({ ...prompt, previousStages, memories }),
          }),
        }),
      ),
  };
}

/** Plans the stage that merges the results of a stage's agents. Later stages read only the merged analysis. */
export function synthesisStage(
  run: SessionRun,
  stage: PlannedStage,
  index: number,
  stageId: string,
): StagePlan {
  return {
    ...SINGLE_AGENT,
    name: `${stage.name} - Synthesis`,
    index,
    type: 'SYNTHESIS',
    referencedStageId: stageId,
    agents: async () => [
      planSynthesizer(run, stage, await readInvestigations(run.db, run.session.id, stageId)),
    ],
  };
}

function planSynthesizer(
  run: SessionRun,
  stage: PlannedStage,
  investigations: readonly AgentInvestigation[],
): AgentPlan {
  const resolved = stage.synthesizer!;
  const { customInstructions } = resolved;
  const workOfAll = (agents: readonly AgentInvestigation[]): LlmWork[] =>
    agents.flatMap(({ agentName: agent, status, errorMessage: error, timeline, subAgents = [] }) => [
      { ...workOf(timeline), stage: stage.name, agent, status, error },
      ...workOfAll(subAgents),
    ]);
  return {
    name: resolved.agentName,
    resolved,
    selection: { servers: [] },
    interactionType: 'SYNTHESIS',
    task: { ...run.subject, instructions: customInstructions, works: workOfAll(investigations) },
    opening: () => {
      const prompt = { ...run.alert, stageName: stage.name, investigations, customInstructions };
      return { system: synthesisSystemPrompt(prompt), user: synthesisUserPrompt(prompt) };
    },
  };
}

/** Reads the complete timeline of each agent of a stage, in the order of the agents, sub-agents below their parent. */
export async function readInvestigations(
  db: Queryable,
  sessionId: string,
  stageId: string,
): Promise<AgentInvestigation[]> {
  const { rows } = await db.query<{
    execution: Record<string, unknown>;
    timeline: Record<string, unknown>[];
  }>(
    prepared(`select to_jsonb(e) as execution, coalesce((
       select jsonb_agg(to_jsonb(t) order by t.sequence_number) from timeline_events t
       where t.session_id = $1 and t.execution_id = e.id), '[]') as timeline
     from agent_executions e where e.stage_id = $2 order by e.agent_index`),
    [sessionId, stageId],
  );
  const executions = rows.map(({ execution, timeline }) => ({
    row: decodeRow<AgentExecutionRow>(execution),
    timeline: timeline.map((event) => decodeRow<TimelineEventRow>(event)),
  }));
  const below = (parent: string | null): AgentInvestigation[] =>
    executions
      .filter(({ row }) => (row.parentExecutionId ?? null) === parent)
      .map(({ row, timeline }) => ({
        agentName: row.agentName,
        strategy: row.iterationStrategy,
        llmProvider: row.llmProvider ?? null,
        status: row.status,
        errorMessage: row.errorMessage ?? null,
        timeline,
        subAgents: below(row.id),
      }));
  return below(null);
}
