import { stringify } from 'yaml';

/** Address of a served model. */
export interface ModelAddress {
  /** Ends with `/v1`, without a trailing slash. */
  readonly baseUrl: string;
  readonly model: string;
}

/** The provider's name in printed instructions and tests. */
export const PROVIDER = 'local';

/** Context window of the model, and the limit of a tool result (tokens). */
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

/** Returns the part of `tarsy.yaml` that makes every agent use the model, with few iterations because each is slow. */
export function defaultsFile(
  strategy: string,
  defaults: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): string {
  const own = { llm_provider: PROVIDER, iteration_strategy: strategy, max_iterations: 2 };
  return stringify({ defaults: { ...own, ...defaults }, ...more });
}
