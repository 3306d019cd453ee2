import type { ParallelType, SuccessPolicy } from '../../config/enums.ts';
import {
  type ResolvedAgent,
  resolveAgent,
  resolveChat,
  resolveSubAgent,
  resolveSuccessPolicy,
  resolveSynthesis,
} from '../../config/resolve.ts';
import { resolveConcluder, resolveReport } from '../../config/resolve-calls.ts';
import type { ChainConfig, Config, StageConfig, SubAgentConfig } from '../../config/types.ts';

/** A chain's agents with their settings, resolved once per run. */
export interface ChainPlan {
  stages: readonly PlannedStage[];
  /** `null` if reports are off. */
  reporter: ResolvedAgent | null;
  /** The agent that composes the final analysis from those of several stages; `null` for a chain of one stage. */
  composer: ResolvedAgent | null;
  chat(): ResolvedAgent;
  subAgent(entry: SubAgentConfig): ResolvedAgent;
}

/** `parallelType`, `successPolicy` and `synthesizer` are `null` for a stage of one agent. */
export interface PlannedStage {
  name: string;
  /** Agents with their displayed names; replicas are numbered. */
  agents: readonly { name: string; resolved: ResolvedAgent }[];
  parallelType: ParallelType | null;
  successPolicy: SuccessPolicy | null;
  synthesizer: ResolvedAgent | null;
  /** The agent that writes the report after which the chain may end; `null` if the next stage always runs. */
  concluder: ResolvedAgent | null;
}

/** Resolves a chain's settings. @throws ConfigError if a name is missing, which the configuration loader rules out */
export function planChain(config: Config, chain: ChainConfig): ChainPlan {
  return {
    stages: chain.stages.map((stage) => planStage(config, chain, stage)),
    reporter: resolveReport(config, chain),
    composer:
      chain.stages.length > 1 ? resolveSynthesis(config, { chain, stage: chain.stages.at(-1)! }) : null,
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
    concluder: resolveConcluder(config, { chain, stage }),
  };
}
