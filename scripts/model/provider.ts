import { stringify } from 'yaml';

/** A model served locally. */
export interface ModelAddress {
  /** Address of the API; ends with `/v1`, without a slash behind it. */
  readonly baseUrl: string;
  readonly model: string;
}

/** Name of the provider entry for the local model. */
export const PROVIDER = 'local';

/** Context window of the local model (tokens). */
const CONTEXT_WINDOW = 8192;
const MAX_TOOL_RESULT_TOKENS = 1500;

/** Returns an `llm-providers.yaml` for the model. */
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

/** Returns a `tarsy.yaml` that makes every agent use the local model, with few iterations because each is slow. */
export function defaultsFile(
  strategy: string,
  defaults: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): string {
  const own = { llm_provider: PROVIDER, iteration_strategy: strategy, max_iterations: 2 };
  return stringify({ defaults: { ...own, ...defaults }, ...more });
}
