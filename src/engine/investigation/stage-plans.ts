import { resolveAgent, resolveSuccessPolicy, resolveSynthesis } from '../../config/resolve.ts';
import type { StageAgentConfig, StageConfig } from '../../config/types.ts';
import type { AgentExecutionRow, TimelineEventRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { recallForAlert } from '../features/memory/tools.ts';
import { decodeRow } from '../live/event-log.ts';
import { type LlmWork, workOf } from '../model/task.ts';
import { investigationSystemPrompt, investigationUserPrompt } from '../run-context/investigation-prompt.ts';
import { alertOf, promptOf, selectionOf, subjectOf } from '../run-context/session-run.ts';
import type { AgentPlan, SessionRun } from '../run-context/types.ts';
import type { StagePlan } from './stage.ts';
import { type AgentInvestigation, synthesisSystemPrompt, synthesisUserPrompt } from './synthesis-prompt.ts';

/** What a stage found, as later ones are told. */
export interface StageAnalysis {
  name: string;
  finalAnalysis: string;
}

/** A stage of a chain: its agents investigate side by side. @param previous what the stages before found, oldest first */
export function investigationStage(
  run: SessionRun,
  stage: StageConfig,
  index: number,
  previous: readonly StageAnalysis[],
): StagePlan {
  const agents = agentsOf(stage);
  const isSingle = agents.length === 1;
  return {
    name: stage.name,
    index,
    type: 'INVESTIGATION',
    parallelType: isSingle ? null : stage.replicas > 1 ? 'REPLICA' : 'MULTI_AGENT',
    successPolicy: isSingle ? null : resolveSuccessPolicy(run.config, run.chain, stage),
    expectedAgentCount: agents.length,
    referencedStageId: null,
    agents: () => agents.map(({ agent, name }) => investigator(run, stage, agent, name, previous)),
  };
}

/** The stage's agents with their names: replicas are numbered. */
function agentsOf(stage: StageConfig): { agent: StageAgentConfig; name: string }[] {
  if (stage.replicas <= 1) return stage.agents.map((agent) => ({ agent, name: agent.name }));
  return stage.agents.flatMap((agent) =>
    Array.from({ length: stage.replicas }, (_, n) => ({ agent, name: `${agent.name}-${n + 1}` })),
  );
}

function investigator(
  run: SessionRun,
  stage: StageConfig,
  agent: StageAgentConfig,
  name: string,
  previous: readonly StageAnalysis[],
): AgentPlan {
  const resolved = resolveAgent(run.config, { chain: run.chain, stage, agent });
  const plan = { name, resolved, selection: selectionOf(run, resolved) };
  const works = previous.map(({ name: of, finalAnalysis }) => ({ stage: of, analysis: finalAnalysis }));
  return {
    ...plan,
    interactionType: 'ITERATION',
    task: { ...subjectOf(run, resolved), works },
    recall: () => recallForAlert(run),
    opening: (tools, memories) => {
      const prompt = { ...promptOf(run, plan, tools), previousStages: previous, memories };
      return { user: investigationUserPrompt(prompt), system: investigationSystemPrompt(prompt) };
    },
  };
}

/** Joins the results of a stage's agents in a stage of its own; its analysis replaces theirs for all that follows. */
export function synthesisStage(
  run: SessionRun,
  stage: StageConfig,
  index: number,
  stageId: string,
): StagePlan {
  return {
    name: `${stage.name} - Synthesis`,
    index,
    type: 'SYNTHESIS',
    parallelType: null,
    successPolicy: null,
    expectedAgentCount: 1,
    referencedStageId: stageId,
    agents: async () => [await synthesizer(run, stage, stageId)],
  };
}

async function synthesizer(run: SessionRun, stage: StageConfig, stageId: string): Promise<AgentPlan> {
  const investigations = await readInvestigations(run.db, stageId);
  const resolved = resolveSynthesis(run.config, { chain: run.chain, stage });
  const { customInstructions } = resolved;
  const works = investigations.flatMap((each) => worksOf(each, stage.name));
  return {
    name: resolved.agentName,
    resolved,
    selection: { servers: [] },
    interactionType: 'SYNTHESIS',
    task: { ...subjectOf(run, resolved), works },
    opening: () => {
      const prompt = { ...alertOf(run), stageName: stage.name, investigations, customInstructions };
      return { system: synthesisSystemPrompt(prompt), user: synthesisUserPrompt(prompt) };
    },
  };
}

/** An agent's work, and behind it that of its sub-agents. */
function worksOf(of: AgentInvestigation, stage: string): LlmWork[] {
  const { agentName: agent, status, errorMessage: error, timeline, subAgents = [] } = of;
  return [
    { ...workOf(timeline), stage, agent, status, error },
    ...subAgents.flatMap((each) => worksOf(each, stage)),
  ];
}

/** Each agent's whole history, in the order of the agents, with those of its sub-agents. */
async function readInvestigations(db: Queryable, stageId: string): Promise<AgentInvestigation[]> {
  const { rows } = await db.query<{
    execution: Record<string, unknown>;
    timeline: Record<string, unknown>[];
  }>(
    `select to_jsonb(e) as execution, coalesce((
       select jsonb_agg(to_jsonb(t) order by t.sequence_number) from timeline_events t where t.execution_id = e.id), '[]') as timeline
     from agent_executions e where e.stage_id = $1 order by e.agent_index`,
    [stageId],
  );
  const read = rows.map(({ execution, timeline }) => ({
    row: decodeRow<AgentExecutionRow>(execution),
    timeline: timeline.map((event) => decodeRow<TimelineEventRow>(event)),
  }));
  const below = (parent: string | null): AgentInvestigation[] =>
    read
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
