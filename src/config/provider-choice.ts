import type { Backend, IterationStrategy } from './enums.ts';
import type { EnvironmentRecord } from './env.ts';
import { backendFor, defaultStrategy } from './strategies.ts';
import type { LlmProviderConfig, Named, ProviderChoice } from './types.ts';

/** The backends of the bundled LLM service. */
const AVAILABLE_BACKENDS: readonly Backend[] = ['offline', 'google-native', 'langchain'];

/** Providers that are chosen automatically if their key is set, in order of preference. */
const AUTOMATIC_PROVIDERS = ['google-default', 'anthropic-default', 'openai-default', 'xai-default'];

/** The provider of last resort: it answers without a model. */
const OFFLINE_PROVIDER = 'offline';

/** The configured defaults; `null` if there is none. */
interface DefaultModel {
  llmProvider: string | null;
  iterationStrategy: IterationStrategy | null;
}

/**
 * Chooses the default provider: the configured one, else the first whose key is set and whose backend exists,
 * else `offline`.
 */
export function chooseProvider(
  { llmProvider: configured, iterationStrategy: strategy }: DefaultModel,
  providers: Named<LlmProviderConfig>,
  env: EnvironmentRecord,
  available: readonly Backend[] = AVAILABLE_BACKENDS,
): ProviderChoice {
  if (configured !== null) return { name: configured, reason: 'configured as defaults.llm_provider' };
  const candidates = AUTOMATIC_PROVIDERS.flatMap((name) => providers[name] ?? []);
  const withKey = candidates.filter(({ apiKeyEnv }) => apiKeyEnv !== null && Boolean(env[apiKeyEnv]));
  const chosen = withKey.find(({ type }) =>
    available.includes(backendFor(strategy ?? defaultStrategy(type), type)),
  );
  if (chosen !== undefined) return { name: chosen.name, reason: `${chosen.apiKeyEnv} is set` };
  const keys = (withKey.length > 0 ? withKey : candidates).map(({ apiKeyEnv }) => apiKeyEnv);
  const reason =
    withKey.length > 0
      ? `${keys.join(', ')} is set, but this version's LLM service cannot call that provider yet; no language model is used`
      : `no provider key is set (${keys.join(', ')}); no language model is used`;
  return { name: OFFLINE_PROVIDER, reason };
}

/**
 * Returns why sessions that use this provider will fail; `null` if nothing is known to be wrong.
 * @param ownService false for an external LLM service, whose environment is unknown
 */
export function providerWarning(
  provider: LlmProviderConfig,
  strategy: IterationStrategy | null,
  env: EnvironmentRecord,
  ownService: boolean,
): string | null {
  if (!ownService) return null;
  const backend = backendFor(strategy ?? defaultStrategy(provider.type), provider.type);
  if (!AVAILABLE_BACKENDS.includes(backend)) {
    return `LLM provider ${provider.name} needs the backend ${backend}, which this version's LLM service does not have yet`;
  }
  if (provider.apiKeyEnv !== null && !env[provider.apiKeyEnv]) {
    return `LLM provider ${provider.name} is named in the configuration, but ${provider.apiKeyEnv} is not set`;
  }
  if (provider.type === 'vertexai' && provider.project === null) {
    return `LLM provider ${provider.name} is named in the configuration, but ${provider.projectEnv} is not set`;
  }
  return null;
}
