import type { Backend, IterationStrategy, SuccessPolicy } from './enums.ts';
import { ConfigError } from './errors.ts';
import {
  backendFor,
  defaultStrategy,
  PROVIDER_NEUTRAL_STRATEGY,
  strategyProblem,
  synthesisStrategy,
} from './strategies.ts';
import type {
  AgentConfig,
  ChainConfig,
  Config,
  LlmProviderConfig,
  Named,
  OrchestratorConfig,
  Overrides,
  StageAgentConfig,
  StageConfig,
  SubAgentConfig,
  TimeoutsConfig,
} from './types.ts';

export interface ResolvedLlm {
  readonly providerName: string;
  readonly provider: LlmProviderConfig;
  readonly strategy: IterationStrategy;
  readonly backend: Backend;
  /** Names of the providers that take over, in this order, when `provider` is unavailable. */
  readonly fallbacks: readonly string[];
}

/** All settings of an agent, resolved from the levels of the configuration. */
export interface ResolvedAgent extends ResolvedLlm {
  readonly agentName: string;
  readonly maxIterations: number;
  /** Ids of the MCP servers whose tools the agent may use. */
  readonly mcpServers: readonly string[];
  /** Patterns (`server.tool`) of the allowed tools; `null` if all tools of `mcpServers` are allowed. */
  readonly tools: readonly string[] | null;
  readonly customInstructions: string;
  readonly timeouts: TimeoutsConfig;
  readonly subAgents: readonly SubAgentConfig[];
  readonly orchestrator: OrchestratorConfig;
}

/** Resolves an agent of a stage. The last level that sets a value wins: defaults, agent, chain, stage, stage agent. */
export function resolveAgent(
  config: Config,
  at: { chain: ChainConfig; stage: StageConfig; agent: StageAgentConfig },
): ResolvedAgent {
  const definition = getEntry(config.agents, 'agent', at.agent.name);
  return agentFrom(config, definition, [definition, at.chain, at.stage, at.agent]);
}

/**
 * Resolves the agent that merges the results of a stage's agents. The strategy is the first of: that of the stage's
 * `synthesis`; the agent's, if a synthesis strategy; SYNTHESIS_NATIVE_THINKING for a Google provider whose agents use
 * native thinking (the default); SYNTHESIS.
 */
export function resolveSynthesis(
  config: Config,
  at: { chain: ChainConfig; stage: StageConfig },
): ResolvedAgent {
  const { chain, stage } = at;
  const definition = getEntry(config.agents, 'agent', stage.synthesis.agent);
  const base = agentFrom(config, definition, [definition, chain, stage, stage.synthesis]);
  const { type } = base.provider;
  const stageStrategy =
    lastSet('iterationStrategy', [chain, stage]) ??
    config.defaults.iterationStrategy ??
    defaultStrategy(type);
  const own = definition.iterationStrategy;
  const strategy =
    stage.synthesis.iterationStrategy ??
    (own?.startsWith('SYNTHESIS') ? own : synthesisStrategy(stageStrategy, type));
  return {
    ...base,
    strategy,
    backend: backendFor(strategy, type),
    maxIterations: 1,
    mcpServers: [],
    subAgents: [],
  };
}

/**
 * Resolves the agent that answers questions. The last level wins: defaults, agent, chain, chat. MCP servers: those of
 * the chat, else of the chain, else of all agents in the chain's stages, else the agent's own.
 */
export function resolveChat(config: Config, chain: ChainConfig): ResolvedAgent {
  const definition = getEntry(config.agents, 'agent', chain.chat.agent);
  const base = agentFrom(config, definition, [definition, chain, chain.chat]);
  if (chain.chat.mcpServers !== null || chain.mcpServers !== null) return base;
  const used = chainServers(config, chain);
  return used.length === 0 ? base : { ...base, mcpServers: used };
}

/**
 * Resolves a sub-agent. The last level wins: defaults, agent, chain, `named`. Only `agents` define nested sub-agents.
 */
export function resolveSubAgent(config: Config, chain: ChainConfig, named: SubAgentConfig): ResolvedAgent {
  const definition = getEntry(config.agents, 'agent', named.name);
  return agentFrom(config, definition, [
    definition,
    { ...chain, subAgents: null },
    { ...named, subAgents: null },
  ]);
}

/** Returns the agents and all their sub-agents, each after its parent. */
export function withSubAgents(
  config: Config,
  chain: ChainConfig,
  agents: readonly ResolvedAgent[],
  above: readonly string[] = [],
): ResolvedAgent[] {
  return agents.flatMap((agent) => {
    const names = [...above, agent.agentName];
    const named = agent.subAgents.filter(({ name }) => !names.includes(name)); // circles end here; subAgentProblem reports them
    const own = named.map((one) => resolveSubAgent(config, chain, one));
    return [agent, ...withSubAgents(config, chain, own, names)];
  });
}

/** Returns the MCP servers of a chain's stage agents and their sub-agents, in the order of the stages. */
export function chainServers(config: Config, chain: ChainConfig): string[] {
  const agents = withSubAgents(config, chain, chainAgents(config, chain));
  return [...new Set(agents.flatMap(({ mcpServers }) => mcpServers))];
}

export function chainAgents(config: Config, chain: ChainConfig): ResolvedAgent[] {
  return chain.stages.flatMap((stage) =>
    stage.agents.map((agent) => resolveAgent(config, { chain, stage, agent })),
  );
}

