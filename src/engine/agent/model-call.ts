import type { LlmInteractionType } from '../../db/enums.ts';
import type { UnofferedTool } from '../llm/chunks.ts';
import type { LlmClient, LlmSettings, LlmTool } from '../llm/client.ts';
import { collectStream, type LlmResponse } from '../llm/collect.ts';
import type { LlmOutages } from '../llm/outages.ts';
import type { PromptWindow } from '../llm/window.ts';
import type { Fitted, Shortened } from '../prompts/fit.ts';
import { BreakOffError } from '../run/break-off.ts';
import { statusOfFailure } from './abort.ts';
import { createLoopDetector } from './loop-detector.ts';
import { describeError, ModelCallError } from './model-failure.ts';
import { codeExecutionEvent, groundingEvent } from './native-tools.ts';
import type { NewMessage, Usage } from './records.ts';
import { throughOutage } from './through-outage.ts';
import type { TimeLimit } from './time-limit.ts';
import type { OpenItem, Transcript } from './transcript.ts';

/** What one call of the model needs, besides the conversation. */
export interface ModelCall {
  client: LlmClient;
  llm: LlmSettings;
  sessionId: string;
  executionId: string;
  messages: readonly NewMessage[];
  tools: readonly LlmTool[];
  /** Named in text instead; see LlmRequest. */
  reactTools?: readonly LlmTool[];
  type: LlmInteractionType;
  iteration: number | null;
  /** The time that the call, and what follows from it, may take; it does not run while the model is waited for. */
  limit: TimeLimit;
  outages: LlmOutages;
  /** Milliseconds that the call waits for a model that cannot be had. */
  outageMs: number;
  /** Shortens the conversation to what the model can read. */
  window: PromptWindow;
  /** Makes what the text goes into in the timeline, for each attempt; default: one LLM_RESPONSE. */
  text?: () => TextItems;
  /** What the trace keeps of the text; default: all of it. */
  kept?: (text: string) => string;
}

/** The timeline items of a response's text. */
export interface TextItems {
  write(delta: string): Promise<void>;
  /** The response is complete. */
  end(): Promise<void>;
  /** The response broke off: ends what is open. */
  abandon(end: ItemEnd): Promise<void>;
  /** The item that the caller ends, because only the caller knows what the text is; null = none. */
  openItem(): OpenItem | null;
}

type ItemEnd = Parameters<OpenItem['close']>[0];

export interface ModelAnswer extends LlmResponse {
  /** The timeline item of the text, still open: the caller knows what the text is. Null without text. */
  textItem: OpenItem | null;
}

/**
 * Calls the model and streams its thinking and text into the timeline as they come; records the interaction. A
 * conversation that the provider finds too long is shortened and sent once more; a model that cannot be had is waited for.
 * @throws ModelCallError when the call fails; the abort signal's reason is its cause when that is why
 * @throws LeaseLostError
 */
export function callModel(transcript: Transcript, call: ModelCall): Promise<ModelAnswer> {
  const { provider } = call.llm;
  return throughOutage(transcript, { ...call, provider }, () => callOnce(transcript, call));
}

function callOnce(transcript: Transcript, call: ModelCall): Promise<ModelAnswer> {
  return call.window.within(
    call,
    (fitted) => attempt(transcript, call, fitted),
    async ({ shortened }, error) => {
      const content = `${describeError(error)}. The call is made once more with a shorter conversation.`;
      const metadata = { iteration: call.iteration, shortened };
      await transcript.addEvent({ type: 'ERROR', content, metadata });
    },
  );
}

async function attempt(
  transcript: Transcript,
  call: ModelCall,
  { messages, shortened }: Fitted<NewMessage>,
): Promise<ModelAnswer> {
  const startedAt = performance.now();
  const textItems = call.text?.() ?? createTextItem(transcript);
  const items = createResponseItems(transcript, textItems);
  const wait = createWaitItem(transcript, call.iteration);
  const record = (response: Partial<LlmResponse>, error: unknown) =>
    transcript.recordLlm({
      type: call.type,
      iteration: call.iteration,
      provider: call.llm.provider,
      modelName: call.llm.model,
      request: describeRequest(call, shortened),
      response: describeResponse(response, transcript, call.kept),
      thinking: response.thinking || null,
      usage: usageOf(response),
      durationMs: performance.now() - startedAt,
      errorMessage: error === null ? null : describeError(error),
    });

  try {
    const { client, llm, sessionId, executionId, tools, reactTools, iteration } = call;
    const { signal } = call.limit;
    const purpose = call.type;
    const request = { sessionId, executionId, messages, llm, tools, reactTools, iteration, purpose };
    const chunks = client.generate(request, { signal });
    const response = await collectStream(chunks, {
      onWaiting: wait.tell,
      onThinking: async (delta) => {
        await wait.end('COMPLETED');
        await items.think(delta);
      },
      onText: async (delta) => {
        await wait.end('COMPLETED');
        await items.write(delta);
      },
      onCodeExecution: async (execution) => void (await transcript.addEvent(codeExecutionEvent(execution))),
      onToolsLeftOut: (tools) => tellUnoffered(transcript, tools),
      onGrounding: async (grounding) => {
        const event = groundingEvent(grounding);
        if (event) await transcript.addEvent(event);
      },
    });
    await wait.end('COMPLETED');
    await items.closeThinking('COMPLETED');
    await textItems.end();
    await record(response, null);
    return { ...response, textItem: textItems.openItem() };
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    const partial = items.partial();
    const status = statusOfFailure(call.limit.signal.aborted ? call.limit.signal.reason : error);
    await wait.end(status);
    await items.abandon(status);
    await record(partial, error);
    throw new ModelCallError(error, partial.text);
  }
}

