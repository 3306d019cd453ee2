import type { NativeTool } from '../../config/enums.ts';
import type { ResolvedLlm } from '../../config/resolve.ts';
import type { McpSelectionValue } from '../../db/entities/index.ts';
import type { LlmSettings } from '../llm/client.ts';

/**
 * The resolved provider as it goes over the wire.
 * @param override the alert's sender's choice of native tools; what it does not name stays as configured
 */
export function llmSettings(
  { provider, backend }: ResolvedLlm,
  override: McpSelectionValue['nativeTools'] = null,
): LlmSettings {
  return {
    backend,
    provider: provider.type,
    model: provider.model,
    apiKeyEnv: provider.apiKeyEnv ?? undefined,
    credentialsEnv: provider.credentialsEnv ?? undefined,
    baseUrl: provider.baseUrl ?? undefined,
    maxToolResultTokens: provider.maxToolResultTokens,
    contextWindow: provider.contextWindow,
    nativeTools: provider.type === 'google' ? nativeTools(provider.nativeTools, override) : {},
    project: provider.project ?? undefined,
    location: provider.location ?? undefined,
  };
}

function nativeTools(
  configured: Readonly<Record<NativeTool, boolean>>,
  override: McpSelectionValue['nativeTools'],
): Record<NativeTool, boolean> {
  return {
    google_search: override?.googleSearch ?? configured.google_search,
    code_execution: override?.codeExecution ?? configured.code_execution,
    url_context: override?.urlContext ?? configured.url_context,
  };
}
