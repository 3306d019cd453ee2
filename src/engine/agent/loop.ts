import { statusOfFailure } from '../common/interruptions.ts';
import { limitTime } from '../common/time-limit.ts';
import type { LlmTool } from '../model/client.ts';
import { TOO_LONG_CONCLUSION_PROMPT, unreadAnalysis } from '../model/context-window/fit.ts';
import { describeError, isTooLong, ModelCallError } from '../model/errors.ts';
import type { Codec, ParsedAnswer } from '../run-context/codec.ts';
import { deliverSubAgentResults, hasOpenSubAgents } from '../run-context/sub-agent-inbox.ts';
import type { AgentContext, AgentResult } from '../run-context/types.ts';
import type { NewMessage } from '../store/messages.ts';
import { withinBudget } from './calls/budget-check.ts';
import type { ModelAnswer, ModelCall } from './calls/model-call.ts';
import { callModel } from './calls/wait-for-provider.ts';
import { deliverSourceUpdates, RESOLVED_CONCLUSION_PROMPT } from './deliver-updates.ts';
import {
  BUDGET_CONCLUSION_PROMPT,
  createIterationState,
  failureFeedback,
  forcedConclusionPrompt,
  givingUp,
  type IterationState,
  recordEmpty,
  recordFailure,
} from './iteration.ts';
import { offerNewTools, offerTools, openConversation } from './opening.ts';
import { iterationsUsed, resumeToolCalls } from './resume.ts';
import { runToolCalls } from './tool-calls.ts';

/**
 * Calls the model and runs the tools it asks for, until it concludes; when its iterations are used up it must, without
 * tools. Goes on where an earlier run of the same conversation broke off.
 * @throws the signal's reason, LeaseLostError
 */
export async function runAgentLoop(context: AgentContext, codec: Codec): Promise<AgentResult> {
  let tools = await offerTools(context);
  await openConversation(context, tools, codec.instructions(tools));
  const concluded = await answerLast(context, codec, tools);
  if (concluded) return concluded;
  const state = createIterationState();
  let { maxIterations } = context.resolved;
  const used = iterationsUsed(context.transcript.messages);
  for (let iteration = used + 1; iteration <= maxIterations; iteration++) {
    tools = await offerNewTools(context, tools);
    if (await deliverSourceUpdates(context))
      return concludeNow(context, codec, RESOLVED_CONCLUSION_PROMPT, iteration - 1);
    await deliverSubAgentResults(context, hasAnswered(context) ? 'one' : 'now');
    const within = await withinBudget(context);
    ({ maxIterations } = within);
    if (within.conclude) return concludeNow(context, codec, BUDGET_CONCLUSION_PROMPT, iteration - 1);
    if (iteration > maxIterations) break;
    const result = await iterate(context, codec, tools, iteration, state);
    if (result) return result;
  }
  if (state.lastFailure !== null)
    return failed(`All ${maxIterations} iterations are used and the last one failed: ${state.lastFailure}`);
  await deliverSourceUpdates(context);
  return concludeNow(context, codec, forcedConclusionPrompt(maxIterations, maxIterations), maxIterations);
}

/** One call without tools; its answer is the final analysis. */
export async function answerOnce(context: AgentContext, codec: Codec): Promise<AgentResult> {
  await openConversation(context, []);
  await deliverSourceUpdates(context); // it concludes anyhow
  await withinBudget(context);
  return askForConclusion(context, codec, { type: context.interactionType, iteration: 1 });
}

/** @returns the result, when this iteration came to one */
async function iterate(
  context: AgentContext,
  codec: Codec,
  tools: readonly LlmTool[],
  iteration: number,
  state: IterationState,
): Promise<AgentResult | null> {
  const limit = limitTime(context.signal, context.resolved.timeouts.iterationMs);
  const type = context.interactionType;
  const answer = await ask(context, { codec, offered: codec.offered(tools), type, iteration, limit });
  if (answer instanceof ModelCallError) {
    if (isTooLong(answer)) return concludeNow(context, codec, TOO_LONG_CONCLUSION_PROMPT, iteration);
    recordFailure(state, answer);
    const end = givingUp(state, answer, context.config.defaults.maxConsecutiveFailures);
    if (end) return failed(end.reason, end.timedOut ? 'TIMED_OUT' : 'FAILED');
    await say(context, failureFeedback(answer, codec));
    return null;
  }
  const reading = codec.read(answer, tools, context.transcript.lastMessageSequence + 1);
  const { turn } = reading;
  if (turn.kind === 'final') {
    if (!hasOpenSubAgents(context)) return conclude(context, answer, reading, turn.analysis);
    await keep(context, answer, meanwhile(reading), iteration);
    Object.assign(state, createIterationState());
    return null;
  }
  if (turn.kind === 'empty') {
    await answer.item?.close({ status: 'COMPLETED' });
    if (!recordEmpty(state)) return failed(`${state.emptyInARow} empty responses in a row.`);
    await say(context, turn.feedback);
    return null;
  }
  await keep(context, answer, reading, iteration);
  if (turn.kind === 'unusable') await say(context, turn.feedback);
  else await tell(context, codec.results(await runToolCalls(context, turn.calls, limit.signal)));
  Object.assign(state, createIterationState());
  return null;
}

