import { statusOfFailure } from '../abort.ts';
import type { Controller } from '../agent.ts';
import { callModel } from '../model-call.ts';
import { describeError, ModelCallError } from '../model-failure.ts';
import { tellNews } from '../news.ts';
import { openConversation } from '../opening.ts';
import { limitTime } from '../time-limit.ts';

/** One call of the model, without tools; its answer is the final analysis. */
export const singleCallController: Controller = async (context) => {
  const { transcript, client, llm, window, outages, sessionId, executionId } = context;
  await openConversation(context, []);
  await tellNews(context); // it concludes anyhow
  const limit = limitTime(context.signal, context.limits.iterationMs);
  try {
    const messages = [...transcript.messages];
    const answer = await callModel(transcript, {
      client,
      llm,
      window,
      outages,
      outageMs: context.limits.outageMs,
      sessionId,
      executionId,
      messages,
      tools: [],
      type: context.interactionType,
      iteration: 1,
      limit,
    });
    const finalAnalysis =
      (await answer.textItem?.close({ status: 'COMPLETED', type: 'FINAL_ANALYSIS' })) ?? '';
    if (finalAnalysis.trim() === '') {
      return { status: 'FAILED', finalAnalysis: null, errorMessage: 'The model gave an empty response.' };
    }
    await transcript.addMessage({ role: 'ASSISTANT', content: finalAnalysis });
    return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    const errorMessage = describeError(error.cause);
    await transcript.addEvent({ type: 'ERROR', content: errorMessage });
    const status = statusOfFailure(error.cause) === 'TIMED_OUT' ? 'TIMED_OUT' : 'FAILED';
    return { status, finalAnalysis: null, errorMessage };
  }
};
