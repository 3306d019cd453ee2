import type { ConclusionReason } from '../../db/enums.ts';
import { statusOfFailure } from '../common/interruptions.ts';
import { TOO_LONG_CONCLUSION_PROMPT, unreadAnalysis } from '../model/context-window/fit.ts';
import { describeError, isTooLong, ModelCallError } from '../model/errors.ts';
import type { Codec, ParsedAnswer } from '../run-context/codec.ts';
import { deliverSubAgentResults } from '../run-context/sub-agent-inbox.ts';
import { concludeBy, conclusionLimit } from '../run-context/time-budget.ts';
import type { AgentContext, AgentResult } from '../run-context/types.ts';
import { addTimelineEvent } from '../store/timeline.ts';
import type { ModelAnswer, ModelCall } from './calls/attempt.ts';
import { callModel } from './calls/model-call.ts';
import { deliverHints } from './deliver-hints.ts';
import { RESOLVED_CONCLUSION_PROMPT } from './deliver-updates.ts';
import {
  BUDGET_CONCLUSION_PROMPT,
  conclusionRetry,
  forcedConclusionPrompt,
  NO_ANALYSIS_PROMPT,
  REQUESTED_CONCLUSION_PROMPT,
  TIME_CONCLUSION_PROMPT,
} from './iteration.ts';

/** Why an agent must conclude, and the iterations that it has used by then. */
interface Forced {
  reason: ConclusionReason;
  iterations: number;
}

function conclusionWords({ reason, iterations }: Forced): string {
  switch (reason) {
    case 'ITERATIONS':
      return forcedConclusionPrompt(iterations, iterations);
    case 'TIME_BUDGET':
      return TIME_CONCLUSION_PROMPT;
    case 'BUDGET':
      return BUDGET_CONCLUSION_PROMPT;
    case 'CONTEXT_WINDOW':
      return TOO_LONG_CONCLUSION_PROMPT;
    case 'ALERTS_RESOLVED':
      return RESOLVED_CONCLUSION_PROMPT;
    case 'REQUESTED':
      return REQUESTED_CONCLUSION_PROMPT;
  }
}

/** Asks the model for a conclusion, without tools. */
export async function concludeNow(context: AgentContext, codec: Codec, forced: Forced): Promise<AgentResult> {
  await deliverSubAgentResults(context, 'all');
  const prompt = codec.conclusionPrompt(conclusionWords(forced));
  const isAsked = context.transcript.messages.at(-1)?.content === prompt; // an interrupted run already asked
  const { reason, iterations } = forced;
  if (!isAsked) {
    await deliverHints(context);
    await addUserMessage(context, prompt);
    context.observer.metrics.concludedEarly(reason);
  }
  const call = { type: 'FORCED_CONCLUSION', iteration: iterations + 1, reason } as const;
  return askForConclusion(context, codec, call, {
    forced_conclusion: true,
    reason: reason.toLowerCase(),
    iterations_used: iterations,
    max_iterations: context.resolved.maxIterations,
  });
}

/**
 * Asks the model for an answer without tools, which is the analysis. Asks once more if the answer has no analysis, or
 * if the call failed in a way that another may not. If the time does not suffice, the result has what is known by rule.
 */
export async function askForConclusion(
  context: AgentContext,
  codec: Codec,
  call: Omit<ModelCall, 'codec' | 'offered' | 'limit' | 'endsAt'>,
  metadata?: Record<string, unknown>,
): Promise<AgentResult> {
  const limit = conclusionLimit(context, context.resolved.timeouts.iterationMs);
  const modelCall = { codec, offered: codec.offered([]), limit, endsAt: concludeBy(context.time), ...call };
  let answer = await ask(context, modelCall, metadata);
  const retry = limit.signal.aborted ? null : await secondRequest(answer, codec);
  if (retry !== null) {
    await addUserMessage(context, retry.feedback);
    answer = await ask(context, modelCall, metadata);
  }
  const late = call.reason === 'TIME_BUDGET' ? describeError(context.time.exceeded()) : null;
  if (answer instanceof ModelCallError) {
    const unread = isTooLong(answer) ? unreadAnalysis(context.transcript.messages, 'TOO_LONG') : null;
    if (unread !== null) return concludeByRule(context, unread, metadata);
    const reason = describeError(answer.cause);
    const isTimeout = statusOfFailure(answer.cause) === 'TIMED_OUT';
    if (late !== null) return timedOut(context, isTimeout ? late : `${late} Last: ${reason}`, metadata);
    return isTimeout ? timedOut(context, reason, metadata) : failed(reason);
  }
  const parsed = codec.readConclusion(answer);
  const { turn } = parsed;
  if (turn.kind === 'final') return conclude(context, answer, { ...parsed, ...turn }, metadata);
  await answer.item?.close({ status: 'COMPLETED', ...parsed.said });
  return late === null ? failed('The model gave no conclusion.') : timedOut(context, late, metadata);
}

/**
 * Returns the message that asks again for an analysis; `null` if the answer has one, or if asking again does not help.
 * Closes the timeline item of an answer without an analysis.
 */
async function secondRequest(
  answer: ModelAnswer | ModelCallError,
  codec: Codec,
): Promise<{ feedback: string | null } | null> {
  if (answer instanceof ModelCallError) return conclusionRetry(answer, codec);
  const { turn, said } = codec.readConclusion(answer);
  if (turn.kind === 'final') return null;
  await answer.item?.close({ status: 'COMPLETED', ...said });
  return { feedback: codec.conclusionPrompt(NO_ANALYSIS_PROMPT) };
}

/** Calls the model. A failure is added to the timeline and returned. @throws the signal's reason */
export async function ask(
  context: AgentContext,
  call: ModelCall,
  metadata: Record<string, unknown> = { iteration: call.iteration },
): Promise<ModelAnswer | ModelCallError> {
  context.signal.throwIfAborted();
  try {
    return await callModel(context, call);
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    await context.transcript.addEvent({ type: 'ERROR', content: describeError(error.cause), metadata });
    return error;
  }
}

/**
 * Stores a concluding answer. The streamed timeline item becomes the final analysis. If the codec made that
 * item a thought, the analysis follows as an event of its own.
 */
export async function conclude(
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

/** Returns the result of an agent whose time is over. The engine's list of tool results is stored with its end. */
export function timedOut(
  { transcript, stageId, executionId }: Pick<AgentContext, 'transcript' | 'stageId' | 'executionId'>,
  errorMessage: string,
  metadata?: Record<string, unknown>,
): AgentResult {
  const content = unreadAnalysis(transcript.messages, 'NO_TIME');
  const result = { status: 'TIMED_OUT', finalAnalysis: content, errorMessage } as const;
  if (content === null) return result;
  const event = { type: 'FINAL_ANALYSIS', status: 'COMPLETED', content } as const;
  const ids = { stageId, executionId };
  return {
    ...result,
    noted: [addTimelineEvent(ids, { ...event, metadata: { ...metadata, by_rule: true } })],
  };
}

export async function addUserMessage({ transcript }: AgentContext, content: string | null): Promise<void> {
  if (content !== null) await transcript.addMessage({ role: 'USER', content });
}

export function completed(finalAnalysis: string): AgentResult {
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}

export function failed(errorMessage: string): AgentResult {
  return { status: 'FAILED', finalAnalysis: null, errorMessage };
}
