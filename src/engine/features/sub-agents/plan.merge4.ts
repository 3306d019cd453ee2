import type { AgentPlan } from '../../run-context/types.ts';

/** The work of an agent, not begun. @param at its stage, and its place among the stage's agents, from 1 */
export function newExecution({ name, resolved }: AgentPlan, at: { stageId: string; agentIndex: number }) {
  return {
    ...at,
    agentName: name,
    iterationStrategy: resolved.strategy,
    llmProvider: resolved.providerName,
    llmBackend: resolved.backend,
    modelName: resolved.provider.model,
  };
}
