import type { LlmTool } from '../../llm/client.ts';
import { reactBrokenResponsePrompt, reactForcedConclusionPrompt } from '../../prompts/react.ts';
import type { AgentContext, AgentResult } from '../agent.ts';
import { failureFeedback, givingUp, type IterationState, recordFailure } from '../iteration.ts';
import { callModel, type ModelCall } from '../model-call.ts';
import { describeError, ModelCallError } from '../model-failure.ts';
import { tellNews } from '../news.ts';
import { parseReact, type ReactResponse } from '../react-parser.ts';
import { limitTime, type TimeLimit } from '../time-limit.ts';
import { createReactItems, type ReactItems } from './items.ts';
import { keptResponse, keptText } from './kept.ts';

/** A response of the model with what is shown of it. */
export interface ReactTurn {
  response: ReactResponse;
  items: ReactItems;
}

/** One call of the model; a failure is written down and told to the model, until giving up makes sense. */
export async function requestReactTurn(
  context: AgentContext,
  reactTools: readonly LlmTool[],
  iteration: number,
  limit: TimeLimit,
  state: IterationState,
): Promise<{ turn: ReactTurn | null } | { result: AgentResult }> {
  try {
    return {
      turn: await callForTurn(context, { reactTools, type: context.interactionType, iteration, limit }),
    };
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    recordFailure(state, error);
    const content = describeError(error.cause);
    await context.transcript.addEvent({ type: 'ERROR', content, metadata: { iteration } });
    const end = givingUp(state, error, context.limits.maxConsecutiveFailures);
    if (end) return { result: { ...failed(end.reason), status: end.timedOut ? 'TIMED_OUT' : 'FAILED' } };
    // Nor does an invented observation come back this way.
    const kept = new ModelCallError(error.cause, keptResponse(context, parseReact(error.partialText)));
    const feedback = failureFeedback(kept, reactBrokenResponsePrompt);
    if (feedback !== null) await context.transcript.addMessage({ role: 'USER', content: feedback });
    return { turn: null };
  }
}

/** The cap is reached: one more call, for the final answer only, unless the last iteration failed. */
export async function forceReactConclusion(
  context: AgentContext,
  state: IterationState,
): Promise<AgentResult> {
  const { maxIterations } = context.limits;
  if (state.lastFailure !== null) {
    return failed(`All ${maxIterations} iterations are used and the last one failed: ${state.lastFailure}`);
  }
  await tellNews(context);
  return reactConclusion(context, reactForcedConclusionPrompt(maxIterations, maxIterations), maxIterations);
}

/** The last call, for the final answer only. */
export async function reactConclusion(
  context: AgentContext,
  content: string,
  iterations: number,
): Promise<AgentResult> {
  const { iterationMs } = context.limits;
  const isAsked = context.transcript.messages.at(-1)?.content === content;
  if (!isAsked) await context.transcript.addMessage({ role: 'USER', content });
  const limit = limitTime(context.signal, iterationMs);
  try {
    const call = { reactTools: [], type: 'FORCED_CONCLUSION', iteration: iterations + 1, limit } as const;
    return await concludeFrom(context, await callForTurn(context, call), iterations);
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    const reason = describeError(error.cause);
    const metadata = { forced_conclusion: true };
    await context.transcript.addEvent({ type: 'ERROR', content: reason, metadata });
    return failed(`The forced conclusion failed: ${reason}`);
  }
}

async function callForTurn(
  context: AgentContext,
  call: Pick<ModelCall, 'reactTools' | 'type' | 'iteration' | 'limit'>,
): Promise<ReactTurn> {
  const { client, llm, window, outages, sessionId, executionId, transcript } = context;
  const { outageMs } = context.limits;
  let items = createReactItems(transcript);
  const newItems = () => {
    items = createReactItems(transcript);
    return items;
  };
  const messages = [...transcript.messages];
  const base = {
    client,
    llm,
    window,
    outages,
    outageMs,
    sessionId,
    executionId,
    messages,
    tools: [],
    text: newItems,
  };
  const kept = (text: string) => keptText(context, parseReact(text), text);
  const { text } = await callModel(transcript, { ...base, ...call, kept });
  return { response: parseReact(text), items };
}

async function concludeFrom(
  context: AgentContext,
  { response, items }: ReactTurn,
  iterations: number,
): Promise<AgentResult> {
  const { maxIterations } = context.limits;
  const metadata = {
    forced_conclusion: true,
    iterations_used: iterations,
    max_iterations: maxIterations,
  };
  const answer = conclusionOf(response);
  if (answer === '') return failed('The model gave no conclusion.');
  await items.conclude(answer, metadata);
  await context.transcript.addMessage({ role: 'ASSISTANT', content: response.text });
  return { status: 'COMPLETED', finalAnalysis: answer, errorMessage: null };
}

/** A last response counts in whatever form it is: better an analysis without its header than none. */
function conclusionOf(response: ReactResponse): string {
  if (response.finalAnswer !== null) return response.finalAnswer;
  const isPlain = response.kind === 'malformed' && response.reason === 'no_sections';
  return isPlain ? response.text.trim() : (response.thought ?? '');
}

function failed(errorMessage: string): AgentResult {
  return { status: 'FAILED', finalAnalysis: null, errorMessage };
}
