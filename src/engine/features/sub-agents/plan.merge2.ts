import { resolveSubAgent } from '../../../config/resolve.ts';
import { agentSystemPrompt } from '../../run-context/investigation-prompt.ts';
import { promptOf, selectionOf, subjectOf } from '../../run-context/session-run.ts';
import { SUB_AGENT_FOCUS, subAgentUserPrompt } from '../../run-context/sub-agent-inbox.ts';
import type { AgentPlan, SessionRun } from '../../run-context/types.ts';

/**
 * What a sub-agent is to do; null = the agent has none of this name. The alert's own choice of tools holds for it too, and its calls
 * come from the question that its agent's do.
 */
export function subAgentPlan(
  run: SessionRun,
  { name: orchestrator, resolved: { subAgents }, interactionType, askedBy }: AgentPlan,
  name: string,
  task: string,
): AgentPlan | null {
  const named = subAgents.find((one) => one.name === name);
  if (named === undefined) return null;
  const resolved = resolveSubAgent(run.config, run.chain, named);
  const plan = { name, resolved, selection: selectionOf(run, resolved, task) };
  return {
    ...plan,
    interactionType,
    ...(askedBy !== undefined && { askedBy }),
    task: subjectOf(run, resolved),
    opening: (tools) => {
      const prompt = { ...promptOf(run, plan, tools), orchestrator, task };
      return { system: agentSystemPrompt(prompt, SUB_AGENT_FOCUS), user: subAgentUserPrompt(prompt) };
    },
  };
}
