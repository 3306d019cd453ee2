import { toConfigSpelling } from './enums.ts';
import { type ResolvedAgent, resolveSubAgent } from './resolve.ts';
import { strategyProblem } from './strategies.ts';
import type { ChainConfig, Config } from './types.ts';

/** Maximum number of sub-agent levels below an agent of a stage. */
export const MAX_SUB_AGENT_DEPTH = 3;

/** Returns the first problem with an agent's sub-agents, at any level; `null` if there is none. */
export function subAgentProblem(
  config: Config,
  chain: ChainConfig,
  agent: ResolvedAgent,
  above: readonly string[] = [],
): string | null {
  const { agentName: name, subAgents, strategy } = agent;
  if (subAgents.length === 0) return null;
  const line = [...above, name];
  const names = subAgents.map((named) => named.name);
  const twice = names.find((one, index) => names.indexOf(one) < index);
  if (twice !== undefined) return `the agent ${name} has the sub-agent ${twice} twice`;
  if (!CALLS_TOOLS.has(strategy))
    return `the agent ${name} uses ${toConfigSpelling(strategy)}, which calls no tools, so it cannot have sub-agents`;
  if (line.length > MAX_SUB_AGENT_DEPTH)
    return `the sub-agents of ${line.join(' → ')} are more than ${MAX_SUB_AGENT_DEPTH} levels below`;
  for (const named of subAgents) {
    if (named.name === name)
      return `the agent ${name} is its own sub-agent; set sub_agents: [] to give it none`;
    if (line.includes(named.name)) return `sub-agents in a circle: ${[...line, named.name].join(' → ')}`;
    if (config.agents[named.name]!.description.trim() === '')
      return `the sub-agent ${named.name} of ${name} needs a description that tells ${name} its purpose`;
    const resolved = resolveSubAgent(config, chain, named);
    const problem =
      strategyProblem(resolved.strategy, resolved.provider) ?? subAgentProblem(config, chain, resolved, line);
    if (problem !== null) return problem;
  }
  return null;
}

const CALLS_TOOLS: ReadonlySet<string> = new Set(['LANGCHAIN', 'NATIVE_THINKING', 'REACT']);
