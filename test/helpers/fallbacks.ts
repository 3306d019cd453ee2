interface Item {
  type: string;
  status: string;
  content: string;
  metadata: Record<string, unknown> | null;
}
/** The stored state of a session whose providers may have fallen back. */
export interface FallbackState {
  status: string;
  health: { fallbacks: number; whole: boolean };
  timeline: Item[];
  stages: {
    executions: {
      llmProvider: string;
      originalLlmProvider: string | null;
      modelName: string;
      messages: { role: string; content: string }[];
    }[];
  }[];
}
/** Query that reads a `FallbackState` by the session's id. */
export const FALLBACK_QUERY = `query ($id: ID!) { session(id: $id) { status health { fallbacks whole }
  timeline { type status content metadata }
  stages { executions { llmProvider originalLlmProvider modelName messages { role content } } } } }`;
