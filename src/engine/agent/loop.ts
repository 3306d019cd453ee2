import { createTimeLimit } from '../../common/time-limit.ts';
import type { LlmTool } from '../model/client.ts';
import { isTooLong, ModelCallError } from '../model/errors.ts';
import type { Codec, ParsedAnswer } from '../run-context/codec.ts';
import { deliverSubAgentResults, hasOpenSubAgents } from '../run-context/sub-agent-inbox.ts';
import { isRequested, isReserveReason, workSignal } from '../run-context/time-budget.ts';
import type { AgentContext, AgentResult } from '../run-context/types.ts';
import type { ModelAnswer } from './calls/attempt.ts';
import { checkBudgets } from './calls/budget-check.ts';
import {
  addUserMessage,
  ask,
  askForConclusion,
  completed,
  conclude,
  concludeNow,
  failed,
  timedOut,
} from './conclusion.ts';
import { deliverHints } from './deliver-hints.ts';
import { deliverSourceUpdates, readNews } from './deliver-updates.ts';
import {
  createIterationState,
  failureFeedback,
  type IterationState,
  recordEmpty,
  recordFailure,
  stoppedPrompt,
} from './iteration.ts';
import { offerNewTools, offerTools, openConversation } from './opening.ts';
import { resumeToolCalls } from './resume.ts';
import { runToolCalls } from './tool-calls.ts';

/**
 * Runs an agent in iterations until it has an analysis or fails. Resumes a stored conversation.
 *
 * 1. Offers the tools and stores the opening messages.
 * 2. Finishes the last answer that an interrupted run stored.
 * 3. Before each iteration offers new tools, delivers updates, sub-agent results and hints, and checks the budgets.
 * 4. In each iteration calls the model, then runs its tool calls or returns its analysis.
 * 5. Asks for a conclusion without tools once all alerts are resolved, a responder asks for it, or the time, a budget,
 *    the context window or the iterations are used up. When the reserve of the time begins, running calls are stopped.
 * @throws the signal's reason, LeaseLostError
 */
export async function runAgentLoop(context: AgentContext, codec: Codec): Promise<AgentResult> {
  try {
    return await runIterations(context, codec);
  } catch (error) {
    if (!isReserveReason(context, error)) throw error;
    const reason = isRequested(context.time) ? 'REQUESTED' : 'TIME_BUDGET';
    return concludeNow(context, codec, { reason, iterations: usedIterations(context) });
  }
}

function usedIterations({ transcript }: AgentContext): number {
  return transcript.messages.filter(({ role }) => role === 'ASSISTANT').length;
}

/** @throws also the reason of the time's reserve */
async function runIterations(context: AgentContext, codec: Codec): Promise<AgentResult> {
  let tools = await offerTools(context);
  await openConversation(context, tools, codec.instructions(tools));
  const concluded = await finishLastAnswer(context, codec, tools);
  if (concluded) return concluded;
  const state = createIterationState();
  let { maxIterations } = context.resolved;
  for (let iteration = usedIterations(context) + 1; iteration <= maxIterations; iteration++) {
    const [offered, news] = await Promise.all([offerNewTools(context, tools), readNews(context)]);
    tools = offered;
    if (await deliverSourceUpdates(context, news))
      return concludeNow(context, codec, { reason: 'ALERTS_RESOLVED', iterations: iteration - 1 });
    context.time.reserve.throwIfAborted();
    const isIdle = context.transcript.messages.at(-1)?.role === 'ASSISTANT'; // agent only waits for sub-agents
    await deliverSubAgentResults(context, isIdle ? 'one' : 'now');
    const within = await checkBudgets(context);
    ({ maxIterations } = within);
    if (within.conclude) return concludeNow(context, codec, { reason: 'BUDGET', iterations: iteration - 1 });
    if (iteration > maxIterations) break;
    await deliverHints(context);
    const result = await iterate(context, codec, { tools, iteration, state });
    if (result) return result;
  }
  if (state.lastFailure !== null)
    return failed(`All ${maxIterations} iterations are used and the last one failed: ${state.lastFailure}`);
  await deliverSourceUpdates(context);
  return concludeNow(context, codec, { reason: 'ITERATIONS', iterations: maxIterations });
}

