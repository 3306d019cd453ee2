import { z } from 'zod';
import { EFFORTS, LLM_PROVIDER_TYPES, type LlmProviderType } from '../enums.ts';
import { MAX_TOOL_RESULT_TOKENS } from '../models.ts';
import { NO_NATIVE_TOOLS, nativeTools } from './agents.ts';
import { count, envVariable, headerName, httpUrl, matching, text } from './common.ts';
import { settings } from './settings.ts';

/** Usual environment variables of the API key, by provider type. */
const API_KEY_VARIABLES: Partial<Record<LlmProviderType, string>> = {
  google: 'GOOGLE_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  xai: 'XAI_API_KEY',
};

const LOCATION_VARIABLES: Partial<Record<LlmProviderType, string>> = {
  vertexai: 'GOOGLE_CLOUD_LOCATION',
  bedrock: 'AWS_REGION',
};

// Optional keys about a model's answers. If one is not set, the LLM service uses the default of the model's family.
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
  thinking_budget: count(0, 1_000_000)
    .describe('Thinking budget (tokens), for models that accept a number; 0 = off')
    .optional(),
  max_output_tokens: count(1, 1_000_000).describe('Longest answer (tokens), thinking included').optional(),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .describe('Sampling temperature; not sent to thinking models')
    .optional(),
  headers: z
    .record(headerName, matching(/^[\x20-\x7e]*$/, 'expected one line of ASCII text'))
    .describe(
      'Headers to send with every request; variables of the LLM service’s environment are written as in a shell, in braces',
    )
    .prefault({}),
};

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
  max_tool_result_tokens: count(100, 10_000_000)
    .describe('Longest tool result (tokens); longer ones are cut before they are sent')
    .optional(),
  context_window: count(2000, 10_000_000)
    .describe(
      'Context window of the model (tokens); longer conversations are shortened. Default: from the catalogue of models, else by type',
    )
    .optional(),
  native_tools: nativeTools.prefault({}),
  ...answerKeys,
});

/** Returns a rule that only providers of these types accept `key`. */
const onlyFor = (key: keyof z.output<typeof providerKeys>, ...types: readonly LlmProviderType[]) =>
  [
    key,
    (written: Partial<z.output<typeof providerKeys>>) =>
      written.type !== undefined && !types.includes(written.type) && written[key] !== undefined
        ? `is for providers of type ${types.join(', ')}`
        : null,
  ] as const;

export const providerSchema = settings(
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
  onlyFor('credentials_env', 'vertexai'),
  onlyFor('project_env', 'vertexai'),
  onlyFor('location_env', 'vertexai', 'bedrock'),
  onlyFor('api', 'openai', 'azure', 'xai'),
  onlyFor('api_version', 'azure'),
)
  .describe('LLM provider with a model')
  .transform((provider) => {
    const { type, baseUrl } = provider;
    const vertex = type === 'vertexai';
    const customary = baseUrl === null ? API_KEY_VARIABLES[type] : undefined;
    return {
      ...provider,
      model: provider.model ?? type,
      apiKeyEnv: provider.apiKeyEnv ?? customary ?? null,
      credentialsEnv: provider.credentialsEnv ?? (vertex ? 'GOOGLE_APPLICATION_CREDENTIALS' : null),
      projectEnv: provider.projectEnv ?? (vertex ? 'GOOGLE_CLOUD_PROJECT' : null),
      locationEnv: provider.locationEnv ?? LOCATION_VARIABLES[type] ?? null,
      baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
      maxToolResultTokens: provider.maxToolResultTokens ?? MAX_TOOL_RESULT_TOKENS[type],
      nativeTools: { ...NO_NATIVE_TOOLS, ...provider.nativeTools },
    };
  });