/** Goes on from an answer that an earlier run stored and did not follow to its end. @returns the result, if that was it */
async function answerLast(
  context: AgentContext,
  codec: Codec,
  tools: readonly LlmTool[],
): Promise<AgentResult | null> {
  const { messages } = context.transcript;
  const at = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  const last = messages[at];
  const after = messages.slice(at + 1);
  if (!last || after.some(({ role }) => role === 'USER')) return null;
  const answer = { text: last.content, toolCalls: last.toolCalls ?? [], shown: '' };
  const { turn } = codec.read(answer, tools, at + 1);
  if (turn.kind === 'final') return hasOpenSubAgents(context) ? null : completed(turn.analysis);
  if (turn.kind !== 'calls') {
    await say(context, turn.feedback);
    return null;
  }
  const open = turn.calls.filter(({ id }) => after.every(({ toolCallId }) => toolCallId !== id));
  await tell(context, codec.results(await resumeToolCalls(context, context.db, open)));
  return null;
}

/** One more call, without tools. @param words why, and what the conclusion shall hold */
async function concludeNow(
  context: AgentContext,
  codec: Codec,
  words: string,
  iterations: number,
): Promise<AgentResult> {
  await deliverSubAgentResults(context, 'all');
  const prompt = codec.conclusionPrompt(words);
  const isAsked = context.transcript.messages.at(-1)?.content === prompt; // by a run that broke off
  if (!isAsked) await say(context, prompt);
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
  const limit = limitTime(context.signal, context.resolved.timeouts.iterationMs);
  const answer = await ask(context, { codec, offered: codec.offered([]), limit, ...call }, metadata);
  if (answer instanceof ModelCallError) {
    const unread = isTooLong(answer) ? unreadAnalysis(context.transcript.messages) : null;
    if (unread !== null) return concludeByRule(context, unread, metadata);
    const status = statusOfFailure(answer.cause) === 'TIMED_OUT' ? 'TIMED_OUT' : 'FAILED';
    return failed(describeError(answer.cause), status);
  }
  const reading = codec.readConclusion(answer);
  if (reading.turn.kind === 'final')
    return conclude(context, answer, reading, reading.turn.analysis, metadata);
  await answer.item?.close({ status: 'COMPLETED', ...reading.said });
  return failed('The model gave no conclusion.');
}

/** One call of the model; a failure is written down. @throws the signal's reason */
async function ask(
  context: AgentContext,
  call: ModelCall,
  metadata: Record<string, unknown> = { iteration: call.iteration },
): Promise<ModelAnswer | ModelCallError> {
  try {
    return await callModel(context, call);
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    await context.transcript.addEvent({ type: 'ERROR', content: describeError(error.cause), metadata });
    return error;
  }
}

/** Stores an answer that does not conclude. */
async function keep(
  { transcript }: AgentContext,
  { item, toolCalls, providerTurn }: ModelAnswer,
  { turn, content, said }: ParsedAnswer,
  iteration: number,
): Promise<void> {
  await item?.close({ status: 'COMPLETED', ...said });
  await transcript.addMessage({
    role: 'ASSISTANT',
    content,
    toolCalls,
    ...(providerTurn && { providerTurn }),
  });
  if (turn.kind === 'unusable')
    await transcript.addEvent({ type: 'ERROR', content: turn.problem, metadata: { iteration } });
}

/** An answer that would conclude, if there were no sub-agents to be heard: said, and no more. */
function meanwhile({ said, ...reading }: ParsedAnswer): ParsedAnswer {
  return { ...reading, said: said.type === 'FINAL_ANALYSIS' ? { ...said, type: 'LLM_RESPONSE' } : said };
}

/** The model has said the last word: nothing that it was told since is left to be answered. */
function hasAnswered({ transcript }: AgentContext): boolean {
  return transcript.messages.at(-1)?.role === 'ASSISTANT';
}

/** Stores an answer that concludes: what streamed becomes the analysis, or stands before it. */
async function conclude(
  { transcript }: AgentContext,
  { item, providerTurn }: ModelAnswer,
  { content, said }: ParsedAnswer,
  analysis: string,
  metadata?: Record<string, unknown>,
): Promise<AgentResult> {
  const end = { type: 'FINAL_ANALYSIS', content: analysis, ...(metadata && { metadata }) } as const;
  const isItem = said.type === 'FINAL_ANALYSIS';
  await item?.close({ status: 'COMPLETED', ...(isItem ? end : said) });
  await transcript.addMessage({ role: 'ASSISTANT', content, ...(providerTurn && { providerTurn }) });
  if (!item || !isItem) await transcript.addEvent(end);
  return completed(analysis);
}

/** Stores what stands for the analysis of a model that could not be asked for one. */
async function concludeByRule(
  { transcript }: AgentContext,
  analysis: string,
  metadata: Record<string, unknown> = {},
): Promise<AgentResult> {
  await transcript.addEvent({
    type: 'FINAL_ANALYSIS',
    content: analysis,
    metadata: { ...metadata, by_rule: true },
  });
  await transcript.addMessage({ role: 'ASSISTANT', content: analysis });
  return completed(analysis);
}

async function tell({ transcript }: AgentContext, messages: readonly NewMessage[]): Promise<void> {
  for (const message of messages) await transcript.addMessage(message);
}

/** @param content null = there is nothing to say */
async function say({ transcript }: AgentContext, content: string | null): Promise<void> {
  if (content !== null) await transcript.addMessage({ role: 'USER', content });
}

function completed(finalAnalysis: string): AgentResult {
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}

function failed(errorMessage: string, status: 'FAILED' | 'TIMED_OUT' = 'FAILED'): AgentResult {
  return { status, finalAnalysis: null, errorMessage };
}
