import { v7 as uuidv7 } from 'uuid';
import { resolveSynthesis } from '../../config/resolve.ts';
import type { StageConfig } from '../../config/types.ts';
import type { AgentExecutionRow, TimelineEventRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../events/log.ts';
import type { StageProgress } from '../journal/progress.ts';
import { writeStep } from '../journal/step.ts';
import { beginStage, endStage } from '../journal/work.ts';
import { workOf } from '../llm/task.ts';
import { type AgentInvestigation, synthesisSystemPrompt, synthesisUserPrompt } from '../prompts/synthesis.ts';
import { execute } from './execute.ts';
import { alertOf, type SessionRun, subjectOf } from './run.ts';
import type { StageOutcome } from './stage-outcome.ts';

/**
 * Joins the results of a stage's agents in a stage of its own; its analysis replaces theirs for all that follows.
 * @throws the run's abort reason, LeaseLostError
 */
export async function runSynthesis(
  run: SessionRun,
  stage: StageConfig,
  source: { stageId: string },
  index: number,
  progress: StageProgress | undefined,
): Promise<StageOutcome> {
  if (progress && isTerminalStatus(progress.row.status)) {
    const { status, errorMessage } = progress.row;
    return {
      status,
      finalAnalysis: progress.executions.get(1)?.finalAnalysis ?? null,
      errorMessage: errorMessage ?? null,
    };
  }
  const stageId = progress?.row.id ?? uuidv7();
  const begun = beginStage(stageId, {
    name: `${stage.name} - Synthesis`,
    index,
    type: 'SYNTHESIS',
    parallelType: null,
    successPolicy: null,
    expectedAgentCount: 1,
    referencedStageId: source.stageId,
  });
  if (!progress) await writeStep(run.db, run.fence, [begun]);
  const resolved = resolveSynthesis(run.config, { chain: run.chain, stage });
  const investigations = await readInvestigations(run.db, source.stageId);
  const { customInstructions } = resolved;
  const outcome = await execute(run, {
    stageId,
    agentIndex: 1,
    displayName: resolved.agentName,
    resolved,
    interactionType: 'SYNTHESIS',
    selection: { servers: [] },
    progress: progress?.executions.get(1),
    task: {
      ...subjectOf(run),
      instructions: customInstructions,
      works: investigations.map(({ agentName: agent, status, errorMessage: error, timeline }) => ({
        ...workOf(timeline),
        stage: stage.name,
        agent,
        status,
        error,
      })),
    },
    opening: () => ({
      system: synthesisSystemPrompt({ customInstructions }),
      user: synthesisUserPrompt({
        ...alertOf(run),
        stageName: stage.name,
        investigations,
        customInstructions,
      }),
    }),
  });
  await writeStep(run.db, run.fence, [endStage(stageId, outcome)]);
  const { status, finalAnalysis, errorMessage } = outcome;
  return { status, finalAnalysis, errorMessage };
}

/** Each agent's whole history, in the order of the agents. */
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
  return rows.map(({ execution, timeline }) => {
    const row = decodeRow<AgentExecutionRow>(execution);
    return {
      agentName: row.agentName,
      strategy: row.iterationStrategy,
      llmProvider: row.llmProvider ?? null,
      status: row.status,
      errorMessage: row.errorMessage ?? null,
      timeline: timeline.map((event) => decodeRow<TimelineEventRow>(event)),
    };
  });
}
