import type { TracedModel } from '../engine/api/tracing.ts';

/** Values of `gen_ai.provider.name` in the conventions of OpenTelemetry, by the type of the LLM provider. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  offline: 'tarsy.offline',
  openai: 'openai',
  vertexai: 'gcp.vertex_ai',
  xai: 'x_ai',
};

/** Returns the provider's name by the conventions; the type itself if the conventions name no such provider. */
export function providerName({ provider }: Pick<TracedModel, 'provider'>): string {
  return PROVIDER_NAMES[provider] ?? provider;
}
