import type { IterationStrategy } from './enums.ts';
import { chainAgents, getEntry, type ResolvedAgent, type ResolvedLlm, resolveFallbacks } from './resolve.ts';
import { backendFor, defaultStrategy, synthesisStrategy } from './strategies.ts';
import type { ChainConfig, Config } from './types.ts';

/** Resolves the call for the executive summary: `executive_summary_provider`, else the chain's, else the default provider. */
export function resolveExecutiveSummary(config: Config, chain: ChainConfig): ResolvedLlm {
  const name = chain.executiveSummaryProvider ?? chain.llmProvider ?? config.defaults.llmProvider;
  return chainCall(config, chain, name);
}

/** Resolves the call that extracts memories from a session: `defaults.memory`, else the chain's, else the default provider. */
export function resolveMemory(config: Config, chain: ChainConfig): ResolvedLlm {
  const name = config.defaults.memory.llmProvider ?? chain.llmProvider ?? config.defaults.llmProvider;
  return chainCall(config, chain, name);
}

/**
 * Resolves the agent that writes the report; `null` if reports are off. The first configured provider wins: the chain's
 * `report`, `defaults.report`, the chain, the default.
 */
export function resolveReport(config: Config, chain: ChainConfig): ResolvedAgent | null {
  const { defaults } = config;
  if (!(chain.report.enabled ?? defaults.report.enabled)) return null;
  const name =
    chain.report.llmProvider ?? defaults.report.llmProvider ?? chain.llmProvider ?? defaults.llmProvider;
  return {
    ...structuredCall(config, chain, name),
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

/** True if investigations by this chain are scored when they complete. */
export function isScoredAutomatically({ defaults }: Config, chain: ChainConfig): boolean {
  return chain.scoring.enabled ?? defaults.scoring.enabled;
}

/** Resolves the call that scores an investigation. The first configured provider wins, in the order of resolveReport. */
export function resolveScoring(config: Config, chain: ChainConfig): ResolvedLlm {
  const { defaults } = config;
  const name =
    chain.scoring.llmProvider ?? defaults.scoring.llmProvider ?? chain.llmProvider ?? defaults.llmProvider;
  return structuredCall(config, chain, name);
}

/** Resolves the call that summarizes a server's long results: the server's provider, else `defaults.summarization`, else the agent's. */
export function resolveSummarization(config: Config, serverId: string, agent: ResolvedLlm): ResolvedLlm {
  const server = getEntry(config.mcpServers, 'MCP server', serverId);
  const name = server.summarization.llmProvider ?? config.defaults.summarization.llmProvider;
  if (name === null || name === agent.providerName) return { ...llm(agent), strategy: 'SINGLE_CALL' };
  return singleCall(config, name, null, agent.fallbacks);
}

/** Returns the number of stages of an investigation: a stage of several agents adds a synthesis, and the report adds one. */
export function countExpectedStages(config: Config, chain: ChainConfig): number {
  const joined = chain.stages.filter(({ agents, replicas }) => agents.length > 1 || replicas > 1);
  return chain.stages.length + joined.length + (resolveReport(config, chain) ? 1 : 0);
}

/** Resolves a single call for a chain, with the chain's strategy and fallbacks. */
function chainCall(config: Config, chain: ChainConfig, providerName: string): ResolvedLlm {
  const strategy = chain.iterationStrategy ?? config.defaults.iterationStrategy;
  return singleCall(config, providerName, strategy, resolveFallbacks(config, [chain]));
}

/** Resolves a single call without an agent, on the backend that agents of this strategy use if the provider supports it. */
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

/**
 * Resolves a call with structured output. The output is a function call, or text (REACT) if the chain's agents use
 * this provider with REACT.
 */
function structuredCall(config: Config, chain: ChainConfig, providerName: string): ResolvedLlm {
  const agents = chainAgents(config, chain).filter((agent) => agent.providerName === providerName);
  const like = agents.at(-1)?.strategy ?? chain.iterationStrategy ?? config.defaults.iterationStrategy;
  const call = singleCall(config, providerName, like, resolveFallbacks(config, [chain]));
  return { ...call, strategy: like === 'REACT' ? 'REACT' : call.strategy };
}

function llm({ providerName, provider, strategy, backend, fallbacks }: ResolvedLlm): ResolvedLlm {
  return { providerName, provider, strategy, backend, fallbacks };
}
