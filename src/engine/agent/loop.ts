import { createTimeLimit } from '../../common/time-limit.ts';
import { statusOfFailure } from '../common/interruptions.ts';
import type { LlmTool } from '../model/client.ts';
import { TOO_LONG_CONCLUSION_PROMPT, unreadAnalysis } from '../model/context-window/fit.ts';
import { describeError, isTooLong, ModelCallError } from '../model/errors.ts';
import type { Codec, ParsedAnswer } from '../run-context/codec.ts';
import { deliverSubAgentResults, hasOpenSubAgents } from '../run-context/sub-agent-inbox.ts';
import type { AgentContext, AgentResult } from '../run-context/types.ts';
import type { ModelAnswer, ModelCall } from './calls/attempt.ts';
import { checkBudgets } from './calls/budget-check.ts';
import { callModel } from './calls/model-call.ts';
import { deliverSourceUpdates, RESOLVED_CONCLUSION_PROMPT } from './deliver-updates.ts';
import {
  BUDGET_CONCLUSION_PROMPT,
  createIterationState,
  failureFeedback,
  forcedConclusionPrompt,
  type IterationState,
  isMalformedCall,
  NO_CALL_PROMPT,
  recordEmpty,
  recordFailure,
} from './iteration.ts';
import { offerNewTools, offerTools, openConversation } from './opening.ts';
import { resumeToolCalls } from './resume.ts';
import { runToolCalls } from './tool-calls.ts';

/**
 * Runs an agent in iterations until it has an analysis or fails. Resumes a stored conversation.
 *
 * 1. Offers the tools and stores the opening messages.
 * 2. Finishes the last answer that an interrupted run stored.
 * 3. Before each iteration offers new tools, delivers updates and sub-agent results, and checks the budgets.
 * 4. In each iteration calls the model, then runs its tool calls or returns its analysis.
 * 5. Asks for a conclusion without tools once all alerts are resolved, or a budget, the context window or the
 *    iterations are used up.
 * @throws the signal's reason, LeaseLostError
 */
export async function runAgentLoop(context: AgentContext, codec: Codec): Promise<AgentResult> {
  let tools = await offerTools(context);
  await openConversation(context, tools, codec.instructions(tools));
  const concluded = await finishLastAnswer(context, codec, tools);
  if (concluded) return concluded;
  const state = createIterationState();
  let { maxIterations } = context.resolved;
  const used = context.transcript.messages.filter(({ role }) => role === 'ASSISTANT').length;
  for (let iteration = used + 1; iteration <= maxIterations; iteration++) {
    tools = await offerNewTools(context, tools);
    if (await deliverSourceUpdates(context))
      return concludeNow(context, codec, RESOLVED_CONCLUSION_PROMPT, iteration - 1);
    const isIdle = context.transcript.messages.at(-1)?.role === 'ASSISTANT'; // agent only waits for sub-agents
    await deliverSubAgentResults(context, isIdle ? 'one' : 'now');
    const within = await checkBudgets(context);
    ({ maxIterations } = within);
    if (within.conclude) return concludeNow(context, codec, BUDGET_CONCLUSION_PROMPT, iteration - 1);
    if (iteration > maxIterations) break;
    const result = await iterate(context, codec, { tools, iteration, state });
    if (result) return result;
  }
  if (state.lastFailure !== null)
    return failed(`All ${maxIterations} iterations are used and the last one failed: ${state.lastFailure}`);
  await deliverSourceUpdates(context);
  return concludeNow(context, codec, forcedConclusionPrompt(maxIterations, maxIterations), maxIterations);
}

/** Runs an agent that makes a single model call without tools. The answer is the final analysis. */
export async function answerOnce(context: AgentContext, codec: Codec): Promise<AgentResult> {
  await openConversation(context, []);
  await deliverSourceUpdates(context); // result unused, because this call concludes anyway
  await checkBudgets(context);
  return askForConclusion(context, codec, { type: context.interactionType, iteration: 1 });
}

