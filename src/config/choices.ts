import type { ConfigIssue } from './errors.ts';
import { resolveAgent, resolveChat, resolveSynthesis, strategyProblem } from './resolve.ts';
import type { Path, SourceFile } from './source.ts';
import type { ChainConfig, Config } from './types.ts';

/**
 * Combinations that only show once the hierarchy is resolved: an issue for each place where strategy and
 * provider do not go together. Chains that are built in only inherit, so the defaults cover them.
 */
export function checkChoices(config: Config, source: SourceFile): ConfigIssue[] {
  const { iterationStrategy, llmProvider } = config.defaults;
  const provider = config.llmProviders[llmProvider];
  if (iterationStrategy !== null && provider !== undefined) {
    const problem = strategyProblem(iterationStrategy, provider);
    if (problem !== null) return [source.issue(['defaults', 'iteration_strategy'], problem)];
  }
  return Object.values(config.chains)
    .filter((chain) => chain.origin === 'FILE')
    .flatMap((chain) => checkChain(config, chain, source));
}

function checkChain(config: Config, chain: ChainConfig, source: SourceFile): ConfigIssue[] {
  const at: Path = ['agent_chains', chain.id];
  const places = [
    ...chain.stages.flatMap((stage, index) => [
      ...stage.agents.map((agent, agentIndex) => ({
        path: [...at, 'stages', index, 'agents', agentIndex],
        agent: resolveAgent(config, { chain, stage, agent }),
      })),
      ...(stage.agents.length * stage.replicas > 1
        ? [{ path: [...at, 'stages', index, 'synthesis'], agent: resolveSynthesis(config, { chain, stage }) }]
        : []),
    ]),
    ...(chain.chat.enabled ? [{ path: [...at, 'chat'], agent: resolveChat(config, chain) }] : []),
  ];
  return places.flatMap(({ path, agent }) => {
    const problem = strategyProblem(agent.strategy, agent.provider);
    return problem === null ? [] : [source.issue(path, problem)];
  });
}