/** Runs an agent that makes a single model call without tools. The answer is the final analysis. */
export async function answerOnce(context: AgentContext, codec: Codec): Promise<AgentResult> {
  await openConversation(context, []);
  await deliverSourceUpdates(context); // result unused, because this call concludes anyway
  await checkBudgets(context);
  await deliverHints(context);
  return askForConclusion(context, codec, { type: context.interactionType, iteration: 1 });
}

/** Runs one iteration. @returns the agent's result; `null` if the loop continues */
async function iterate(
  context: AgentContext,
  codec: Codec,
  { tools, iteration, state }: { tools: readonly LlmTool[]; iteration: number; state: IterationState },
): Promise<AgentResult | null> {
  const limit = createTimeLimit(workSignal(context), context.resolved.timeouts.iterationMs);
  const type = context.interactionType;
  const answer = await ask(context, { codec, offered: codec.offered(tools), type, iteration, limit });
  if (answer instanceof ModelCallError) {
    if (isReserveReason(context, answer.cause)) {
      await addUserMessage(context, stoppedPrompt(answer, codec));
      throw answer.cause;
    }
    if (isTooLong(answer))
      return concludeNow(context, codec, { reason: 'CONTEXT_WINDOW', iterations: iteration });
    const end = recordFailure(state, answer, context.config.defaults.maxConsecutiveFailures);
    if (end) return end.status === 'TIMED_OUT' ? timedOut(context, end.reason) : failed(end.reason);
    await addUserMessage(context, failureFeedback(answer, codec));
    return null;
  }
  const parsed = codec.read(answer, tools, context.transcript.lastMessageSequence + 1);
  const { turn } = parsed;
  if (turn.kind === 'empty') {
    await answer.item?.close({ status: 'COMPLETED' });
    if (!recordEmpty(state)) return failed(`${state.emptyInARow} empty responses in a row.`);
    await addUserMessage(context, turn.feedback);
    return null;
  }
  Object.assign(state, createIterationState());
  if (turn.kind === 'final') {
    if (!hasOpenSubAgents(context)) return conclude(context, answer, { ...parsed, ...turn });
    const { said } = parsed; // the agent cannot conclude before it has all sub-agent results
    const shown = said.type === 'FINAL_ANALYSIS' ? ({ ...said, type: 'LLM_RESPONSE' } as const) : said;
    await storeAnswer(context, answer, { ...parsed, said: shown }, iteration);
    return null;
  }
  await storeAnswer(context, answer, parsed, iteration);
  if (turn.kind === 'unusable') await addUserMessage(context, turn.feedback);
  else
    for (const message of codec.results(await runToolCalls(context, turn.calls, limit.signal)))
      await context.transcript.addMessage(message);
  return null;
}

/**
 * Handles the last answer that an interrupted run stored: runs its open tool calls or adds feedback. Returns
 * the result if the answer was the final analysis; `null` if the loop continues.
 */
async function finishLastAnswer(
  context: AgentContext,
  codec: Codec,
  tools: readonly LlmTool[],
): Promise<AgentResult | null> {
  const { messages } = context.transcript;
  const index = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  const last = messages[index];
  const after = messages.slice(index + 1);
  if (!last || after.some(({ role }) => role === 'USER')) return null;
  const answer = { text: last.content, toolCalls: last.toolCalls ?? [], shown: '' };
  const { turn } = codec.read(answer, tools, index + 1);
  if (turn.kind === 'final') return hasOpenSubAgents(context) ? null : completed(turn.analysis);
  if (turn.kind !== 'calls') {
    await addUserMessage(context, turn.feedback);
    return null;
  }
  const open = turn.calls.filter(({ id }) => after.every(({ toolCallId }) => toolCallId !== id));
  for (const message of codec.results(await resumeToolCalls(context, open)))
    await context.transcript.addMessage(message);
  return null;
}

async function storeAnswer(
  { transcript }: AgentContext,
  { item, toolCalls, providerTurn }: ModelAnswer,
  { turn, content, said }: ParsedAnswer,
  iteration: number,
): Promise<void> {
  await item?.close({ status: 'COMPLETED', ...said });
  const message = { role: 'ASSISTANT', content, toolCalls } as const;
  await transcript.addMessage({ ...message, ...(providerTurn && { providerTurn }) });
  if (turn.kind === 'unusable')
    await transcript.addEvent({ type: 'ERROR', content: turn.problem, metadata: { iteration } });
}
