import { PROVIDER_NEUTRAL_STRATEGY, strategyProblem } from './strategies.ts';
import type { Config, LlmProviderConfig } from './types.ts';

/**
 * Returns the configuration of a replay: without native tools, which reach servers outside of the recording, without
 * memories, and, if a provider is given, with that provider for every model call and without fallbacks.
 */
export function replayConfig(config: Config, providerName: string | null): Config {
  const withoutTools = { ...config, llmProviders: mapValues(config.llmProviders, withoutNativeTools) };
  const provider = providerName === null ? undefined : config.llmProviders[providerName];
  const only = <T>(part: T): T => (provider === undefined ? part : withOnly(part, provider));
  const agents = mapValues(only(withoutTools.agents), withoutNativeTools);
  const defaults = only(withoutTools.defaults);
  const llmProvider = provider?.name ?? defaults.llmProvider;
  return {
    ...withoutTools,
    agents,
    chains: only(withoutTools.chains),
    mcpServers: only(withoutTools.mcpServers),
    defaults: { ...defaults, llmProvider, memory: { ...defaults.memory, enabled: false } },
  };
}

function mapValues<T>(named: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, change(value)]));
}

const withoutNativeTools = <T extends { readonly nativeTools: object }>(part: T): T => ({
  ...part,
  nativeTools: {},
});

/** Keys that name a provider for one part of the configuration. */
const PROVIDER_KEYS = new Set(['llmProvider', 'executiveSummaryProvider']);

/** Returns a part of the configuration in which no setting names a provider, and every strategy fits the provider. */
function withOnly<T>(part: T, provider: LlmProviderConfig): T {
  if (Array.isArray(part)) return part.map((item) => withOnly(item, provider)) as T;
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([key, value]): [string, unknown] => {
    if (PROVIDER_KEYS.has(key)) return [key, null];
    if (key === 'fallbackProviders') return [key, []];
    if (key === 'iterationStrategy' && isStrategy(value) && strategyProblem(value, provider) !== null)
      return [key, PROVIDER_NEUTRAL_STRATEGY[value]];
    return [key, withOnly(value, provider)];
  });
  return Object.fromEntries(entries) as T;
}

const isStrategy = (value: unknown): value is keyof typeof PROVIDER_NEUTRAL_STRATEGY =>
  typeof value === 'string' && Object.hasOwn(PROVIDER_NEUTRAL_STRATEGY, value);
