import { truncate } from '../../common/truncate.ts';
import type { ResolvedLlm } from '../../config/resolve.ts';
import type { LlmInteractionType } from '../../db/enums.ts';
import { RunInterruptedError, statusOfFailure } from '../common/interruptions.ts';
import type { LlmInteractionRecord } from '../store/interactions.ts';
import type { OpenTimelineEvent } from '../store/journal.ts';
import type { Usage } from '../store/stages-and-executions.ts';
import { type ModelList, tryModels } from './availability/fallback.ts';
import type { LlmClient } from './client.ts';
import { collectStream, type LlmResponse } from './collect-stream.ts';
import { describeSent, type Fitted } from './context-window/fit.ts';
import { createPromptWindow } from './context-window/window.ts';
import { describeError } from './errors.ts';
import { createLoopDetector } from './loop-detector.ts';
import type { LlmMessage, LlmRequest } from './request.ts';
import { withoutNativeTools } from './settings.ts';

export type CallRequest = Omit<LlmRequest, 'messages' | 'purpose'> & { purpose: LlmInteractionType };

interface CallOutcome {
  request: Record<string, unknown>;
  response: Record<string, unknown>;
  /** All that arrived, also if the response was interrupted, because a partial response costs too. */
  arrived: Partial<Pick<LlmResponse, 'thinking' | 'usage'>>;
  /** Start of the call, by `performance.now()` (ms). */
  startedAt: number;
  /** `null` if the call succeeded. */
  error: unknown;
}

export function interactionOf(
  { llm, purpose, iteration = null }: Pick<CallRequest, 'llm' | 'purpose' | 'iteration'>,
  { request, response, arrived, startedAt, error }: CallOutcome,
): Omit<LlmInteractionRecord, 'lastMessageSequence'> {
  return {
    type: purpose,
    iteration,
    provider: llm.provider,
    modelName: llm.model,
    request: { backend: llm.backend, model: llm.model, ...request },
    response,
    thinking: arrived.thinking || null,
    usage: usageOf(arrived),
    durationMs: performance.now() - startedAt,
    errorMessage: error === null ? null : describeError(error),
  };
}

/** One model call outside an agent's conversation. */
export interface Completion {
  client: LlmClient;
  /**
   * The `executionId` differs from the agent's, because providers cache the agent's conversation under that
   * id.
   */
  request: CallRequest;
  messages: readonly LlmMessage[];
  /** If false, a prompt that is too long fails. Default: true, the prompt is shortened and sent again. */
  shortens?: boolean;
  signal: AbortSignal;
  stream?: TextStream;
  record(record: LlmInteractionRecord): Promise<void>;
  /** Returns what the trace shows of the request. Default: the messages as they were sent. */
  traceRequest?(sent: Fitted<LlmMessage>): Record<string, unknown>;
  /** Returns what the trace shows of the answer. Default: the text, and the thinking as it arrived. */
  traceAnswer?(answer: Answer): Pick<LlmInteractionRecord, 'response'> & { thinking?: string | null };
}

export interface TextStream {
  /** Open timeline item, which the completion closes. */
  item: OpenTimelineEvent;
  /** Maximum length of the text (UTF-16 code units). The rest of the stream is not read. */
  maxUnits: number;
}

export type Answer = Pick<LlmResponse, 'text' | 'thinking' | 'usage' | 'toolCalls' | 'providerTurn'>;

class FullError extends Error {}

/**
 * Makes one model call and records it, also if it fails, because a failed call costs too.
 * @throws what the call throws; an interruption of the run is not recorded
 */
