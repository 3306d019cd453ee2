import type { EnvironmentRecord } from './env.ts';
import type { ConfigIssue } from './errors.ts';
import { providerWarning } from './provider-choice.ts';
import { findReferences } from './references.ts';
import { agentsOfChain, resolveAgent, resolveChat, resolveSynthesis } from './resolve.ts';
import { resolveReport } from './resolve-calls.ts';
import type { Path, SourceFile } from './source-file.ts';
import { strategyProblem } from './strategies.ts';
import { subAgentProblem } from './sub-agents.ts';
import type { ChainConfig, Config } from './types.ts';

/**
 * Returns an issue for each agent whose strategy does not fit its provider, or whose sub-agents are invalid. Built-in
 * chains set neither strategy nor provider, so the check of the defaults covers them.
 */
export function checkCombinations(config: Config, source: SourceFile): ConfigIssue[] {
  const { iterationStrategy, llmProvider } = config.defaults;
  const provider = config.llmProviders[llmProvider];
  if (iterationStrategy !== null && provider !== undefined) {
    const problem = strategyProblem(iterationStrategy, provider);
    if (problem !== null) return [source.issue(['defaults', 'iteration_strategy'], problem)];
  }
  return Object.values(config.chains).flatMap((chain) =>
    chain.origin === 'FILE' ? checkChain(config, chain, source) : checkBuiltinChain(config, chain, source),
  );
}

/** Checks the sub-agents of a built-in chain's agents, because the configuration file may redefine these agents. */
function checkBuiltinChain(config: Config, chain: ChainConfig, source: SourceFile): ConfigIssue[] {
  return agentsOfChain(config, chain).flatMap((agent) => {
    const problem = subAgentProblem(config, chain, agent);
    return problem === null ? [] : [source.issue(['agents', agent.agentName, 'sub_agents'], problem)];
  });
}

/** Returns an issue for each fallback provider whose API key is not set, because only an outage would reveal it. */
export function checkFallbackProviders(
  config: Config,
  source: SourceFile,
  env: EnvironmentRecord,
): ConfigIssue[] {
  return findReferences(source.data).flatMap(({ path, name }) => {
    const provider = path.includes('fallback_providers') ? config.llmProviders[name] : undefined;
    const problem = provider && providerWarning(provider, env);
    return problem ? [source.issue(path, problem)] : [];
  });
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
  const escalations = chain.stages.flatMap((stage, index) => {
    if (stage.escalate === 'ALWAYS') return [];
    const problem = escalationProblem(config, chain, index);
    return problem === null ? [] : [source.issue([...at, 'stages', index, 'escalate'], problem)];
  });
  const unfit = places.flatMap(({ path, agent }) => {
    const problem = strategyProblem(agent.strategy, agent.provider) ?? subAgentProblem(config, chain, agent);
    return problem === null ? [] : [source.issue(path, problem)];
  });
  return [...unfit, ...escalations];
}

function escalationProblem(config: Config, chain: ChainConfig, index: number): string | null {
  if (index === chain.stages.length - 1)
    return 'no stage follows: remove escalate, or add the stage that investigates what is inconclusive';
  if (resolveReport(config, chain) === null)
    return 'the verdict of a report decides, and reports are off: set report.enabled to true';
  return null;
}
