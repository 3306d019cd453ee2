import { resolveAgent } from '../../config/resolve.ts';
import type { StageAgentConfig, StageConfig } from '../../config/types.ts';
import type { ExecutionProgress } from '../journal/progress.ts';
import { investigationSystemPrompt, investigationUserPrompt } from '../prompts/investigation.ts';
import { type ExecutionOutcome, execute } from './execute.ts';
import { alertOf, type SessionRun, selectionOf, serverInstructions, subjectOf } from './run.ts';

/** Place and material of an investigating agent. */
export interface AgentRun {
  stageId: string;
  stage: StageConfig;
  agent: StageAgentConfig;
  displayName: string;
  agentIndex: number;
  /** Results of the stages before, oldest first. */
  previousStages: readonly { name: string; finalAnalysis: string }[];
  progress: ExecutionProgress | undefined;
}

/** Lets one agent of a stage investigate. @throws the run's abort reason, LeaseLostError */
export async function runAgent(run: SessionRun, agent: AgentRun): Promise<ExecutionOutcome> {
  const resolved = resolveAgent(run.config, { chain: run.chain, stage: agent.stage, agent: agent.agent });
  const selection = selectionOf(run, resolved.mcpServers);
  return execute(run, {
    stageId: agent.stageId,
    agentIndex: agent.agentIndex,
    displayName: agent.displayName,
    resolved,
    interactionType: 'ITERATION',
    selection,
    progress: agent.progress,
    task: {
      ...subjectOf(run),
      instructions: resolved.customInstructions,
      works: agent.previousStages.map(({ name, finalAnalysis }) => ({
        stage: name,
        analysis: finalAnalysis,
      })),
    },
    opening: (tools) => {
      const prompt = {
        ...alertOf(run),
        ...tools,
        agentName: agent.displayName,
        previousStages: agent.previousStages,
        mcpServers: serverInstructions(run, selection),
        customInstructions: resolved.customInstructions,
        now: new Date(),
      };
      return { system: investigationSystemPrompt(prompt), user: investigationUserPrompt(prompt) };
    },
  });
}
