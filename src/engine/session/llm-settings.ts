import type { ResolvedLlm } from '../../config/resolve.ts';
import type { LlmSettings } from '../llm/client.ts';

/** The resolved provider as it goes over the wire. */
export function llmSettings({ provider, backend }: ResolvedLlm): LlmSettings {
  return {
    backend,
    provider: provider.type,
    model: provider.model,
    apiKeyEnv: provider.apiKeyEnv ?? undefined,
    credentialsEnv: provider.credentialsEnv ?? undefined,
    baseUrl: provider.baseUrl ?? undefined,
    maxToolResultTokens: provider.maxToolResultTokens,
    nativeTools: { ...provider.nativeTools },
    project: provider.project ?? undefined,
    location: provider.location ?? undefined,
  };
}
