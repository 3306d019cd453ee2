import { maskMessage } from '../../masking/messages.ts';
import { LlmError } from './errors.ts';
import type { GenerateResponse } from './gen/llm_service.ts';

/** A web page that an answer rests on. */
export interface GroundingSource {
  uri: string;
  title: string;
}

/** A passage of the answer and the sources (indices into `sources`) that support it. */
export interface GroundingSupport {
  startIndex: number;
  endIndex: number;
  text: string;
  sourceIndices: number[];
}

/** A tool that the service could not offer to the model; `name` is canonical, the reason the service's own words. */
export interface UnofferedTool {
  name: string;
  reason: string;
}

/** A piece of a model's response, in the order in which the model made it. */
export type LlmChunk =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  /** A whole call; `name` is canonical (`server.tool`), `arguments` a JSON object as text, not yet checked. */
  | { kind: 'toolCall'; id: string; name: string; arguments: string }
  /** Tokens; `totalTokens` is what the provider bills, thinking included. */
  | {
      kind: 'usage';
      inputTokens: number;
      outputTokens: number;
      totalTokens: number;
      thinkingTokens: number;
      /** Of the input tokens, what the provider's cache was read or written for. */
      cachedInputTokens: number;
      cacheWriteTokens: number;
    }
  /** Nothing comes for now: before another attempt, with the failure's code, or because the provider is at work. */
  | { kind: 'waiting'; reason: string; code: string; seconds: number }
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
      sources: GroundingSource[];
      supports: GroundingSupport[];
      searchEntryPointHtml: string;
    };

/**
 * The chunk in a message of the wire; null when it carries nothing to hand on.
 * @throws LlmError the service's own error, or invalid_response
 */
export function chunkFromWire(message: GenerateResponse): LlmChunk | null {
  const { content } = message;
  switch (content?.$case) {
    case undefined: // the bare final message, or a kind that this version does not know
      return null;
    case 'text':
      return content.value.content === '' ? null : { kind: 'text', text: content.value.content };
    case 'thinking':
      return content.value.content === '' ? null : { kind: 'thinking', text: content.value.content };
    case 'toolCall': {
      const { callId, name, arguments: args } = content.value;
      if (callId === '' || name === '') {
        throw new LlmError('invalid_response', 'The LLM service sent a tool call without id or name', false);
      }
      return { kind: 'toolCall', id: callId, name, arguments: args };
    }
    case 'usage':
      return { kind: 'usage', ...content.value };
    case 'toolsLeftOut':
      return content.value.tools.length === 0 ? null : { kind: 'toolsLeftOut', tools: content.value.tools };
    case 'waiting':
      return { kind: 'waiting', ...content.value, reason: withoutSecrets(content.value.reason) };
    case 'providerTurn':
      return content.value.data.length === 0 ? null : { kind: 'providerTurn', data: content.value.data };
    case 'codeExecution':
      if (content.value.code === '' && content.value.result === '') return null;
      return { kind: 'codeExecution', ...content.value };
    case 'grounding':
      return {
        kind: 'grounding',
        searchQueries: content.value.webSearchQueries,
        sources: content.value.groundingChunks,
        supports: content.value.groundingSupports.map(({ groundingChunkIndices, ...support }) => ({
          ...support,
          sourceIndices: groundingChunkIndices,
        })),
        searchEntryPointHtml: content.value.searchEntryPointHtml,
      };
    case 'error': {
      const { code, message: text, retryable, retryAfterSeconds } = content.value;
      const message = withoutSecrets(text) || 'The LLM service gave no reason';
      throw new LlmError(code || 'unknown', message, retryable, { retryAfterMs: retryAfterSeconds * 1000 });
    }
  }
}

/** Providers quote what they refuse, an API key among others. */
function withoutSecrets(message: string): string {
  try {
    return maskMessage(message);
  } catch {
    return 'The reason is withheld, because masking it failed';
  }
}
