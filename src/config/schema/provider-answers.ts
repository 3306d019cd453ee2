import { z } from 'zod';
import { EFFORTS, type LlmProviderType } from '../enums.ts';
import { count, text } from './common.ts';

/** How a provider's model is to answer; what is not said is left to the model's family, which the LLM service knows. */
export const answerKeys = {
  api: z
    .enum(['responses', 'chat'])
    .describe('Which of OpenAI’s APIs; default: responses, with base_url chat')
    .optional(),
  api_version: text('Azure: version of the deployment’s API; without it /openai/v1').optional(),
  model_family: text('Known model that the model is treated as, where its name does not tell').optional(),
  effort: z.enum(EFFORTS).describe('How much the model is to think').optional(),
  thinking_budget: count(
    'Tokens for thinking, for models that take a number; 0 = off',
    0,
    1_000_000,
  ).optional(),
  max_output_tokens: count('Tokens of one answer, thinking included', 1, 1_000_000).optional(),
  temperature: z.number().min(0).max(2).describe('Not sent to a model that thinks').optional(),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of an HTTP header'),
      z.string().regex(/^[\x20-\x7e]*$/, 'expected one line of ASCII text'),
    )
    .describe('Headers of every request; variables of the LLM service’s environment as in a shell, in braces')
    .prefault({}),
};

/** Keys that only some types know. */
export const KEYS_OF_TYPES: readonly (readonly [
  key: 'credentials_env' | 'project_env' | 'location_env' | 'api' | 'api_version',
  types: readonly LlmProviderType[],
])[] = [
  ['credentials_env', ['vertexai']],
  ['project_env', ['vertexai']],
  ['location_env', ['vertexai', 'bedrock']],
  ['api', ['openai', 'azure', 'xai']],
  ['api_version', ['azure']],
];
