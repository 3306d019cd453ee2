import type { LlmInteractionType } from '../../../db/enums.ts';
import { BreakOffError, statusOfFailure } from '../../common/interruptions.ts';
import type { TimeLimit } from '../../common/time-limit.ts';
import type { UnofferedTool } from '../../model/chunks.ts';
import type { LlmSettings } from '../../model/client.ts';
import { collectStream, type LlmResponse } from '../../model/collect-stream.ts';
import type { Prepared } from '../../model/context-window/window.ts';
import { describeError, ModelCallError } from '../../model/errors.ts';
import { createLoopDetector } from '../../model/loop-detector.ts';
import { usageOf } from '../../model/usage.ts';
import type { Codec, RequestTools } from '../../run-context/codec.ts';
import type { OpenItem, Transcript } from '../../run-context/transcript.ts';
import type { AgentContext } from '../../run-context/types.ts';
import type { NewMessage } from '../../store/messages.ts';
import type { TimelineEventEnd } from '../../store/timeline.ts';
import { codeExecutionEvent, groundingEvent } from '../provider-tools.ts';
import { keptAsStored } from '../resume.ts';

/** What one call of the model needs, besides its conversation. */
export interface ModelCall {
  codec: Pick<Codec, 'gate' | 'traced'>;
  offered: RequestTools;
  type: LlmInteractionType;
  iteration: number;
  /** The time that the call, and what follows from it, may take; it does not run while the model is waited for. */
  limit: TimeLimit;
}

/** A complete answer; its text is as the database can hold it. */
export interface ModelAnswer extends LlmResponse {
  /** The timeline item of the text, still open: the caller knows what the text is. Null: nothing of it was shown. */
  item: OpenItem | null;
  /** What of the text was shown. */
  shown: string;
}

/**
 * Calls the model and streams its thinking and text into the timeline as they come; records the interaction. A
 * conversation that the provider finds too long is shortened and sent again.
 * @throws ModelCallError when the call fails; the abort signal's reason is its cause when that is why
 * @throws LeaseLostError
 */
export function callOnce(context: AgentContext, call: ModelCall): Promise<ModelAnswer> {
  const { transcript, window } = context;
  return window.within(
    { messages: [...transcript.messages], tools: call.offered.tools },
    (prepared) => attempt(context, call, prepared),
    async ({ shortened, evicted }, error) => {
      const content = `${describeError(error)}. The call is made once more with a shorter conversation.`;
      const metadata = { iteration: call.iteration, shortened, evicted };
      await transcript.addEvent({ type: 'ERROR', content, metadata });
    },
  );
}

