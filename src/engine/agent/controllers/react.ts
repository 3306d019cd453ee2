import { toFunctionName } from '../../../mcp/tool-names.ts';
import type { LlmTool } from '../../llm/client.ts';
import {
  malformedFeedback,
  malformedSummary,
  reactInstructions,
  reactOverPrompt,
  unknownToolFeedback,
} from '../../prompts/react.ts';
import { MAX_EMPTY_RESPONSES } from '../../tunables.ts';
import type { AgentContext, AgentResult, Controller } from '../agent.ts';
import { freshState, recordSuccess } from '../iteration.ts';
import { tellNews } from '../news.ts';
import { offerJoined, offerTools, openConversation } from '../opening.ts';
import { keptResponse } from '../react/kept.ts';
import { forceReactConclusion, type ReactTurn, reactConclusion, requestReactTurn } from '../react/turn.ts';
import { parseReact, type ReactResponse, type ReactToolCall } from '../react-parser.ts';
import type { NewMessage } from '../records.ts';
import { iterationsUsed, settleToolCalls } from '../resume.ts';
import { limitTime } from '../time-limit.ts';
import { runToolCalls } from '../tool-calls.ts';

/**
 * The loop for models without function calling: they are told in the prompt how to name a tool in their text, and
 * get its result as an observation in the next message, until they write a final answer. A response that cannot be
 * used stays in the conversation and is answered with what is wrong with it.
 */
export const reactController: Controller = async (context) => {
  let tools = await offerTools(context);
  await openConversation(context, tools, reactInstructions(tools));
  const earlier = await answerLastResponse(context, tools);
  if (earlier) return earlier;
  const state = freshState();
  let emptyResponses = 0;

  for (
    let iteration = iterationsUsed(context.transcript.messages) + 1;
    iteration <= context.limits.maxIterations;
    iteration++
  ) {
    const limit = limitTime(context.signal, context.limits.iterationMs);
    tools = await offerJoined(context, tools);
    if (await tellNews(context)) return reactConclusion(context, reactOverPrompt(), iteration - 1);
    const outcome = await requestReactTurn(context, tools, iteration, limit, state);
    if ('result' in outcome) return outcome.result;
    if (outcome.turn === null) continue;
    const { turn } = outcome;

    if (turn.response.text !== '') {
      const result = await act(context, tools, turn, iteration, limit.signal);
      if (result) return result;
      recordSuccess(state);
      emptyResponses = 0;
    } else {
      state.lastFailure = 'The model gave an empty response.';
      emptyResponses += 1;
      if (emptyResponses > MAX_EMPTY_RESPONSES) {
        const errorMessage = `${emptyResponses} empty responses in a row.`;
        return { status: 'FAILED', finalAnalysis: null, errorMessage };
      }
      await say(context, malformedFeedback('empty', tools));
    }
  }
  return forceReactConclusion(context, state);
};

/** Stores a response and does what it says. @returns the result, when it is the final answer */
async function act(
  context: AgentContext,
  tools: readonly LlmTool[],
  turn: ReactTurn,
  iteration: number,
  signal: AbortSignal,
): Promise<AgentResult | null> {
  const { response, items } = turn;
  if (response.kind === 'final_answer') {
    await items.conclude(response.finalAnswer);
    await context.transcript.addMessage({ role: 'ASSISTANT', content: response.text });
    return { status: 'COMPLETED', finalAnalysis: response.finalAnswer, errorMessage: null };
  }
  await items.withdrawAnswer();
  const known = response.kind === 'thought_action' ? knownCall(response.call, tools) : null;
  if (known === null) {
    // Before the response itself: whoever goes on from the stored response must not write this again.
    const content = problemOf(response);
    await context.transcript.addEvent({ type: 'ERROR', content, metadata: { iteration } });
  }
  await context.transcript.addMessage({ role: 'ASSISTANT', content: keptResponse(context, response) });
  if (known === null) await say(context, feedbackFor(response, tools));
  else await observe(context, await runToolCalls(context, [toolCall(context, known)], signal));
  return null;
}

/**
 * Goes on where an earlier run left a response without an answer: its tool call is looked up in the trace, made
 * again where that is harmless, or said to be of unknown outcome.
 */
async function answerLastResponse(
  context: AgentContext,
  tools: readonly LlmTool[],
): Promise<AgentResult | null> {
  const last = context.transcript.messages.at(-1);
  if (last?.role !== 'ASSISTANT') return null;
  const response = parseReact(last.content);
  if (response.kind === 'final_answer') {
    return { status: 'COMPLETED', finalAnalysis: response.finalAnswer, errorMessage: null };
  }
  const known = response.kind === 'thought_action' ? knownCall(response.call, tools) : null;
  if (known === null) await say(context, feedbackFor(response, tools));
  else await observe(context, await settleToolCalls(context, context.db, [toolCall(context, known)]));
  return null;
}

/** The call with the tool's canonical name; null when there is no such tool. */
function knownCall(call: ReactToolCall, tools: readonly LlmTool[]): ReactToolCall | null {
  const wanted = toFunctionName(call.name);
  const tool = tools.find(({ name }) => toFunctionName(name) === wanted);
  return tool ? { ...call, name: tool.name } : null;
}

/** The call that the last stored message asks for; its id is the same whenever that message is read. */
function toolCall(context: AgentContext, call: ReactToolCall) {
  const id = `react_${context.transcript.lastMessageSequence}`;
  return { id, name: call.name, arguments: JSON.stringify(call.parameters) };
}

function problemOf(response: ReactResponse): string {
  if (response.kind === 'malformed') return malformedSummary(response.reason);
  return `The response names a tool that does not exist: ${nameOf(response)}`;
}

function feedbackFor(response: ReactResponse, tools: readonly LlmTool[]): string {
  if (response.kind === 'malformed') return malformedFeedback(response.reason, tools);
  return unknownToolFeedback(nameOf(response), tools);
}

function nameOf(response: ReactResponse): string {
  if (response.kind === 'thought_action') return response.call.name;
  return response.kind === 'unknown_tool' ? response.name : '';
}

/** Results of tools as the user's messages; this conversation has no tool messages. */
async function observe(context: AgentContext, results: readonly NewMessage[]): Promise<void> {
  for (const { content, toolName, failed } of results) {
    const whose = { ...(toolName ? { toolName } : {}), ...(failed ? { failed } : {}) };
    await context.transcript.addMessage({ role: 'USER', content: `Observation:\n${content}`, ...whose });
  }
}

function say(context: AgentContext, content: string): Promise<void> {
  return context.transcript.addMessage({ role: 'USER', content });
}
