import { describeTools, type PromptTool } from './tool-list.ts';

/** Turns in which the engine tells the model what went wrong or what to do next. */

export function forcedConclusionPrompt(iterationsUsed: number, maxIterations: number): string {
  return `You have used ${iterationsUsed} of ${maxIterations} iterations, and no more tool calls are possible.

Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Keep apart what is proven, what is likely, and what you could not check.
- Name the checks you would have made next, so that a person can make them.`;
}

/** The budget is used up. */
export const BUDGET_CONCLUSION_PROMPT = `The budget of this investigation is used up, and no more tool calls are possible.

Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Keep apart what is proven, what is likely, and what you could not check.
- Name the checks you would have made next, so that a person can make them.`;

/** Tools came while the model worked: their server was not there before, or has new ones. */
export function toolsJoinedPrompt(tools: readonly PromptTool[]): string {
  return `More tools are there now than at the beginning; use them where they help:\n\n${describeTools(tools)}`;
}

/** Another provider's model goes on, which has none of these. */
export function nativeToolsGonePrompt(names: readonly string[]): string {
  return `These tools of your own are not there any more: ${names.join(', ')}. Go on without them.`;
}

export const EMPTY_RESPONSE_PROMPT =
  'Your last response was empty. Call a tool, or write the final analysis as text.';

/** `partial` is what had arrived of a response that broke off, cut to a readable length. */
export function brokenResponsePrompt(reason: string, partial: string): string {
  const rest =
    partial === ''
      ? ''
      : `\n\nUntil then you had written:\n\n${partial}\n\nGo on from there, without repeating it.`;
  return `Your last response broke off: ${reason}. Please try again, more briefly.${rest}`;
}
