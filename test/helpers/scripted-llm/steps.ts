import type { status } from '@grpc/grpc-js';
import type {
  GenerateRequest,
  GenerateResponse,
  GroundingDelta,
  UsageInfo,
} from '../../../src/engine/model/gen/llm_service.ts';

/** A call that the server received. */
export interface ScriptedCall {
  /** 0-based, in order of arrival. */
  index: number;
  request: GenerateRequest;
  /** W3C trace context of the caller; `null` if it sent none. */
  traceparent: string | null;
  /** Aborts when the caller cancels or disconnects. */
  signal: AbortSignal;
  /** The number of messages that the transport has accepted. Stops growing while the caller does not read. */
  sent: number;
  /** How the call ended: played to its end, cancelled by the caller, or failed as scripted. */
  ended: Promise<'completed' | 'cancelled' | 'failed'>;
}

/**
 * One step of a scripted response. Steps run in order. `error`, `status`, `breakOff` and `hang` end the
 * response.
 */
export type Step =
  /** Text or thinking. A list is streamed with one chunk per entry. */
  | { text: string | readonly string[] }
  | { thinking: string | readonly string[] }
  /** A tool call. Without `id`, the id is unique on this server. */
  | { toolCall: { id?: string; name: string; arguments: Record<string, unknown> | string } }
  /** Tools that the provider refused, so that the service left them out. */
  | { toolsLeftOut: readonly { name: string; reason: string }[] }
  /**
   * Reports that the service waits before the answer: after a failure with this code, or because the provider
   * is working.
   */
  | { waiting: { reason: string; code?: string; seconds?: number } }
  /** Opaque data of the provider, which the engine must send back in the next turn. */
  | { providerTurn: string }
  | { codeExecution: { code?: string; result?: string } }
  | { grounding: Partial<GroundingDelta> }
  /**
   * Sends this usage, or none if `null`. A complete response without such a step sends 10 input, 5 output and
   * 15 total tokens at its end.
   */
  | { usage: ScriptedUsage | null }
  /** Any message, final or not. */
  | { message: GenerateResponse }
  /**
   * Waits until the test opens the gate: `await llm.reached(name)`, then `llm.open(name)`. With `mutterMs`,
   * streams a word of thinking at that interval (ms), so that callers do not time out on silence.
   */
  | { gate: string; mutterMs?: number }
  /** Delay before the next step (ms). */
  | { waitMs: number }
  /** A provider error as the service reports it (default: not retryable). */
  | { error: { code: string; message?: string; retryable?: boolean; retryAfterSeconds?: number } }
  /** The RPC fails with this gRPC status. */
  | { status: status; details?: string }
  /**
   * 'stream' ends the stream without a final message. 'connection' cuts the TCP connection at once: put a
   * gate before this step if the caller must first read the earlier messages.
   */
  | { breakOff: 'stream' | 'connection' }
  /** Sends nothing more until the caller cancels. */
  | { hang: true };

/** Numbers of tokens. `cachedRead` and `cacheWrite` are part of `input`. */
export interface ScriptedUsage {
  input: number;
  output: number;
  total?: number;
  thinking?: number;
  cachedRead?: number;
  cacheWrite?: number;
}

/** A response: steps, or a function that builds them from the live request. */
export type ScriptedResponse =
  | Step
  | readonly Step[]
  | ((request: GenerateRequest, call: ScriptedCall) => Step | readonly Step[]);

/** A tool call as a step; `name` is canonical (`server.tool`). */
export function toolCall(name: string, args: Record<string, unknown> = {}, id?: string): Step {
  return { toolCall: { name, arguments: args, ...(id === undefined ? {} : { id }) } };
}

/** Returns the messages that a step sends. `null` for a step that sends none. */
export function stepMessages(step: Step, newCallId: () => string): GenerateResponse[] | null {
  if ('message' in step) return [step.message];
  return (
    stepContents(step, newCallId)?.map((content) => ({ ...content, isFinal: 'error' in content })) ?? null
  );
}

function stepContents(step: Step, newCallId: () => string): Omit<GenerateResponse, 'isFinal'>[] | null {
  if ('text' in step) return pieces(step.text).map((content) => ({ text: { content } }));
  if ('thinking' in step) return pieces(step.thinking).map((content) => ({ thinking: { content } }));
  if ('toolCall' in step) {
    const { id, name, arguments: args } = step.toolCall;
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    return [{ toolCall: { callId: id ?? newCallId(), name, arguments: text } }];
  }
  if ('toolsLeftOut' in step) return [{ toolsLeftOut: { tools: [...step.toolsLeftOut] } }];
  if ('codeExecution' in step) return [{ codeExecution: { code: '', result: '', ...step.codeExecution } }];
  if ('grounding' in step) return [{ grounding: { ...EMPTY_GROUNDING, ...step.grounding } }];
  if ('usage' in step) return step.usage === null ? [] : [{ usage: usage(step.usage) }];
  if ('error' in step) {
    const { code, message = `scripted error ${code}`, retryable = false, retryAfterSeconds = 0 } = step.error;
    return [{ error: { code, message, retryable, httpStatus: 0, requestId: '', retryAfterSeconds } }];
  }
  if ('waiting' in step) return [{ waiting: { code: '', seconds: 0, ...step.waiting } }];
  if ('providerTurn' in step) return [{ providerTurn: { data: Buffer.from(step.providerTurn) } }];
  return null;
}

/** Builds the usage message. The total defaults to the sum. */
export function usage(tokens: ScriptedUsage): UsageInfo {
  const { input, output, thinking = 0, total = input + output + thinking } = tokens;
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: total,
    thinkingTokens: thinking,
    cachedInputTokens: tokens.cachedRead ?? 0,
    cacheWriteTokens: tokens.cacheWrite ?? 0,
  };
}

const EMPTY_GROUNDING: GroundingDelta = {
  webSearchQueries: [],
  groundingChunks: [],
  groundingSupports: [],
  searchEntryPointHtml: '',
};

function pieces(text: string | readonly string[]): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}