async function attempt(
  context: AgentContext,
  call: ModelCall,
  prepared: Prepared<NewMessage>,
): Promise<ModelAnswer> {
  const { client, llm, executionId, transcript } = context;
  const { sessionId } = context.fence;
  const { messages } = prepared;
  const { offered, iteration, type } = call;
  const { signal } = call.limit;
  const startedAt = performance.now();
  const items = createResponseItems(transcript, call);
  const provider = context.resolved.providerName;
  const arrived: Pick<LlmResponse, 'usage' | 'toolCalls'> = { usage: null, toolCalls: [] };
  const record = (response: Partial<LlmResponse>, error: unknown) =>
    transcript.recordLlm({
      type,
      iteration,
      provider: llm.provider,
      modelName: llm.model,
      request: describeRequest(provider, llm, call, prepared),
      response: describeResponse(response, transcript, call),
      thinking: response.thinking || null,
      usage: usageOf(response),
      durationMs: performance.now() - startedAt,
      errorMessage: error === null ? null : describeError(error),
    });

  try {
    const request = { sessionId, executionId, messages, llm, ...offered, iteration, purpose: type };
    const response = await collectStream(client.generate(request, { signal }), {
      onWaiting: items.wait,
      onThinking: items.think,
      onText: items.write,
      onCodeExecution: async (execution) => void (await transcript.addEvent(codeExecutionEvent(execution))),
      onToolsLeftOut: (unoffered) => tellUnoffered(transcript, unoffered),
      onUsage: (usage) => {
        arrived.usage = usage;
      },
      onToolCall: (toolCall) => {
        arrived.toolCalls.push(toolCall);
      },
      onGrounding: async (grounding) => {
        const event = groundingEvent(grounding);
        if (event) await transcript.addEvent(event);
      },
    });
    const shown = await items.end();
    await record(response, null);
    const text = response.text.replaceAll('\0', '').toWellFormed(); // as it was streamed
    return { ...response, text, ...shown };
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    const partial = { ...arrived, ...items.partial() };
    await items.abandon(statusOfFailure(signal.aborted ? signal.reason : error));
    await record(partial, error);
    throw new ModelCallError(error, partial.text, arrived.toolCalls.length > 0);
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

type Status = TimelineEventEnd['status'];

/** The timeline items of one response: waits and thoughts as often as they come, and its text. */
function createResponseItems(transcript: Transcript, { codec, iteration, type }: ModelCall) {
  const isShown = type !== 'REPORT'; // what is thought of claims is not checked: the trace alone has it
  let wait: OpenItem | null = null;
  let thought: OpenItem | null = null;
  let item: OpenItem | null = null;
  const gate = codec.gate();
  const loops = { thinking: createLoopDetector(), text: createLoopDetector() };
  const arrived = { thinking: '', text: '' };
  let shown = '';

  async function show(piece: string): Promise<void> {
    if (piece === '') return;
    shown += piece;
    item ??= await transcript.openItem('LLM_RESPONSE');
    await item.append(piece);
  }

  async function endWait(status: Status): Promise<void> {
    const open = wait;
    wait = null;
    await open?.close({ status });
  }

  async function endThought(status: Status): Promise<void> {
    const open = thought;
    thought = null;
    await open?.close({ status, ...interruptedUnless(status) });
  }

  return {
    /** Tells people of what the service tries again by itself, and why. */
    async wait({ reason, code, seconds }: { reason: string; code: string; seconds: number }): Promise<void> {
      if (code === '') return; // the provider is at work
      wait ??= await transcript.openItem('ERROR', { waiting: true, iteration });
      await wait.append(`${reason} Tried again in ${Math.max(1, Math.round(seconds))} s.\n`);
    },
    async think(delta: string): Promise<void> {
      await endWait('COMPLETED');
      arrived.thinking += delta;
      if (isShown) {
        thought ??= await transcript.openItem('LLM_THINKING', { source: 'native' });
        await thought.append(delta);
      }
      loops.thinking.add(delta);
    },
    async write(delta: string): Promise<void> {
      await endWait('COMPLETED');
      arrived.text += delta;
      await endThought('COMPLETED');
      await show(gate.add(delta));
      loops.text.add(delta);
    },
    /** The response is complete. */
    async end(): Promise<Pick<ModelAnswer, 'item' | 'shown'>> {
      await endWait('COMPLETED');
      await endThought('COMPLETED');
      await show(gate.end());
      return { item, shown };
    },
    /** The response broke off: ends what is open. */
    async abandon(status: Status): Promise<void> {
      await endWait(status);
      await endThought(status);
      await show(gate.end());
      await item?.close({ status, ...interruptedUnless(status) });
    },
    partial: () => arrived,
  };
}

function interruptedUnless(status: Status): { metadata?: Record<string, unknown> } {
  return status === 'COMPLETED' ? {} : { metadata: { interrupted: true } };
}

/** The trace's view of a request: the conversation itself is in the messages, whole even where it was sent shortened. */
function describeRequest(
  llmProvider: string,
  { backend, model }: LlmSettings,
  { offered: { tools } }: ModelCall,
  { messages, shortened, evicted, kept }: Prepared<NewMessage>,
): Record<string, unknown> {
  const names = tools.map(({ name }) => name);
  return {
    llmProvider,
    backend,
    model,
    messageCount: messages.length,
    tools: names,
    ...(shortened && { shortened }),
    ...(evicted.length > 0 && { evicted }),
    ...keptAsStored(kept),
  };
}

function describeResponse(
  { text = '', toolCalls = [], codeExecutions, unoffered, groundings }: Partial<LlmResponse>,
  transcript: Transcript,
  { codec }: ModelCall,
): Record<string, unknown> {
  return {
    text: codec.traced(text),
    toolCalls: transcript.kept(toolCalls),
    ...(codeExecutions?.length ? { codeExecutions } : {}),
    ...(unoffered?.length ? { unoffered } : {}),
    ...(groundings?.length ? { groundings } : {}),
  };
}
