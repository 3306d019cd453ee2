import { stringify } from 'yaml';

/** Where a model is served. */
export interface ModelAddress {
  /** With `/v1`, without a slash at its end. */
  readonly baseUrl: string;
  readonly model: string;
}

/** Name of the provider in what we print and test. */
export const PROVIDER = 'local';

/** Tokens of the model's context, and those that a tool's result is cut to. */
const CONTEXT_WINDOW = 8192;
const MAX_TOOL_RESULT_TOKENS = 1500;

/** `llm-providers.yaml` that points TARSy at the model. */
export function providersFile({ baseUrl, model }: ModelAddress): string {
  const local = {
    type: 'openai',
    model,
    base_url: baseUrl,
    context_window: CONTEXT_WINDOW,
    max_tool_result_tokens: MAX_TOOL_RESULT_TOKENS,
  };
  return stringify({ llm_providers: { [PROVIDER]: local } });
}

/** The part of `tarsy.yaml` that makes every agent use it, with few turns, because each takes its time. */
export function defaultsFile(
  strategy: string,
  defaults: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): string {
  const own = { llm_provider: PROVIDER, iteration_strategy: strategy, max_iterations: 2 };
  return stringify({ defaults: { ...own, ...defaults }, ...more });
}
