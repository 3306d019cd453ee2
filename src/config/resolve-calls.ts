import type { IterationStrategy } from './enums.ts';
import {
  chainAgents,
  getEntry,
  type ResolvedAgent,
  type ResolvedLlm,
  resolveAgent,
  resolveFallbacks,
} from './resolve.ts';
import { backendFor, defaultStrategy, synthesisStrategy } from './strategies.ts';
import type { ChainConfig, Config, StageConfig } from './types.ts';

/** @param provider name of the provider of a chain that ended early; `null` for the chain's own setting */
export function resolveExecutiveSummary(
  config: Config,
  chain: ChainConfig,
  provider: string | null = null,
): ResolvedLlm {
  return chainCall(config, chain, provider ?? chain.executiveSummaryProvider);
}

/** Resolves the call that extracts memories from a session. */
export function resolveMemory(config: Config, chain: ChainConfig): ResolvedLlm {
  return chainCall(config, chain, config.defaults.memory.llmProvider);
}

/** Resolves the agent that writes the report; `null` if reports are off. */
export function resolveReport(config: Config, chain: ChainConfig): ResolvedAgent | null {
  const { defaults } = config;
  if (!(chain.report.enabled ?? defaults.report.enabled)) return null;
  return reporter(config, chain, chain.report.llmProvider ?? defaults.report.llmProvider);
}

/**
 * Resolves the agent that writes the report of a stage that may end the chain, with the provider of the stage's last
 * agent. @returns `null` for a stage that never ends the chain
 */
export function resolveConcluder(
  config: Config,
  at: { chain: ChainConfig; stage: StageConfig },
): ResolvedAgent | null {
  const { chain, stage } = at;
  if (stage.escalate === 'ALWAYS') return null;
  const { providerName } = resolveAgent(config, { chain, stage, agent: stage.agents.at(-1)! });
  return reporter(config, chain, providerName);
}

function reporter(config: Config, chain: ChainConfig, provider: string | null): ResolvedAgent {
  const { defaults } = config;
  return {
    ...structuredCall(config, chain, provider),
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

export function isScoredAutomatically({ defaults }: Config, chain: ChainConfig): boolean {
  return chain.scoring.enabled ?? defaults.scoring.enabled;
}

export function resolveScoring(config: Config, chain: ChainConfig): ResolvedLlm {
  return structuredCall(config, chain, chain.scoring.llmProvider ?? config.defaults.scoring.llmProvider);
}

/** Resolves the call that summarizes an MCP server's long results. Provider: server's, else default, else agent's. */
export function resolveSummarization(config: Config, serverId: string, agent: ResolvedLlm): ResolvedLlm {
  const server = getEntry(config.mcpServers, 'MCP server', serverId);
  const name = server.summarization.llmProvider ?? config.defaults.summarization.llmProvider;
  const { providerName, provider, backend, fallbacks } = agent;
  if (name === null || name === providerName)
    return { providerName, provider, strategy: 'SINGLE_CALL', backend, fallbacks };
  return singleCall(config, name, null, fallbacks);
}

/** Resolves a model call outside the chain's agents. Provider: `own`, else the chain's, else the default. */
function chainCall(config: Config, chain: ChainConfig, own: string | null): ResolvedLlm {
  const strategy = chain.iterationStrategy ?? config.defaults.iterationStrategy;
  const name = own ?? chain.llmProvider ?? config.defaults.llmProvider;
  return singleCall(config, name, strategy, resolveFallbacks(config, [chain]));
}

/**
 * Resolves a call outside an agent's loop. The call uses the backend of strategy `agents` if the provider supports it.
 */
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
 * Resolves a call with a structured answer: a function call, or text if the chain's agents use the provider with REACT.
 */
function structuredCall(config: Config, chain: ChainConfig, own: string | null): ResolvedLlm {
  const providerName = own ?? chain.llmProvider ?? config.defaults.llmProvider;
  const agents = chainAgents(config, chain).filter((agent) => agent.providerName === providerName);
  const like = agents.at(-1)?.strategy ?? chain.iterationStrategy ?? config.defaults.iterationStrategy;
  const call = singleCall(config, providerName, like, resolveFallbacks(config, [chain]));
  return { ...call, strategy: like === 'REACT' ? 'REACT' : call.strategy };
}
