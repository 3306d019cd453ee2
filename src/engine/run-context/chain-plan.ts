import type { ParallelType, SuccessPolicy } from '../../config/enums.ts';
import {
  type ResolvedAgent,
  resolveAgent,
  resolveChat,
  resolveSubAgent,
  resolveSuccessPolicy,
  resolveSynthesis,
} from '../../config/resolve.ts';
import { resolveReport } from '../../config/resolve-calls.ts';
import type { ChainConfig, Config, StageConfig, SubAgentConfig } from '../../config/types.ts';

/** A chain's agents with all their settings, resolved once per run. */
export interface ChainPlan {
  stages: readonly PlannedStage[];
  /** The agent that writes the report; `null` if reports are off. */
  reporter: ResolvedAgent | null;
  /** Returns the agent that answers follow-up questions. */
  chat(): ResolvedAgent;
  /** Returns a sub-agent by its entry in `sub_agents`. */
  subAgent(entry: SubAgentConfig): ResolvedAgent;
}

export interface PlannedStage {
  name: string;
  /** Agents with their displayed names: replicas are numbered. */
  agents: readonly { name: string; resolved: ResolvedAgent }[];
  /** `null` for a stage of one agent. */
  parallelType: ParallelType | null;
  /** `null` for a stage of one agent. */
  successPolicy: SuccessPolicy | null;
  /** The agent that merges the results of several agents; `null` for a stage of one agent. */
  synthesizer: ResolvedAgent | null;
}

/** Resolves a chain's settings. @throws ConfigError for a missing name, possible only in configurations built by hand */
export function planChain(config: Config, chain: ChainConfig): ChainPlan {
  return {
    stages: chain.stages.map((stage) => planStage(config, chain, stage)),
    reporter: resolveReport(config, chain),
    chat: () => resolveChat(config, chain),
    subAgent: (entry) => resolveSubAgent(config, chain, entry),
  };
}

function planStage(config: Config, chain: ChainConfig, stage: StageConfig): PlannedStage {
  const agents = stage.agents.flatMap((agent) => {
    const resolved = resolveAgent(config, { chain, stage, agent });
    return Array.from({ length: stage.replicas }, (_, replica) => ({
      name: stage.replicas > 1 ? `${agent.name}-${replica + 1}` : agent.name,
      resolved,
    }));
  });
  const isSingle = agents.length === 1;
  return {
    name: stage.name,
    agents,
    parallelType: isSingle ? null : stage.replicas > 1 ? 'REPLICA' : 'MULTI_AGENT',
    successPolicy: isSingle ? null : resolveSuccessPolicy(config, chain, stage),
    synthesizer: isSingle ? null : resolveSynthesis(config, { chain, stage }),
  };
}
