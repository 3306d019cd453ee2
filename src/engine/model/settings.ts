import type { NativeTool } from '../../config/enums.ts';
import type { ResolvedLlm } from '../../config/resolve.ts';
import type { Config } from '../../config/types.ts';
import type { AlertSessionRow, McpSelectionValue } from '../../db/entities/index.ts';
import type { LlmSettings } from './client.ts';
import { knownWindow } from './pricing/catalogue.ts';

/** The choice of native tools that came with an alert. Missing tools stay as configured. */
interface SenderChoice {
  nativeTools: McpSelectionValue['nativeTools'];
  /** True if the choice may enable tools that the configuration disables. */
  replaces: boolean;
}

export function llmSettings({ provider, backend }: ResolvedLlm, choice?: SenderChoice): LlmSettings {
  return {
    backend,
    provider: provider.type,
    model: provider.model,
    apiKeyEnv: provider.apiKeyEnv ?? undefined,
    credentialsEnv: provider.credentialsEnv ?? undefined,
    baseUrl: provider.baseUrl ?? undefined,
    maxToolResultTokens: provider.maxToolResultTokens,
    contextWindow: provider.contextWindow ?? knownWindow(provider),
    nativeTools: provider.type === 'google' ? nativeTools(provider.nativeTools, choice) : {},
    project: provider.project ?? undefined,
    location: provider.location ?? undefined,
    api: provider.api ?? undefined,
    apiVersion: provider.apiVersion ?? undefined,
    modelFamily: provider.modelFamily ?? undefined,
    effort: provider.effort ?? undefined,
    thinkingBudget: provider.thinkingBudget ?? undefined,
    maxOutputTokens: provider.maxOutputTokens ?? undefined,
    temperature: provider.temperature ?? undefined,
    headers: provider.headers,
  };
}

export function withoutNativeTools(model: ResolvedLlm): LlmSettings {
  return { ...llmSettings(model), nativeTools: {} };
}

/** Returns an agent's model settings for the LLM service, with the alert sender's choice of native tools if allowed. */
export function agentSettings(
  { session, config }: { session: Pick<AlertSessionRow, 'mcpSelection'>; config: Pick<Config, 'system'> },
  resolved: ResolvedLlm,
): LlmSettings {
  return llmSettings(resolved, {
    nativeTools: session.mcpSelection?.nativeTools ?? null,
    replaces: config.system.mcpSelection === 'replace',
  });
}

function nativeTools(
  configured: Readonly<Record<NativeTool, boolean>>,
  choice: SenderChoice | undefined,
): Record<NativeTool, boolean> {
  const named = choice?.nativeTools;
  const switched = (tool: NativeTool, on = configured[tool]) =>
    on && (configured[tool] || choice?.replaces === true);
  return {
    google_search: switched('google_search', named?.googleSearch),
    code_execution: switched('code_execution', named?.codeExecution),
    url_context: switched('url_context', named?.urlContext),
  };
}
