import type { LlmProviderType } from './enums.ts';

export const BUILTIN_MODELS: Readonly<Record<string, { type: LlmProviderType; model: string }>> = {
  'google-default': { type: 'google', model: 'gemini-3.8-flash' },
  'gemini-3.8-flash': { type: 'google', model: 'gemini-3.8-flash' },
  'gemini-3.7-flash': { type: 'google', model: 'gemini-3.7-flash' },
  'gemini-3.6-flash': { type: 'google', model: 'gemini-3.6-flash' },
  'gemini-3.5-flash': { type: 'google', model: 'gemini-3.5-flash' },
  'gemini-3.1-pro': { type: 'google', model: 'gemini-3.1-pro-preview' },
  'gemini-3.1-flash': { type: 'google', model: 'gemini-3.1-flash-lite' },
  'gemini-3-flash': { type: 'google', model: 'gemini-3-flash-preview' },
  'gemini-2.5-flash': { type: 'google', model: 'gemini-2.5-flash' },
  'gemini-2.5-pro': { type: 'google', model: 'gemini-2.5-pro' },
  'openai-default': { type: 'openai', model: 'gpt-6-sol' },
  'gpt-6': { type: 'openai', model: 'gpt-6-sol' },
  'gpt-5.6': { type: 'openai', model: 'gpt-5.6-sol' },
  'anthropic-default': { type: 'anthropic', model: 'claude-sonnet-5-5' },
  'claude-sonnet-5-5': { type: 'anthropic', model: 'claude-sonnet-5-5' },
  'claude-opus-5-5': { type: 'anthropic', model: 'claude-opus-5-5' },
  'xai-default': { type: 'xai', model: 'grok-4.7' },
  'grok-4.7': { type: 'xai', model: 'grok-4.7' },
  'vertexai-default': { type: 'vertexai', model: 'claude-sonnet-5-5' },
  offline: { type: 'offline', model: 'offline' },
};

/**
 * Providers that other versions of TARSy build in, each with the hint for the error of a configuration that names it.
 */
export const REPLACED_PROVIDERS: Readonly<Record<string, string>> = {
  'gemini-3-pro': 'its model was gemini-3-pro-preview, which gemini-3.1-pro follows',
  'google-image-flash':
    'it makes images, which no agent here does; to read with a Flash model, take google-default',
};

/** Default maximum size of one tool result (tokens): the context window minus room for the conversation. */
export const MAX_TOOL_RESULT_TOKENS: Readonly<Record<LlmProviderType, number>> = {
  google: 950_000,
  openai: 250_000,
  anthropic: 150_000,
  xai: 1_500_000,
  vertexai: 150_000,
  azure: 250_000,
  bedrock: 150_000,
  offline: 950_000,
};

/** Default context windows by provider type (tokens). */
const CONTEXT_WINDOWS: Readonly<Record<LlmProviderType, number>> = {
  google: 1_000_000,
  openai: 272_000,
  anthropic: 200_000,
  xai: 2_000_000,
  vertexai: 200_000,
  azure: 272_000,
  bedrock: 200_000,
  offline: 1_000_000,
};

/** Returns the context window (tokens) of a provider that configures none. */
export function defaultContextWindow(type: LlmProviderType, hasBaseUrl: boolean): number {
  const isCompatible = type === 'openai' && hasBaseUrl; // another vendor's server with OpenAI's API
  return isCompatible ? 128_000 : CONTEXT_WINDOWS[type];
}
