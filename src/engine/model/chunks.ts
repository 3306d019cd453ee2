import { maskMessage } from '../../masking/messages.ts';
import type { CountedBudget } from '../store/stages-and-executions.ts';
import { LlmError } from './errors.ts';
import type {
  GenerateResponse,
  GroundingChunkInfo,
  GroundingSupport,
  LeftOutTool,
  UsageInfo,
  Waiting,
} from './gen/llm_service.ts';

/** A passage of the answer and the sources (indices into `sources`) that support it. */
type Support = Omit<GroundingSupport, 'groundingChunkIndices'> & { sourceIndices: number[] };

/** A tool that the service could not offer to the model; `name` is canonical, the reason the service's own words. */
export type UnofferedTool = LeftOutTool;

/** A piece of a model's response, in the order in which the model made it. */
export type LlmChunk =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  /** A whole call; `name` is canonical (`server.tool`), `arguments` a JSON object as text, not yet checked. */
  | { kind: 'toolCall'; id: string; name: string; arguments: string }
  /** Tokens; `totalTokens` is what the provider bills, thinking included. `costUsd`: null = no price is known. */
  | ({ kind: 'usage'; costUsd?: number | null; budgets?: readonly CountedBudget[] } & UsageInfo)
  /** Nothing comes for now: before another attempt, with the failure's code, or because the provider is at work. */
  | ({ kind: 'waiting' } & Waiting)
  /** The answer as its provider wants it back in the next turn, opaque. */
  | { kind: 'providerTurn'; data: Uint8Array }
  /** Tools of the request that the model was not offered. */
  | { kind: 'toolsLeftOut'; tools: UnofferedTool[] }
  /** Code that the provider ran, or its result: one of the two is empty. */
  | { kind: 'codeExecution'; code: string; result: string }
  /** Sources of the answer; with `searchQueries` from a web search, without from fetched pages. */
  | {
      kind: 'grounding';
      searchQueries: string[];
      sources: GroundingChunkInfo[];
      supports: Support[];
      searchEntryPointHtml: string;
    };

/**
 * The chunk in a message of the wire; null when it carries nothing to hand on.
 * @throws LlmError the service's own error, or invalid_response
 */
export function chunkFromWire(message: GenerateResponse): LlmChunk | null {
  const { text, thinking, toolCall, usage, toolsLeftOut, waiting, codeExecution, grounding, error } = message;
  if (text) return text.content === '' ? null : { kind: 'text', text: text.content };
  if (thinking) return thinking.content === '' ? null : { kind: 'thinking', text: thinking.content };
  if (toolCall) {
    const { callId, name, arguments: args } = toolCall;
    if (callId === '' || name === '') {
      throw new LlmError('invalid_response', 'The LLM service sent a tool call without id or name', false);
    }
    return { kind: 'toolCall', id: callId, name, arguments: args };
  }
  if (usage) return { kind: 'usage', ...usage };
  if (toolsLeftOut) return toolsLeftOut.tools.length === 0 ? null : { kind: 'toolsLeftOut', ...toolsLeftOut };
  if (waiting) return { kind: 'waiting', ...waiting, reason: withoutSecrets(waiting.reason) };
  if (message.providerTurn) {
    const { data } = message.providerTurn;
    return data.length === 0 ? null : { kind: 'providerTurn', data };
  }
  if (codeExecution) {
    const { code, result } = codeExecution;
    return code === '' && result === '' ? null : { kind: 'codeExecution', code, result };
  }
  if (grounding) {
    return {
      kind: 'grounding',
      searchQueries: grounding.webSearchQueries,
      sources: grounding.groundingChunks,
      supports: grounding.groundingSupports.map(({ groundingChunkIndices, ...support }) => ({
        ...support,
        sourceIndices: groundingChunkIndices,
      })),
      searchEntryPointHtml: grounding.searchEntryPointHtml,
    };
  }
  if (error) {
    throw new LlmError(
      error.code || 'unknown',
      withoutSecrets(error.message) || 'The LLM service gave no reason',
      error.retryable,
      { retryAfterMs: error.retryAfterSeconds * 1000, httpStatus: error.httpStatus },
    );
  }
  return null; // the bare final message, or a kind that this version does not know
}

/** Providers quote what they refuse, an API key among others. */
function withoutSecrets(message: string): string {
  try {
    return maskMessage(message);
  } catch {
    return 'The reason is withheld, because masking it failed';
  }
}
