import type { LlmTool } from '../../llm/client.ts';
import { EMPTY_RESPONSE_PROMPT, forcedConclusionPrompt } from '../../prompts/feedback.ts';
import { OVER_CONCLUSION_PROMPT } from '../../prompts/news.ts';
import { MAX_EMPTY_RESPONSES } from '../../tunables.ts';
import type { AgentContext, AgentResult, Controller } from '../agent.ts';
import {
  failureFeedback,
  freshState,
  givingUp,
  type IterationState,
  recordFailure,
  recordSuccess,
} from '../iteration.ts';
import { callModel, type ModelAnswer } from '../model-call.ts';
import { describeError, ModelCallError } from '../model-failure.ts';
import { tellNews } from '../news.ts';
import { offerJoined, offerTools, openConversation } from '../opening.ts';
import { answerOpenToolCalls, iterationsUsed } from '../resume.ts';
import { limitTime, type TimeLimit } from '../time-limit.ts';
import { runToolCalls } from '../tool-calls.ts';

/**
 * The loop for models with function calling: call the model, run the tools it asks for, until it answers without
 * asking. At the cap it must conclude without tools.
 */
export const functionCallingController: Controller = async (context) => {
  let tools = await offerTools(context);
  await openConversation(context, tools);
  await answerOpenToolCalls(context, context.db);
  const state = freshState();
  let emptyResponses = 0;

  for (
    let iteration = iterationsUsed(context.transcript.messages) + 1;
    iteration <= context.limits.maxIterations;
    iteration++
  ) {
    const limit = limitTime(context.signal, context.limits.iterationMs);
    tools = await offerJoined(context, tools);
    if (await tellNews(context)) return conclusion(context, OVER_CONCLUSION_PROMPT, iteration - 1);
    const outcome = await answerOrFailure(context, tools, iteration, limit, state);
    if ('result' in outcome) return outcome.result;
    if (outcome.answer === null) continue;
    const { answer } = outcome;

    if (answer.toolCalls.length > 0) {
      await keepAnswer(context, answer);
      for (const message of await runToolCalls(context, answer.toolCalls, limit.signal)) {
        await context.transcript.addMessage(message);
      }
      recordSuccess(state);
      emptyResponses = 0;
    } else if (answer.text.trim() !== '') {
      return conclude(context, answer);
    } else {
      await answer.textItem?.close({ status: 'COMPLETED' });
      state.lastFailure = 'The model gave an empty response.';
      emptyResponses += 1;
      if (emptyResponses > MAX_EMPTY_RESPONSES) return failed(`${emptyResponses} empty responses in a row.`);
      await context.transcript.addMessage({ role: 'USER', content: EMPTY_RESPONSE_PROMPT });
    }
  }
  return forceConclusion(context, state);
};

/** One call of the model; a failure is written down and told to the model, until giving up makes sense. */
async function answerOrFailure(
  context: AgentContext,
  tools: readonly LlmTool[],
  iteration: number,
  limit: TimeLimit,
  state: IterationState,
): Promise<{ answer: ModelAnswer | null } | { result: AgentResult }> {
  try {
    return {
      answer: await callModel(context.transcript, {
        ...callOf(context),
        tools,
        type: context.interactionType,
        iteration,
        limit,
      }),
    };
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    recordFailure(state, error);
    const content = describeError(error.cause);
    await context.transcript.addEvent({ type: 'ERROR', content, metadata: { iteration } });
    const end = givingUp(state, error, context.limits.maxConsecutiveFailures);
    if (end) return { result: { ...failed(end.reason), status: end.timedOut ? 'TIMED_OUT' : 'FAILED' } };
    const feedback = failureFeedback(error);
    if (feedback !== null) await context.transcript.addMessage({ role: 'USER', content: feedback });
    return { answer: null };
  }
}

/** Stores an answer that asks for tools; text beside the calls stays a response. */
async function keepAnswer(context: AgentContext, answer: ModelAnswer): Promise<void> {
  const text = (await answer.textItem?.close({ status: 'COMPLETED' })) ?? '';
  const { toolCalls } = answer;
  await context.transcript.addMessage({ role: 'ASSISTANT', content: text, toolCalls, ...turnOf(answer) });
}

function turnOf({ providerTurn }: ModelAnswer) {
  return providerTurn ? { providerTurn } : {};
}

/** Stores an answer without tool calls: it is the final analysis. */
async function conclude(
  context: AgentContext,
  answer: ModelAnswer,
  metadata?: Record<string, unknown>,
): Promise<AgentResult> {
  const end = { status: 'COMPLETED', type: 'FINAL_ANALYSIS', ...(metadata ? { metadata } : {}) } as const;
  const finalAnalysis = (await answer.textItem?.close(end)) ?? answer.text;
  await context.transcript.addMessage({ role: 'ASSISTANT', content: finalAnalysis, ...turnOf(answer) });
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}

/** The cap is reached: one more call without tools, unless the last iteration left nothing to conclude from. */
async function forceConclusion(context: AgentContext, state: IterationState): Promise<AgentResult> {
  const { maxIterations } = context.limits;
  if (state.lastFailure !== null) {
    return failed(`All ${maxIterations} iterations are used and the last one failed: ${state.lastFailure}`);
  }
  await tellNews(context);
  return conclusion(context, forcedConclusionPrompt(maxIterations, maxIterations), maxIterations);
}

/** The last call, without tools. */
async function conclusion(context: AgentContext, content: string, iterations: number): Promise<AgentResult> {
  const { maxIterations, iterationMs } = context.limits;
  const isAsked = context.transcript.messages.at(-1)?.content === content; // by a run that broke off
  if (!isAsked) await context.transcript.addMessage({ role: 'USER', content });
  const limit = limitTime(context.signal, iterationMs);
  try {
    const call = {
      ...callOf(context),
      tools: [],
      type: 'FORCED_CONCLUSION',
      iteration: iterations + 1,
      limit,
    } as const;
    const answer = await callModel(context.transcript, call);
    if (answer.text.trim() === '') {
      await answer.textItem?.close({ status: 'COMPLETED' });
      return failed('The model gave no conclusion.');
    }
    const metadata = {
      forced_conclusion: true,
      iterations_used: iterations,
      max_iterations: maxIterations,
    };
    return await conclude(context, answer, metadata);
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    const reason = describeError(error.cause);
    await context.transcript.addEvent({
      type: 'ERROR',
      content: reason,
      metadata: { forced_conclusion: true },
    });
    return failed(`The forced conclusion failed: ${reason}`);
  }
}

function callOf(context: AgentContext) {
  const { client, llm, window, outages, sessionId, executionId, transcript } = context;
  const { outageMs } = context.limits;
  const messages = [...transcript.messages];
  return { client, llm, window, outages, outageMs, sessionId, executionId, messages };
}

function failed(errorMessage: string): AgentResult {
  return { status: 'FAILED', finalAnalysis: null, errorMessage };
}