/** Returns the agents of a chain's stages, then the agent of its chat if it has one. */
export function agentsOfChain(config: Config, chain: ChainConfig): ResolvedAgent[] {
  const chat = chain.chat.enabled ? [resolveChat(config, chain)] : [];
  return [...chainAgents(config, chain), ...chat];
}

export function resolveSuccessPolicy(config: Config, chain: ChainConfig, stage: StageConfig): SuccessPolicy {
  return stage.successPolicy ?? chain.successPolicy ?? config.defaults.successPolicy;
}

/**
 * Returns the chain for an alert and the effective alert type; `null` if no chain handles it.
 * @param alertType `null` for the default type
 */
export function chainForAlertType(
  config: Config,
  alertType: string | null,
): { chain: ChainConfig; alertType: string } | null {
  const type = alertType ?? config.defaults.alertType;
  const chain = Object.values(config.chains).find(
    ({ alertTypes }) => type !== null && alertTypes.includes(type),
  );
  return chain === undefined || type === null ? null : { chain, alertType: type };
}

/** Settings of one level; a missing or `null` setting is inherited from the level above. */
type Level = Partial<Overrides>;

function agentFrom(config: Config, definition: AgentConfig, levels: readonly Level[]): ResolvedAgent {
  const providerName = lastSet('llmProvider', levels) ?? config.defaults.llmProvider;
  const written = getEntry(config.llmProviders, 'LLM provider', providerName);
  const { timeouts } = config.defaults;
  const limits = Object.entries(definition.orchestrator ?? {}).filter(([, value]) => value !== null);
  const strategy =
    lastSet('iterationStrategy', levels) ??
    config.defaults.iterationStrategy ??
    defaultStrategy(written.type);
  return {
    agentName: definition.name,
    providerName,
    provider: withNativeTools(written, definition),
    strategy,
    backend: backendFor(strategy, written.type),
    fallbacks: resolveFallbacks(config, levels),
    maxIterations: lastSet('maxIterations', levels) ?? config.defaults.maxIterations,
    mcpServers: lastSet('mcpServers', levels) ?? [],
    tools: definition.tools,
    customInstructions: definition.customInstructions,
    timeouts: { ...timeouts, iterationMs: lastSet('iterationTimeoutMs', levels) ?? timeouts.iterationMs },
    subAgents: lastSet('subAgents', levels) ?? [],
    orchestrator: { ...config.defaults.orchestrator, ...Object.fromEntries(limits) },
  };
}

export function resolveFallbacks({ defaults }: Config, levels: readonly Level[]): readonly string[] {
  const fallbacks = lastSet('fallbackProviders', levels) ?? defaults.fallbackProviders;
  return fallbacks.map(({ provider }) => provider);
}

/**
 * Returns the same agent or call with another provider. A Google-only strategy is replaced by
 * PROVIDER_NEUTRAL_STRATEGY.
 */
export function withProvider<Resolved extends ResolvedLlm & Partial<ResolvedAgent>>(
  config: Config,
  resolved: Resolved,
  providerName: string,
): Resolved {
  const written = getEntry(config.llmProviders, 'LLM provider', providerName);
  const agent = config.agents[resolved.agentName ?? ''];
  const provider = agent ? withNativeTools(written, agent) : written;
  const strategy =
    strategyProblem(resolved.strategy, written) === null
      ? resolved.strategy
      : PROVIDER_NEUTRAL_STRATEGY[resolved.strategy];
  return { ...resolved, providerName, provider, strategy, backend: backendFor(strategy, written.type) };
}

/**
 * Returns an agent's settings with another provider. The one before becomes the last fallback, so that an agent can
 * return to it.
 */
export function switchedTo(config: Config, resolved: ResolvedAgent, providerName: string): ResolvedAgent {
  const fallbacks = [...new Set([...resolved.fallbacks, resolved.providerName])];
  return withProvider(config, { ...resolved, fallbacks }, providerName);
}

/** Returns the models to try, in order: the resolved one, then its fallbacks. */
export function withFallbacks(config: Config, resolved: ResolvedLlm): readonly ResolvedLlm[] {
  const others = resolved.fallbacks.filter((name) => name !== resolved.providerName);
  return [resolved, ...others.map((name) => withProvider(config, resolved, name))];
}

/** Returns the provider with the agent's `nativeTools` switches; only Google's models have native tools. */
function withNativeTools(provider: LlmProviderConfig, agent: AgentConfig): LlmProviderConfig {
  if (provider.type !== 'google' || Object.keys(agent.nativeTools).length === 0) return provider;
  return { ...provider, nativeTools: { ...provider.nativeTools, ...agent.nativeTools } };
}

function lastSet<Key extends keyof Overrides>(key: Key, levels: readonly Level[]): Overrides[Key] | null {
  return levels.map((level) => level[key] ?? null).findLast((value) => value !== null) ?? null;
}

/** Returns the entry of this name. @throws ConfigError if it is missing, which loadConfig prevents */
export function getEntry<T>(entries: Named<T>, kind: string, name: string): T {
  const entry = entries[name];
  if (entry !== undefined) return entry;
  const message = `no ${kind} is named "${name}"`;
  throw new ConfigError([{ file: '(configuration)', line: 0, column: 0, path: '', message }]);
}
