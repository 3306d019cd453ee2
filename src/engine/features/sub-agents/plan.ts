import { createHash } from 'node:crypto';
import { formatDuration } from '../../../config/durations.ts';
import { resolveSubAgent } from '../../../config/resolve.ts';
import { MAX_SUB_AGENT_DEPTH } from '../../../config/sub-agents.ts';
import type { OrchestratorConfig } from '../../../config/types.ts';
import { agentSystemPrompt } from '../../run-context/investigation-prompt.ts';
import { promptOf, selectionOf, subjectOf } from '../../run-context/session-run.ts';
import { SUB_AGENT_FOCUS, subAgentUserPrompt } from '../../run-context/sub-agent-inbox.ts';
import type { AgentPlan, SessionRun } from '../../run-context/types.ts';
import type { ExecutionProgress, StageProgress } from '../../store/progress.ts';

/** The agents of a stage, with those that got tasks of them. */
export interface AgentTree {
  /** Those above an agent, the topmost first. */
  levels: readonly Level[];
  /** The place of the next one in its stage. */
  nextIndex(): number;
  /** What an earlier run left of an agent's own sub-agents, in the order in which they got their tasks. */
  left(executionId: string): readonly ExecutionProgress[];
  /** How many of them there are, with those below them. */
  countBelow(executionId: string): number;
}

/** @param agents how many the stage itself has */
export function agentTree(agents: number, progress: SubAgentProgress): AgentTree {
  const indexes = [...(progress?.subAgents.values() ?? [])].flat().map(({ row }) => row.agentIndex);
  let last = Math.max(agents, ...indexes);
  const nextIndex = () => {
    last += 1;
    return last;
  };
  return { levels: [], nextIndex, ...leftBy(progress) };
}

/** The same, for an agent that begins again: what it left by then. */
export function asLeft(family: AgentTree, progress: SubAgentProgress): AgentTree {
  return { ...family, ...leftBy(progress) };
}

type SubAgentProgress = Pick<StageProgress, 'subAgents'> | undefined;

function leftBy(progress: SubAgentProgress): Pick<AgentTree, 'left' | 'countBelow'> {
  const left: AgentTree['left'] = (executionId) => progress?.subAgents.get(executionId) ?? [];
  const countBelow = (executionId: string): number =>
    left(executionId).reduce((sum, { row }) => sum + 1 + countBelow(row.id), 0);
  return { left, countBelow };
}

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

/**
 * The key of the execution that a tool call begins: of one call always the same, so that a call which is made again after a crash finds
 * what it has begun. A UUIDv7 with the time of its parent's.
 */
export function subAgentId(parentId: string, callId: string, task: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([parentId, callId, task]))
    .digest();
  digest[0] = (digest[0]! & 0x0f) | 0x70; // version
  digest[2] = (digest[2]! & 0x3f) | 0x80; // variant
  const hex = digest.toString('hex');
  return `${parentId.slice(0, 13)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8, 20)}`;
}

/** The work of an agent, not begun. @param at its stage, and its place among the stage's agents, from 1 */
export function executionRow({ name, resolved }: AgentPlan, at: { stageId: string; agentIndex: number }) {
  return {
    ...at,
    agentName: name,
    iterationStrategy: resolved.strategy,
    llmProvider: resolved.providerName,
    llmBackend: resolved.backend,
    modelName: resolved.provider.model,
  };
}
