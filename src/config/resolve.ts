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

/** Which model answers, and how. */
export interface ResolvedLlm {
  readonly providerName: string;
  readonly provider: LlmProviderConfig;
  /** Decides the controller. */
  readonly strategy: IterationStrategy;
  readonly backend: Backend;
  /** Names of the providers that take over, one after the other, when this one cannot be had. */
  readonly fallbacks: readonly string[];
}

/** Everything an agent needs to know before it starts. */
export interface ResolvedAgent extends ResolvedLlm {
  readonly agentName: string;
  readonly maxIterations: number;
  /** Ids; empty = no tools. */
  readonly mcpServers: readonly string[];
  /** Patterns of the tools of these that it has; null = all. */
  readonly tools: readonly string[] | null;
  readonly customInstructions: string;
  readonly timeouts: TimeoutsConfig;
  /** To which it may give tasks. */
  readonly subAgents: readonly SubAgentConfig[];
  /** Limits on them. */
  readonly orchestrator: OrchestratorConfig;
}

/** A stage agent. Each setting: defaults → agent → chain → stage → stage agent, the last that says it. */
export function resolveAgent(
  config: Config,
  at: { chain: ChainConfig; stage: StageConfig; agent: StageAgentConfig },
): ResolvedAgent {
  const definition = getEntry(config.agents, 'agent', at.agent.name);
  return agentFrom(config, definition, [definition, at.chain, at.stage, at.agent]);
}

/**
 * The agent that joins the results of a stage's agents: one call, no tools. Provider: defaults → agent
 * → chain → stage → synthesis. Strategy: the synthesis' own, else the agent's when it is one for
 * syntheses, else with thinking exactly when the stage's agents have it.
 */
export function resolveSynthesis(
  config: Config,
  at: { chain: ChainConfig; stage: StageConfig },
): ResolvedAgent {
  const { chain, stage } = at;
  const definition = getEntry(config.agents, 'agent', stage.synthesis.agent);
  const base = agentFrom(config, definition, [definition, chain, stage, { ...INHERIT, ...stage.synthesis }]);
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
 * The agent that answers follow-up questions. Defaults → agent → chain → chat; its servers are those of
 * the chat, else of the chain, else all that the chain's stages use, else of the agent.
 */
export function resolveChat(config: Config, chain: ChainConfig): ResolvedAgent {
  const definition = getEntry(config.agents, 'agent', chain.chat.agent);
  const base = agentFrom(config, definition, [definition, chain, chain.chat]);
  if (chain.chat.mcpServers !== null || chain.mcpServers !== null) return base;
  const used = chainServers(config, chain);
  return used.length === 0 ? base : { ...base, mcpServers: used };
}

/** An agent that gets tasks of another one. Defaults → agent → chain → where it is named; its own sub-agents are those of the agent. */
export function resolveSubAgent(config: Config, chain: ChainConfig, named: SubAgentConfig): ResolvedAgent {
  const definition = getEntry(config.agents, 'agent', named.name);
  return agentFrom(config, definition, [
    definition,
    { ...chain, subAgents: null },
    { ...named, subAgents: null },
  ]);
}

/** Agents with their sub-agents, and those of these, each after whose it is. */
export function withSubAgents(
  config: Config,
  chain: ChainConfig,
  agents: readonly ResolvedAgent[],
  above: readonly string[] = [],
): ResolvedAgent[] {
  return agents.flatMap((agent) => {
    const names = [...above, agent.agentName];
    const named = agent.subAgents.filter(({ name }) => !names.includes(name)); // a circle is an error that is told elsewhere
    const own = named.map((one) => resolveSubAgent(config, chain, one));
    return [agent, ...withSubAgents(config, chain, own, names)];
  });
}

/** The MCP servers that the agents of a chain's stages may use, and their sub-agents, in the order of the stages. */
export function chainServers(config: Config, chain: ChainConfig): string[] {
  const agents = withSubAgents(config, chain, chainAgents(config, chain));
  return [...new Set(agents.flatMap(({ mcpServers }) => mcpServers))];
}

/** The agents of a chain's stages, in the order of the stages. */
export function chainAgents(config: Config, chain: ChainConfig): ResolvedAgent[] {
  return chain.stages.flatMap((stage) =>
    stage.agents.map((agent) => resolveAgent(config, { chain, stage, agent })),
  );
}

/** Stage → chain → defaults. */
export function resolveSuccessPolicy(config: Config, chain: ChainConfig, stage: StageConfig): SuccessPolicy {
  return stage.successPolicy ?? chain.successPolicy ?? config.defaults.successPolicy;
}

/** The chain for an alert, and the type it is under; null type = the default one. Null = there is none. */
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

const INHERIT: Overrides = {
  llmProvider: null,
  fallbackProviders: null,
  iterationStrategy: null,
  maxIterations: null,
  iterationTimeoutMs: null,
  mcpServers: null,
  subAgents: null,
};

function agentFrom(config: Config, definition: AgentConfig, levels: readonly Overrides[]): ResolvedAgent {
  const providerName = lastSet('llmProvider', levels) ?? config.defaults.llmProvider;
  const written = getEntry(config.llmProviders, 'LLM provider', providerName);
  const { timeouts } = config.defaults;
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
    orchestrator: orchestratorLimits(config, definition),
  };
}

/** Names of the providers that take over: those of the last level that has some. */
export function resolveFallbacks(
  { defaults }: Config,
  levels: readonly Pick<Overrides, 'fallbackProviders'>[],
): readonly string[] {
  const last = levels.findLast(({ fallbackProviders }) => fallbackProviders !== null);
  return (last?.fallbackProviders ?? defaults.fallbackProviders).map(({ provider }) => provider);
}

/** The same with another provider. What its strategy has of Google's alone is left out where the other is not Google's. */
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

function orchestratorLimits({ defaults }: Config, { orchestrator }: AgentConfig): OrchestratorConfig {
  const said = Object.entries(orchestrator ?? {}).filter(([, value]) => value !== null);
  return { ...defaults.orchestrator, ...Object.fromEntries(said) };
}

/** Who makes a call, and those that take over. */
export function withFallbacks(config: Config, resolved: ResolvedLlm): readonly ResolvedLlm[] {
  const others = resolved.fallbacks.filter((name) => name !== resolved.providerName);
  return [resolved, ...others.map((name) => withProvider(config, resolved, name))];
}

/** Only Google's models have such tools; an agent's switches mean nothing to other providers. */
function withNativeTools(provider: LlmProviderConfig, agent: AgentConfig): LlmProviderConfig {
  if (provider.type !== 'google' || Object.keys(agent.nativeTools).length === 0) return provider;
  return { ...provider, nativeTools: { ...provider.nativeTools, ...agent.nativeTools } };
}

/** The value of the last level that has one. */
function lastSet<Key extends keyof Overrides>(key: Key, levels: readonly Overrides[]): Overrides[Key] | null {
  return levels.findLast((level) => level[key] !== null)?.[key] ?? null;
}

/** Names inside a loaded config always exist; this is for configs put together by hand. */
export function getEntry<T>(entries: Named<T>, kind: string, name: string): T {
  const entry = entries[name];
  if (entry !== undefined) return entry;
  const message = `no ${kind} is named "${name}"`;
  throw new ConfigError([{ file: '(configuration)', line: 0, column: 0, path: '', message }]);
}
