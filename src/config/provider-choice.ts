import type { EnvironmentRecord } from './env.ts';
import type { LlmProviderConfig, Named, ProviderChoice } from './types.ts';

/** Providers that become the default one if their key is set, most preferred first. */
const AUTOMATIC_PROVIDERS = ['google-default', 'anthropic-default', 'openai-default', 'xai-default'];

/** Chooses the default provider: the configured one, else the first whose key is set, else `offline`. */
export function chooseProvider(
  configured: string | null,
  providers: Named<LlmProviderConfig>,
  env: EnvironmentRecord,
): ProviderChoice {
  if (configured !== null) return { name: configured, reason: 'configured as defaults.llm_provider' };
  const candidates = AUTOMATIC_PROVIDERS.flatMap((name) => providers[name] ?? []);
  const chosen = candidates.find(({ apiKeyEnv }) => apiKeyEnv !== null && env[apiKeyEnv]);
  if (chosen !== undefined) return { name: chosen.name, reason: `${chosen.apiKeyEnv} is set` };
  const keys = candidates.map(({ apiKeyEnv }) => apiKeyEnv).join(', ');
  return { name: 'offline', reason: `no provider key is set (${keys}); no language model is used` };
}

/** Returns a warning if the provider's key or project is not set, because its sessions would fail; else `null`. */
export function providerWarning(provider: LlmProviderConfig, env: EnvironmentRecord): string | null {
  const { name, type, apiKeyEnv, project, projectEnv } = provider;
  const hasKey = apiKeyEnv === null || env[apiKeyEnv];
  if (hasKey && (type !== 'vertexai' || project !== null)) return null;
  return `LLM provider ${name} is named in the configuration, but ${hasKey ? projectEnv : apiKeyEnv} is not set`;
}
