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

/** A passage of the answer, and the indices into `sources` that support it. */
type Support = Omit<GroundingSupport, 'groundingChunkIndices'> & { sourceIndices: number[] };

/** A tool that the LLM service could not offer to the model, by its canonical name, with the reason. */
export type UnofferedTool = LeftOutTool;

/** A piece of a model's response, in the model's order. */
export type LlmChunk =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  /** All text so far was thinking. */
  | { kind: 'textWasThinking' }
  /** A whole tool call. `name` is canonical (`server.tool`), `arguments` a JSON object as text, or what the model wrote. */
  | { kind: 'toolCall'; id: string; name: string; arguments: string }
  /** Token counts. `totalTokens`: billed tokens, with thinking. `costUsd`: `null` if the price is unknown. */
  | ({ kind: 'usage'; costUsd?: number | null; budgets?: readonly CountedBudget[] } & UsageInfo)
  /**
   * Tells before the answer that the call is alive: the LLM service pauses before a retry, or (`code` '') the
   * provider still works.
   */
  | ({ kind: 'waiting' } & Waiting)
  /** Opaque data that the provider expects back, together with this answer, in the next turn. */
  | { kind: 'providerTurn'; data: Uint8Array }
  | { kind: 'toolsLeftOut'; tools: UnofferedTool[] }
  /** Code that the provider ran, or its result. One of the two is empty. */
  | { kind: 'codeExecution'; code: string; result: string }
  /** Sources of the answer: of a web search if there are `searchQueries`, otherwise fetched pages. */
  | {
      kind: 'grounding';
      searchQueries: string[];
      sources: GroundingChunkInfo[];
      supports: Support[];
      searchEntryPointHtml: string;
    };

/**
 * Returns the chunk of a wire message; `null` if the message is empty or of an unknown kind.
 * @throws LlmError the error in the message, or invalid_response
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
  if (message.textWasThinking) return { kind: 'textWasThinking' };
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
  return null; // the empty final message, or a kind that this version does not know
}

/** Masks a message, because providers quote what they reject, for example an API key. */
function withoutSecrets(message: string): string {
  try {
    return maskMessage(message);
  } catch {
    return 'The reason is withheld, because masking it failed';
  }
}
