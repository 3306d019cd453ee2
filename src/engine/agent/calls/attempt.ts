import type { TimeLimit } from '../../../common/time-limit.ts';
import type { ConclusionReason, LlmInteractionType } from '../../../db/enums.ts';
import { RunInterruptedError, statusOfFailure } from '../../common/interruptions.ts';
import type { UnofferedTool } from '../../model/chunks.ts';
import { collectStream, type LlmResponse } from '../../model/collect-stream.ts';
import { interactionOf } from '../../model/complete-once.ts';
import type { Prepared } from '../../model/context-window/window.ts';
import { describeError, ModelCallError } from '../../model/errors.ts';
import type { Codec, RequestTools } from '../../run-context/codec.ts';
import type { Transcript } from '../../run-context/transcript.ts';
import type { AgentContext } from '../../run-context/types.ts';
import type { OpenTimelineEvent } from '../../store/journal.ts';
import type { NewMessage } from '../../store/messages.ts';
import type { NewTimelineEvent } from '../../store/timeline.ts';
import { createResponseItems } from './response-items.ts';

/** The parameters of one model call of an agent. The conversation comes from the agent's transcript. */
export interface ModelCall {
  codec: Pick<Codec, 'gate' | 'traced'>;
  offered: RequestTools;
  type: LlmInteractionType;
  iteration: number;
  /**
   * Time limit of the call and of the tool calls that it requests. Restarts after a fallback or an outage.
   */
  limit: TimeLimit;
  /** The call, fallbacks included, ends by this moment (`performance.now()`). @default none */
  endsAt?: number;
  /** Why the agent must conclude early. */
  reason?: ConclusionReason;
}

/**
 * A model's complete answer. The text contains no NUL or lone surrogates, because PostgreSQL cannot store
 * them.
 */
export interface ModelAnswer extends LlmResponse {
  /** Open timeline item of the text; `null` if no text was shown. The caller closes it after parsing the text. */
  item: OpenTimelineEvent | null;
  shown: string;
}

/**
 * Calls the model, streams its thinking and text into the timeline, and records the interaction. If the provider finds
 * the conversation too long, sends a shorter one.
 * @throws LeaseLostError, ModelCallError (its cause is the abort reason if `call.limit` ended the call)
 */
export function attemptCall(context: AgentContext, call: ModelCall): Promise<ModelAnswer> {
  const { transcript, window } = context;
  return window.within(
    { messages: [...transcript.messages], tools: call.offered.tools },
    (prepared) => attemptOnce(context, call, prepared),
    async ({ shortened, evicted }, error) => {
      const content = `${describeError(error)}. Retrying with a shorter conversation.`;
      const metadata = { iteration: call.iteration, shortened, evicted };
      await transcript.addEvent({ type: 'ERROR', content, metadata });
    },
  );
}

async function attemptOnce(
  context: AgentContext,
  call: ModelCall,
  prepared: Prepared<NewMessage>,
): Promise<ModelAnswer> {
  const { client, llm, executionId, transcript, task } = context;
  const { offered, iteration, type: purpose, codec } = call;
  const { signal } = call.limit;
  const startedAt = performance.now();
  const items = createResponseItems(transcript, call);
  const arrived: Pick<LlmResponse, 'usage' | 'toolCalls'> = { usage: null, toolCalls: [] };
  const record = (response: Partial<LlmResponse>, error: unknown) => {
    const request = describeRequest(context, call, prepared);
    const described = describeResponse(response, transcript, codec);
    const outcome = { request, response: described, arrived: response, startedAt, error };
    return transcript.recordLlm(interactionOf({ llm, purpose, iteration }, outcome));
  };

  try {
    await transcript.store(); // a worker that resumes after a crash must know that this call may have been made
    const { sessionId } = context.fence;
    const { messages } = prepared;
    const request = { sessionId, executionId, messages, llm, ...offered, iteration, purpose, task };
    const response = await collectStream(client.generate(request, { signal }), {
      onWaiting: items.wait,
      onThinking: items.think,
      onText: items.write,
      onTextWasThinking: items.reclassify,
      onCodeExecution: (execution) => transcript.addEvent(codeExecutionEvent(execution)),
      onToolsLeftOut: (tools) => reportUnofferedTools(transcript, tools),
      onUsage: (usage) => {
        arrived.usage = usage;
      },
      onToolCall: (toolCall) => void arrived.toolCalls.push(toolCall),
      onGrounding: async (grounding) => {
        const event = groundingEvent(grounding);
        if (event) await transcript.addEvent(event);
      },
    });
    const shown = await items.end();
    await record(response, null);
    const text = response.text.replaceAll('\0', '').toWellFormed(); // as PostgreSQL requires
    return { ...response, text, ...shown };
  } catch (error) {
    if (error instanceof RunInterruptedError) throw error;
    const partial = { ...arrived, ...items.partial() };
    await items.abandon(statusOfFailure(signal.aborted ? signal.reason : error));
    await record(partial, error);
    throw new ModelCallError(error, partial.text, arrived.toolCalls.length > 0);
  }
}

