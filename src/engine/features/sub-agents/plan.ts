import { createHash } from 'node:crypto';
import { formatDuration } from '../../../config/durations.ts';
import { MAX_SUB_AGENT_DEPTH } from '../../../config/sub-agents.ts';
import type { OrchestratorConfig } from '../../../config/types.ts';
import { agentSystemPrompt } from '../../run-context/investigation-prompt.ts';
import { planToolAgent } from '../../run-context/session-run.ts';
import { SUB_AGENT_FOCUS, subAgentUserPrompt } from '../../run-context/sub-agent-inbox.ts';
import type { AgentPlan, SessionRun } from '../../run-context/types.ts';
import type { ExecutionProgress, StageProgress } from '../../store/progress.ts';

export interface StageAgent {
  plan: AgentPlan;
  ids: { stageId: string; executionId: string };
  /** State stored by an earlier run; `undefined` for a new agent. */
  progress: ExecutionProgress | undefined;
  tree: AgentTree;
}

/** The agents of a stage and all their sub-agents, from the view of one agent. */
export interface AgentTree {
  /** Ancestors of the agent, the topmost first. */
  levels: readonly Level[];
  /** Returns the index in the stage for the next sub-agent. */
  nextIndex(): number;
  /** Returns the stored sub-agents of an agent, in the order of their dispatch. */
  subAgentsOf(executionId: string): readonly ExecutionProgress[];
  /** Returns the number of stored sub-agents below an agent, at any depth. */
  countBelow(executionId: string): number;
  /**
   * Returns the tree as it is stored now, for an agent that restarts. Further sub-agents get the next free
   * indexes.
   */
  refreshed(progress: Pick<StageProgress, 'subAgents'>): AgentTree;
}

/** Creates the tree of a stage. @param agentCount the number of the stage's own agents */
export function agentTree(
  agentCount: number,
  progress: Pick<StageProgress, 'subAgents'> | undefined,
): AgentTree {
  const stored = progress?.subAgents ?? new Map<string, readonly ExecutionProgress[]>();
  const indexes = [...stored.values()].flat().map(({ row }) => row.agentIndex);
  let lastIndex = Math.max(agentCount, ...indexes);
  const treeWith = (subAgents: StageProgress['subAgents']): AgentTree => {
    const subAgentsOf: AgentTree['subAgentsOf'] = (executionId) => subAgents.get(executionId) ?? [];
    const countBelow = (executionId: string): number =>
      subAgentsOf(executionId).reduce((sum, { row }) => sum + 1 + countBelow(row.id), 0);
    return {
      levels: [],
      nextIndex: () => ++lastIndex,
      subAgentsOf,
      countBelow,
      refreshed: (progress) => treeWith(progress.subAgents),
    };
  };
  return treeWith(stored);
}

/** An agent with sub-agents, and the limits for all sub-agents below it. */
export interface Level {
  limits: OrchestratorConfig;
  /** Number of sub-agents ever started below the agent, at any depth. */
  started: number;
  running: number;
  /** Returns how long the agent has worked, over all runs (ms). */
  workedMs(): number;
}

/** Returns why the agent of the last level may start no sub-agent now, as a text for the model; `null` if it may. */
export function refusalOf(levels: readonly Level[]): string | null {
  if (levels.length > MAX_SUB_AGENT_DEPTH)
    return `Sub-agents are at most ${MAX_SUB_AGENT_DEPTH} levels deep. Do this task yourself.`;
  for (const { limits, started, running, workedMs } of levels) {
    if (workedMs() >= limits.maxBudgetMs)
      return `The time for sub-agents (${formatDuration(limits.maxBudgetMs)}) is over. Continue without new sub-agents.`;
    if (started >= limits.maxAgents)
      return `All ${limits.maxAgents} sub-agents have been given tasks. Continue without new sub-agents.`;
    if (running >= limits.maxConcurrentAgents)
      return `${running} sub-agents are working, which is the maximum. Wait until one has ended, or do something else.`;
  }
  return null;
}

/**
 * Plans a sub-agent for a task; `null` if the name is unknown. `askedBy` is taken over from the parent agent.
 */
export function subAgentPlan(
  run: SessionRun,
  { name: orchestrator, resolved: { subAgents }, interactionType, askedBy }: AgentPlan,
  name: string,
  task: string,
): AgentPlan | null {
  const entry = subAgents.find((subAgent) => subAgent.name === name);
  if (entry === undefined) return null;
  return planToolAgent(run, {
    name,
    resolved: run.chainPlan.subAgent(entry),
    interactionType,
    ...(askedBy !== undefined && { askedBy }),
    question: task,
    task: {},
    messages: (prompt) => ({
      system: agentSystemPrompt(prompt, SUB_AGENT_FOCUS),
      user: subAgentUserPrompt({ ...prompt, orchestrator, task }),
    }),
  });
}

/** Derives a sub-agent's UUIDv7 from the tool call, so that a call repeated after a crash finds the sub-agent. */
export function subAgentId(parentId: string, callId: string, task: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([parentId, callId, task]))
    .digest();
  digest[0] = (digest[0]! & 0x0f) | 0x70; // version
  digest[2] = (digest[2]! & 0x3f) | 0x80; // variant
  const hex = digest.toString('hex');
  return `${parentId.slice(0, 13)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8, 20)}`;
}

export function executionRow({ name, resolved }: AgentPlan, stageId: string, agentIndex: number) {
  return {
    stageId,
    agentIndex,
    agentName: name,
    iterationStrategy: resolved.strategy,
    llmProvider: resolved.providerName,
    llmBackend: resolved.backend,
    modelName: resolved.provider.model,
  };
}