/** Tells people once for each tool; the model is told by the service, in each call. */
async function tellUnoffered(transcript: Transcript, tools: readonly UnofferedTool[]): Promise<void> {
  const unoffered = tools.filter(({ name }) => !transcript.unoffered.has(name));
  if (unoffered.length === 0) return;
  for (const { name } of unoffered) transcript.unoffered.add(name);
  const lines = unoffered.map(({ name, reason }) => `- ${name}: ${reason}`);
  const content = `Tools that could not be offered to the model:\n${lines.join('\n')}`;
  await transcript.addEvent({ type: 'ERROR', content, metadata: { unoffered } });
}

/** The text of a response as it is: one item. */
function createTextItem(transcript: Transcript): TextItems {
  let item: OpenItem | null = null;
  return {
    async write(delta) {
      item ??= await transcript.openItem('LLM_RESPONSE');
      await item.append(delta);
    },
    end: async () => {},
    abandon: async (end) => void (await item?.close(end)),
    openItem: () => item,
  };
}

/** Tells people of what the service tries again by itself, and why. */
function createWaitItem(transcript: Transcript, iteration: number | null) {
  let item: OpenItem | null = null;
  return {
    async tell({ reason, code, seconds }: { reason: string; code: string; seconds: number }): Promise<void> {
      if (code === '') return; // the provider is at work
      item ??= await transcript.openItem('ERROR', { waiting: true, iteration });
      await item.append(`${reason} Tried again in ${Math.max(1, Math.round(seconds))} s.\n`);
    },
    async end(status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'): Promise<void> {
      const open = item;
      item = null;
      await open?.close({ status });
    },
  };
}

/** The timeline items of one response: thoughts as often as they come, then its text. */
function createResponseItems(transcript: Transcript, textItems: TextItems) {
  let thought: OpenItem | null = null;
  const thoughtLoop = createLoopDetector();
  const textLoop = createLoopDetector();
  let thinking = '';
  let text = '';

  async function closeThinking(status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'): Promise<void> {
    const open = thought;
    thought = null;
    await open?.close({ status, ...interruptedUnless(status) });
  }

  return {
    async think(delta: string): Promise<void> {
      thinking += delta;
      thought ??= await transcript.openItem('LLM_THINKING', { source: 'native' });
      await thought.append(delta);
      thoughtLoop.add(delta);
    },
    async write(delta: string): Promise<void> {
      text += delta;
      await closeThinking('COMPLETED');
      await textItems.write(delta);
      textLoop.add(delta);
    },
    closeThinking,
    async abandon(status: 'FAILED' | 'CANCELLED' | 'TIMED_OUT'): Promise<void> {
      await closeThinking(status);
      await textItems.abandon({ status, ...interruptedUnless(status) });
    },
    partial: () => ({ thinking, text }),
  };
}

function interruptedUnless(status: string): { metadata?: Record<string, unknown> } {
  return status === 'COMPLETED' ? {} : { metadata: { interrupted: true } };
}

/** The trace's view of a request: the conversation itself is in the messages, whole even where it was sent shortened. */
function describeRequest(call: ModelCall, shortened: Shortened | null): Record<string, unknown> {
  return {
    backend: call.llm.backend,
    model: call.llm.model,
    messageCount: call.messages.length,
    tools: call.tools.map(({ name }) => name),
    ...(shortened ? { shortened } : {}),
  };
}

function describeResponse(
  response: Partial<LlmResponse>,
  transcript: Transcript,
  kept: ModelCall['kept'] = (text) => text,
): Record<string, unknown> {
  return {
    text: kept(response.text ?? ''),
    toolCalls: transcript.kept(response.toolCalls ?? []),
    ...(response.codeExecutions?.length ? { codeExecutions: response.codeExecutions } : {}),
    ...(response.unoffered?.length ? { unoffered: response.unoffered } : {}),
    ...(response.groundings?.length ? { groundings: response.groundings } : {}),
  };
}

export function usageOf(response: Partial<LlmResponse>): Usage | null {
  if (!response.usage) return null;
  const { cachedInputTokens: cachedReadTokens, ...rest } = response.usage;
  return { ...rest, cachedReadTokens };
}
