import { formatDuration } from '../../../config/durations.ts';
import { MAX_SUB_AGENT_DEPTH } from '../../../config/sub-agents.ts';
import type { OrchestratorConfig } from '../../../config/types.ts';

/** An agent with sub-agents: its limits hold for all that is below it. */
export interface Level {
  limits: OrchestratorConfig;
  /** Sub-agents that it and those below it ever had. */
  begun: number;
  /** … of which are at work. */
  running: number;
  /** Milliseconds that its own work has taken. */
  workedMs(): number;
}

/** Why the last of these levels, each below the one before it, gets no further sub-agent now; null = it does. For the model. */
export function refusalOf(levels: readonly Level[]): string | null {
  if (levels.length > MAX_SUB_AGENT_DEPTH)
    return `Sub-agents are at most ${MAX_SUB_AGENT_DEPTH} levels deep: do this task yourself.`;
  for (const { limits, begun, running, workedMs } of levels) {
    if (workedMs() >= limits.maxBudgetMs)
      return `The time for sub-agents (${formatDuration(limits.maxBudgetMs)}) is over: go on with what you have.`;
    if (begun >= limits.maxAgents)
      return `All ${limits.maxAgents} sub-agents were given tasks: go on with what you have.`;
    if (running >= limits.maxConcurrentAgents)
      return `${running} sub-agents are at work, and no more may be at once: wait until you are told of an end, or do something else.`;
  }
  return null;
}
