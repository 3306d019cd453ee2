import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED } from './api.ts';
import type { TestApp } from './app.ts';
import type { ScriptedResponse } from './scripted-llm/index.ts';

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

/** Returns a condition for requests to a model. */
export const of = (model: string) => (request: GenerateRequest) => request.llmConfig?.model === model;
/** Returns the setting with these fallback providers. */
export const lists = (...names: string[]) => ({
  fallback_providers: names.map((provider) => ({ provider })),
});
/** Returns the response of a provider that fails with this code. */
export const fails = (code: string, retryAfterSeconds = 0): ScriptedResponse => ({
  error: { code, message: `it says ${code}`, retryable: true, retryAfterSeconds },
});

/** Investigates a text to its end. */
export async function investigate({ url }: TestApp, text = 'Disk trouble') {
  const api = apiClient(url);
  const id = await api.submit(text);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session } = await api.query<{ session: FallbackState }>(FALLBACK_QUERY, { id });
  const items = (type: string) => session.timeline.filter((item) => item.type === type);
  return { session, items, execution: session.stages[0]!.executions[0]! };
}
