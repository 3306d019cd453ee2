import { z } from 'zod';
import { LLM_PROVIDER_TYPES, type LlmProviderType } from '../enums.ts';
import { MAX_TOOL_RESULT_TOKENS } from '../models.ts';
import { NO_NATIVE_TOOLS, nativeTools } from './agents.ts';
import { count, envVariable, httpUrl, text, withRules } from './common.ts';
import { answerKeys, KEYS_OF_TYPES } from './provider-answers.ts';
import { settings } from './settings.ts';

/** Where the keys are by custom of each provider's own tools. */
const API_KEY_VARIABLES: Readonly<Record<LlmProviderType, string | null>> = {
  google: 'GOOGLE_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  xai: 'XAI_API_KEY',
  vertexai: null,
  azure: null,
  bedrock: null,
  offline: null,
};

const LOCATION_VARIABLES: Partial<Record<LlmProviderType, string>> = {
  vertexai: 'GOOGLE_CLOUD_LOCATION',
  bedrock: 'AWS_REGION',
};

const providerKeys = z.strictObject({
  type: z.enum(LLM_PROVIDER_TYPES).describe('Whose API it is'),
  model: text('Model, by the provider’s name for it').optional(),
  api_key_env: envVariable('Variable that holds the API key; default by type, none with base_url').optional(),
  credentials_env: envVariable('Vertex AI: variable that holds the path of the credentials file').optional(),
  project_env: envVariable('Vertex AI: variable that holds the project').optional(),
  location_env: envVariable('Vertex AI: variable that holds the location; Bedrock: the region').optional(),
  base_url: httpUrl('Endpoint instead of the provider’s own, such as a proxy').optional(),
  max_tool_result_tokens: count(
    'Longer tool results are cut before they are sent',
    100,
    10_000_000,
  ).optional(),
  context_window: count(
    'Tokens that the model reads and writes at once; longer conversations are shortened. Default: as the catalogue of models says, else by type',
    2000,
    10_000_000,
  ).optional(),
  native_tools: nativeTools.prefault({}),
  ...answerKeys,
});

export const providerSchema = settings(
  withRules(
    providerKeys,
    ['model', ({ type, model }) => (type !== 'offline' && model === undefined ? 'is required' : null)],
    [
      'native_tools',
      ({ type, native_tools: tools }) =>
        type !== 'google' && Object.values(tools ?? {}).includes(true)
          ? 'are tools of Google’s models; the type is not google'
          : null,
    ],
    ['base_url', ({ type, base_url: url }) => (type === 'azure' && url === undefined ? 'is required' : null)],
    ...KEYS_OF_TYPES.map(
      ([key, types]) =>
        [
          key,
          (written: Partial<z.output<typeof providerKeys>>) =>
            written.type !== undefined && !types.includes(written.type) && written[key] !== undefined
              ? `is for providers of type ${types.join(', ')}`
              : null,
        ] as const,
    ),
  ).describe('An LLM provider and a model'),
).transform((provider) => {
  const { type, baseUrl } = provider;
  const vertex = type === 'vertexai';
  const customary = baseUrl === null ? API_KEY_VARIABLES[type] : null;
  return {
    ...provider,
    model: provider.model ?? type,
    apiKeyEnv: provider.apiKeyEnv ?? customary,
    credentialsEnv: provider.credentialsEnv ?? (vertex ? 'GOOGLE_APPLICATION_CREDENTIALS' : null),
    projectEnv: provider.projectEnv ?? (vertex ? 'GOOGLE_CLOUD_PROJECT' : null),
    locationEnv: provider.locationEnv ?? LOCATION_VARIABLES[type] ?? null,
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
    maxToolResultTokens: provider.maxToolResultTokens ?? MAX_TOOL_RESULT_TOKENS[type],
    contextWindow: provider.contextWindow ?? null,
    nativeTools: { ...NO_NATIVE_TOOLS, ...provider.nativeTools },
  };
});
