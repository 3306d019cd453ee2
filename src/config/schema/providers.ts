import { z } from 'zod';
import { EFFORTS, LLM_PROVIDER_TYPES, type LlmProviderType } from '../enums.ts';
import { MAX_TOOL_RESULT_TOKENS } from '../models.ts';
import { NO_NATIVE_TOOLS, nativeTools } from './agents.ts';
import { count, envVariable, headerName, httpUrl, text, withRules } from './common.ts';
import { settings } from './settings.ts';

/** The customary variables of API keys, by provider type. */
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

/** Keys for a model's answers; unset ones use the defaults of the model's family in the LLM service. */
const answerKeys = {
  api: z
    .enum(['responses', 'chat'])
    .describe('OpenAI API to use; default: responses, with base_url chat')
    .optional(),
  api_version: text('Azure: version of the deployment’s API; default: /openai/v1').optional(),
  model_family: text(
    'Known model whose behaviour applies, if the model’s name does not show its family',
  ).optional(),
  effort: z.enum(EFFORTS).describe('Thinking effort of the model').optional(),
  thinking_budget: count(
    'Thinking budget (tokens), for models that accept a number; 0 = off',
    0,
    1_000_000,
  ).optional(),
  max_output_tokens: count('Longest answer (tokens), thinking included', 1, 1_000_000).optional(),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .describe('Sampling temperature; not sent to thinking models')
    .optional(),
  headers: z
    .record(headerName, z.string().regex(/^[\x20-\x7e]*$/, 'expected one line of ASCII text'))
    .describe(
      'Headers to send with every request; variables of the LLM service’s environment are written as in a shell, in braces',
    )
    .prefault({}),
};

/** Keys that only some provider types accept. */
const KEYS_OF_TYPES: readonly (readonly [
  key: 'credentials_env' | 'project_env' | 'location_env' | 'api' | 'api_version',
  types: readonly LlmProviderType[],
])[] = [
  ['credentials_env', ['vertexai']],
  ['project_env', ['vertexai']],
  ['location_env', ['vertexai', 'bedrock']],
  ['api', ['openai', 'azure', 'xai']],
  ['api_version', ['azure']],
];

const providerKeys = z.strictObject({
  type: z.enum(LLM_PROVIDER_TYPES).describe('Type of the provider’s API'),
  model: text('Model name at the provider').optional(),
  api_key_env: envVariable(
    'Environment variable with the API key; default by type, none with base_url',
  ).optional(),
  credentials_env: envVariable(
    'Vertex AI: environment variable with the path of the credentials file',
  ).optional(),
  project_env: envVariable('Vertex AI: environment variable with the project').optional(),
  location_env: envVariable(
    'Vertex AI: environment variable with the location; Bedrock: with the region',
  ).optional(),
  base_url: httpUrl('Endpoint that replaces the provider’s own, such as a proxy').optional(),
  max_tool_result_tokens: count(
    'Longest tool result (tokens); longer ones are cut before they are sent',
    100,
    10_000_000,
  ).optional(),
  context_window: count(
    'Context window of the model (tokens); longer conversations are shortened. Default: from the catalogue of models, else by type',
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
  ).describe('LLM provider with a model'),
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
