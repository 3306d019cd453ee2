import type { IterationStrategy } from './enums.ts';
import { chainAgents, getEntry, type ResolvedAgent, type ResolvedLlm, resolveFallbacks } from './resolve.ts';
import { backendFor, defaultStrategy, synthesisStrategy } from './strategies.ts';
import type { ChainConfig, Config } from './types.ts';

/** The executive summary: one call by `executive_summary_provider`, else the chain's, else the default provider. */
export function resolveExecutiveSummary(config: Config, chain: ChainConfig): ResolvedLlm {
  const name = chain.executiveSummaryProvider ?? chain.llmProvider ?? config.defaults.llmProvider;
  return singleCall(
    config,
    name,
    chain.iterationStrategy ?? config.defaults.iterationStrategy,
    resolveFallbacks(config, [chain]),
  );
}

/** What reads what a session teaches: one call by `defaults.memory.llm_provider`, else the chain's, else the default provider. */
export function resolveMemory(config: Config, chain: ChainConfig): ResolvedLlm {
  const name = config.defaults.memory.llmProvider ?? chain.llmProvider ?? config.defaults.llmProvider;
  return singleCall(
    config,
    name,
    chain.iterationStrategy ?? config.defaults.iterationStrategy,
    resolveFallbacks(config, [chain]),
  );
}

/**
 * The report: by the provider of the chain's report, else of `defaults.report`, else the chain's, else the default one; null = none
 * is to be made. A model is asked in text where the chain's agents ask it so.
 */
export function resolveReport(config: Config, chain: ChainConfig): ResolvedAgent | null {
  const { defaults } = config;
  if (!(chain.report.enabled ?? defaults.report.enabled)) return null;
  const name =
    chain.report.llmProvider ?? defaults.report.llmProvider ?? chain.llmProvider ?? defaults.llmProvider;
  return {
    ...structuredCall(config, chain, name, resolveFallbacks(config, [chain])),
    agentName: 'Report',
    maxIterations: 1,
    mcpServers: [],
    tools: null,
    customInstructions: '',
    subAgents: [],
    orchestrator: defaults.orchestrator,
    timeouts: { ...defaults.timeouts, iterationMs: defaults.timeouts.reportMs },
  };
}

/** Whether an investigation by this chain is scored as soon as it completes. */
export function isScoredAutomatically({ defaults }: Config, chain: ChainConfig): boolean {
  return chain.scoring.enabled ?? defaults.scoring.enabled;
}

/**
 * Scores: by the provider of the chain's scoring, else of `defaults.scoring`, else the chain's, else the default one; asked as a
 * report would be.
 */
export function resolveScoring(config: Config, chain: ChainConfig): ResolvedLlm {
  const { defaults } = config;
  const name =
    chain.scoring.llmProvider ?? defaults.scoring.llmProvider ?? chain.llmProvider ?? defaults.llmProvider;
  return structuredCall(config, chain, name, resolveFallbacks(config, [chain]));
}

/** Summaries of a server's long results: by the server's provider, else the default one for it, else the agent's. */
export function resolveSummarization(config: Config, serverId: string, agent: ResolvedLlm): ResolvedLlm {
  const server = getEntry(config.mcpServers, 'MCP server', serverId);
  const name = server.summarization.llmProvider ?? config.defaults.summarization.llmProvider;
  if (name === null || name === agent.providerName) return { ...llm(agent), strategy: 'SINGLE_CALL' };
  return singleCall(config, name, null, agent.fallbacks);
}

/** Stages that an investigation by this chain goes through: where several agents run, one more joins their results; then the report. */
export function countExpectedStages(config: Config, chain: ChainConfig): number {
  const joined = chain.stages.filter(({ agents, replicas }) => agents.length > 1 || replicas > 1);
  return chain.stages.length + joined.length + (resolveReport(config, chain) ? 1 : 0);
}

/** One call without an agent, on the backend that agents of this strategy use if the provider can. */
function singleCall(
  config: Config,
  providerName: string,
  agents: IterationStrategy | null,
  fallbacks: readonly string[],
): ResolvedLlm {
  const provider = getEntry(config.llmProviders, 'LLM provider', providerName);
  const like = synthesisStrategy(agents ?? defaultStrategy(provider.type), provider.type);
  const backend = backendFor(like, provider.type);
  return { providerName, provider, strategy: 'SINGLE_CALL', backend, fallbacks };
}

/** A call that hands something in: by a function, or as text where the chain's agents ask this provider so. */
function structuredCall(
  config: Config,
  chain: ChainConfig,
  providerName: string,
  fallbacks: readonly string[],
): ResolvedLlm {
  const agents = chainAgents(config, chain).filter((agent) => agent.providerName === providerName);
  const like = agents.at(-1)?.strategy ?? chain.iterationStrategy ?? config.defaults.iterationStrategy;
  const call = singleCall(config, providerName, like, fallbacks);
  return { ...call, strategy: like === 'REACT' ? 'REACT' : call.strategy };
}

function llm({ providerName, provider, strategy, backend, fallbacks }: ResolvedLlm): ResolvedLlm {
  return { providerName, provider, strategy, backend, fallbacks };
}