/** Lists in the timeline the tools that the LLM service could not offer to the model, each tool once. */
async function reportUnofferedTools(transcript: Transcript, tools: readonly UnofferedTool[]): Promise<void> {
  const unoffered = tools.filter(({ name }) => !transcript.unoffered.has(name));
  if (unoffered.length === 0) return;
  for (const { name } of unoffered) transcript.unoffered.add(name);
  const lines = unoffered.map(({ name, reason }) => `- ${name}: ${reason}`);
  const content = `Tools not offered to the model:\n${lines.join('\n')}`;
  await transcript.addEvent({ type: 'ERROR', content, metadata: { unoffered } });
}

/** Describes a request for the trace. Omits the conversation, because the stored messages contain it. */
function describeRequest(
  { resolved }: AgentContext,
  { offered: { tools }, reason }: ModelCall,
  { messages, shortened, evicted, kept }: Prepared<NewMessage>,
): Record<string, unknown> {
  return {
    llmProvider: resolved.providerName,
    messageCount: messages.length,
    tools: tools.map(({ name }) => name),
    ...(reason && { conclusionReason: reason.toLowerCase() }),
    ...(shortened && { shortened }),
    ...(evicted.length > 0 && { evicted }),
    ...((kept.evictedThrough > 0 || kept.maxWeight !== null) && { kept }),
  };
}

function describeResponse(
  { text = '', toolCalls = [], codeExecutions, unoffered, groundings }: Partial<LlmResponse>,
  transcript: Transcript,
  codec: ModelCall['codec'],
): Record<string, unknown> {
  return {
    text: codec.traced(text),
    toolCalls: transcript.kept(toolCalls),
    ...(codeExecutions?.length ? { codeExecutions } : {}),
    ...(unoffered?.length ? { unoffered } : {}),
    ...(groundings?.length ? { groundings } : {}),
  };
}

type NativeEvent = Omit<NewTimelineEvent, 'status'>;

/** Returns the timeline item for code that the provider executed, with its output. */
function codeExecutionEvent({ code, result }: LlmResponse['codeExecutions'][number]): NativeEvent {
  const parts = [code && fenced('python', code), result && `Output:\n${fenced('', result)}`];
  const content = parts.filter((part) => part !== '').join('\n\n');
  return { type: 'CODE_EXECUTION', content, metadata: { source: 'gemini' } };
}

/** Returns the timeline item that lists an answer's web sources (searched or fetched); `null` without sources. */
function groundingEvent({
  searchQueries,
  sources,
  supports,
}: LlmResponse['groundings'][number]): NativeEvent | null {
  if (sources.length === 0) return null;
  const listed = sources.map(({ title, uri }) => (title === '' ? uri : `${title} (${uri})`)).join(', ');
  const metadata = { source: 'gemini', sources, ...(supports.length > 0 ? { supports } : {}) };
  if (searchQueries.length === 0)
    return { type: 'URL_CONTEXT_RESULT', content: `URL Context → Sources: ${listed}`, metadata };
  const queries = searchQueries.map((query) => `'${query}'`).join(', ');
  return {
    type: 'GOOGLE_SEARCH_RESULT',
    content: `Google Search: ${queries} → Sources: ${listed}`,
    metadata: { ...metadata, queries: searchQueries },
  };
}

/** Returns a Markdown code block with a fence longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
