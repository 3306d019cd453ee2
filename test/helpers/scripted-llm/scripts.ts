import type { GenerateRequest } from '../../../src/engine/model/gen/llm_service.ts';
import type { ScriptedResponse } from './steps.ts';

/**
 * Selects the calls of a script: a text in a system message (such as an agent's name), or a predicate on the
 * request.
 */
export type Match = string | RegExp | ((request: GenerateRequest) => boolean);

interface Route {
  match: Match;
  responses: ScriptedResponse[];
}

/** The scripts that are still to be played. */
export interface Scripts {
  script(...responses: ScriptedResponse[]): void;
  route(match: Match, ...responses: ScriptedResponse[]): void;
  otherwise(response: ScriptedResponse): void;
  /** Removes and returns the response for a request. `null` if no script matches. */
  take(request: GenerateRequest): ScriptedResponse | null;
  /** Returns one line for each script with unused responses. */
  unused(): string[];
}

export function createScripts(): Scripts {
  const queue: ScriptedResponse[] = [];
  const routes: Route[] = [];
  let fallback: ScriptedResponse | null = null;
  return {
    script: (...responses) => void queue.push(...responses),
    route: (match, ...responses) => void routes.push({ match, responses }),
    otherwise(response) {
      fallback = response;
    },
    take(request) {
      const route = routes.find(({ match, responses }) => responses.length > 0 && matches(match, request));
      return route?.responses.shift() ?? queue.shift() ?? fallback;
    },
    unused() {
      const lines = routes
        .filter(({ responses }) => responses.length > 0)
        .map(({ match, responses }) => `${responses.length} of the route ${String(match)}`);
      return queue.length === 0 ? lines : [...lines, `${queue.length} of the sequence`];
    },
  };
}

function matches(match: Match, request: GenerateRequest): boolean {
  if (typeof match === 'function') return match(request);
  const prompt = systemPrompt(request);
  return typeof match === 'string' ? prompt.includes(match) : match.test(prompt);
}

/** Joins the system messages of a request into one text. */
export function systemPrompt(request: GenerateRequest): string {
  return request.messages
    .filter((message) => message.role === 'system')
    .map((message) => message.content)
    .join('\n');
}