export async function completeOnce(completion: Completion): Promise<Answer> {
  const { client, request, messages, shortens = true, signal, stream } = completion;
  const { traceRequest = describeSent, traceAnswer = ({ text }) => ({ response: { text } }) } = completion;
  const startedAt = performance.now();
  const arrived: Answer = { text: '', thinking: '', usage: null, toolCalls: [], providerTurn: null };
  const write = stream && textWriter(stream);
  let sent: Fitted<LlmMessage> = { messages, shortened: null, weight: 0 };

  function send(fitted: Fitted<LlmMessage>): Promise<Answer> {
    sent = fitted;
    return collectStream(client.generate({ ...request, messages: fitted.messages }, { signal }), {
      onThinking(delta) {
        arrived.thinking += delta;
      },
      onText(delta) {
        arrived.text += delta;
        return write?.(delta);
      },
      onUsage(usage) {
        arrived.usage = usage;
      },
    });
  }

  const record = (answer: Answer, error: unknown) => {
    const outcome = { request: traceRequest(sent), response: {}, arrived: answer, startedAt, error };
    const interaction = { ...interactionOf(request, outcome), ...traceAnswer(answer) };
    return completion.record({ ...interaction, lastMessageSequence: null });
  };

  let answer: Answer;
  let cut: { content: string } | null = null;
  try {
    signal.throwIfAborted();
    answer = shortens
      ? await createPromptWindow(request.llm).within({ messages, tools: request.tools }, send)
      : await send(sent);
    if (stream && answer.text.trim() === '') throw new Error('The model gave an empty summary.');
  } catch (error) {
    if (error instanceof RunInterruptedError) throw error;
    if (error instanceof FullError) {
      answer = arrived;
      cut = { content: truncate(arrived.text, stream!.maxUnits) };
    } else {
      const reason: unknown = signal.aborted ? signal.reason : error;
      const metadata = { interrupted: true, error: describeError(reason) };
      await stream?.item.close({ status: statusOfFailure(reason), metadata });
      await record(arrived, reason);
      throw error;
    }
  }
  const text = await stream?.item.close({ status: 'COMPLETED', ...cut });
  await record(answer, null);
  return { ...answer, text: text ?? answer.text };
}

/**
 * Returns a function that appends pieces of text to the item. The function throws FullError beyond
 * `maxUnits`, and LoopDetectedError if the text repeats itself.
 */
function textWriter({ item, maxUnits }: TextStream): (delta: string) => Promise<void> {
  const loop = createLoopDetector();
  let units = 0;
  return async (delta) => {
    await item.append(delta);
    loop.add(delta);
    units += delta.length;
    if (units > maxUnits) throw new FullError();
  };
}

/** A text that a model writes beside an agent's conversation, streamed into a timeline item of its own. */
export interface TextRequest extends ModelList, Pick<Completion, 'client' | 'record' | 'traceRequest'> {
  request: Omit<CallRequest, 'llm' | 'tools'>;
  prompt: { system: string; user: string };
  /** Maximum length of the text (UTF-16 code units). Default: no limit. */
  maxUnits?: number;
  openTimelineEvent(model: ResolvedLlm): Promise<OpenTimelineEvent>;
}

/** Has the first available model write a text. Returns the reason if no model does. @throws RunInterruptedError */
export function writeText({
  request,
  prompt,
  maxUnits = Number.POSITIVE_INFINITY,
  openTimelineEvent,
  ...options
}: TextRequest): Promise<{ text: string } | { failure: string }> {
  const { signal } = options;
  const messages: LlmMessage[] = [
    { role: 'SYSTEM', content: prompt.system },
    { role: 'USER', content: prompt.user },
  ];
  return tryModels(options, async (model) => {
    const stream = { item: await openTimelineEvent(model), maxUnits };
    const llm = withoutNativeTools(model);
    try {
      const completion = { ...options, request: { ...request, llm, tools: [] }, messages, stream };
      return { text: (await completeOnce(completion)).text };
    } catch (error) {
      if (error instanceof RunInterruptedError) throw error;
      return { error, failure: describeError(signal.aborted ? signal.reason : error) };
    }
  });
}

/** Converts the usage of a response to its stored form; `null` if the provider reported no usage. */
function usageOf(response: Partial<LlmResponse>): Usage | null {
  if (!response.usage) return null;
  const { cachedInputTokens: cachedReadTokens, costUsd = null, ...rest } = response.usage;
  return { ...rest, cachedReadTokens, costUsd };
}