/** Runs one iteration. @returns the agent's result; `null` if the loop continues */
async function iterate(
  context: AgentContext,
  codec: Codec,
  { tools, iteration, state }: { tools: readonly LlmTool[]; iteration: number; state: IterationState },
): Promise<AgentResult | null> {
  const limit = createTimeLimit(context.signal, context.resolved.timeouts.iterationMs);
  const type = context.interactionType;
  const answer = await ask(context, { codec, offered: codec.offered(tools), type, iteration, limit });
  if (answer instanceof ModelCallError) {
    if (isTooLong(answer)) return concludeNow(context, codec, TOO_LONG_CONCLUSION_PROMPT, iteration);
    const end = recordFailure(state, answer, context.config.defaults.maxConsecutiveFailures);
    if (end) return failed(end.reason, end.status);
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

/** Asks the model for a conclusion, without tools. @param reason prompt with the reason and the expected content */
async function concludeNow(
  context: AgentContext,
  codec: Codec,
  reason: string,
  iterations: number,
): Promise<AgentResult> {
  await deliverSubAgentResults(context, 'all');
  const prompt = codec.conclusionPrompt(reason);
  const isAsked = context.transcript.messages.at(-1)?.content === prompt; // an interrupted run already asked
  if (!isAsked) await addUserMessage(context, prompt);
  const counts = { iterations_used: iterations, max_iterations: context.resolved.maxIterations };
  const call = { type: 'FORCED_CONCLUSION', iteration: iterations + 1 } as const;
  return askForConclusion(context, codec, call, { forced_conclusion: true, ...counts });
}

async function askForConclusion(
  context: AgentContext,
  codec: Codec,
  call: Pick<ModelCall, 'type' | 'iteration'>,
  metadata?: Record<string, unknown>,
): Promise<AgentResult> {
  const limit = createTimeLimit(context.signal, context.resolved.timeouts.iterationMs);
  const modelCall = { codec, offered: codec.offered([]), limit, ...call };
  let answer = await ask(context, modelCall, metadata);
  if (answer instanceof ModelCallError && isMalformedCall(answer.cause)) {
    await addUserMessage(context, NO_CALL_PROMPT);
    answer = await ask(context, modelCall, metadata);
  }
  if (answer instanceof ModelCallError) {
    const unread = isTooLong(answer) ? unreadAnalysis(context.transcript.messages) : null;
    if (unread !== null) return concludeByRule(context, unread, metadata);
    const status = statusOfFailure(answer.cause) === 'TIMED_OUT' ? 'TIMED_OUT' : 'FAILED';
    return failed(describeError(answer.cause), status);
  }
  const parsed = codec.readConclusion(answer);
  const { turn } = parsed;
  if (turn.kind === 'final') return conclude(context, answer, { ...parsed, ...turn }, metadata);
  await answer.item?.close({ status: 'COMPLETED', ...parsed.said });
  return failed('The model gave no conclusion.');
}

/** Calls the model. A failure is added to the timeline and returned. @throws the signal's reason */
async function ask(
  context: AgentContext,
  call: ModelCall,
  metadata: Record<string, unknown> = { iteration: call.iteration },
): Promise<ModelAnswer | ModelCallError> {
  call.limit.signal.throwIfAborted();
  try {
    return await callModel(context, call);
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    await context.transcript.addEvent({ type: 'ERROR', content: describeError(error.cause), metadata });
    return error;
  }
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

/**
 * Stores a concluding answer. The streamed timeline item becomes the final analysis. If the codec made that
 * item a thought, the analysis follows as an event of its own.
 */
async function conclude(
  { transcript }: AgentContext,
  { item, providerTurn }: ModelAnswer,
  { content, said, analysis }: ParsedAnswer & { analysis: string },
  metadata?: Record<string, unknown>,
): Promise<AgentResult> {
  const end = { type: 'FINAL_ANALYSIS', content: analysis, ...(metadata && { metadata }) } as const;
  const isItem = said.type === 'FINAL_ANALYSIS';
  await item?.close({ status: 'COMPLETED', ...(isItem ? end : said) });
  await transcript.addMessage({ role: 'ASSISTANT', content, ...(providerTurn && { providerTurn }) });
  if (!item || !isItem) await transcript.addEvent(end);
  return completed(analysis);
}

/** Stores an analysis that the engine itself wrote, because the conversation is too long for the model. */
async function concludeByRule(
  { transcript }: AgentContext,
  content: string,
  metadata?: Record<string, unknown>,
): Promise<AgentResult> {
  await transcript.addEvent({ type: 'FINAL_ANALYSIS', content, metadata: { ...metadata, by_rule: true } });
  await transcript.addMessage({ role: 'ASSISTANT', content });
  return completed(content);
}

async function addUserMessage({ transcript }: AgentContext, content: string | null): Promise<void> {
  if (content !== null) await transcript.addMessage({ role: 'USER', content });
}

function completed(finalAnalysis: string): AgentResult {
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}

function failed(errorMessage: string, status: 'FAILED' | 'TIMED_OUT' = 'FAILED'): AgentResult {
  return { status, finalAnalysis: null, errorMessage };
}
