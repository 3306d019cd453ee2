import type { IterationStrategy } from '../../../config/enums.ts';
import type { LlmTool } from '../../model/client.ts';
import type { LlmMessage } from '../../model/request.ts';
import type { RequestTools } from '../../run-context/codec.ts';
import type { NewMessage } from '../../store/messages.ts';
import type { SubmitTool } from './schema.ts';

/** Returns the function with which a model submits its result; none for ReAct models, which submit text. */
export function submitTools(strategy: IterationStrategy, submit: SubmitTool): RequestTools {
  if (strategy === 'REACT') return { tools: [] };
  const annotations = { readOnly: null, destructive: null, idempotent: null, openWorld: null };
  const tool: LlmTool = { ...submit, toolClass: 'reads', annotations };
  return { tools: [tool], toolChoice: submit.name };
}

type SubmittedMessage = Pick<LlmMessage, 'content' | 'toolCalls'>;

export function submittedText(message: SubmittedMessage, submit: SubmitTool): string {
  return submitCall(message, submit)?.arguments ?? message.content;
}

function submitCall({ toolCalls = [] }: SubmittedMessage, { name }: SubmitTool) {
  return toolCalls.find((call) => call.name === name);
}

/** Makes an attempt, and a second one if the model can repair a problem of the first. Returns both. */
export async function submitWithRepair<Attempt>({
  attempt,
  problemIn,
  sendBack,
}: {
  attempt(number: number): Promise<Attempt>;
  /** Returns the repair prompt for the model; `null` if there is nothing to repair. */
  problemIn(attempt: Attempt): string | null;
  sendBack(first: Attempt, problem: string): void | Promise<void>;
}): Promise<{ first: Attempt; last: Attempt }> {
  const first = await attempt(1);
  const problem = problemIn(first);
  if (problem === null) return { first, last: first };
  await sendBack(first, problem);
  return { first, last: await attempt(2) };
}

/**
 * Returns messages that ask for a repair. `others` is the result of all other tool calls in the message,
 * because providers require a result for each call.
 */
export function repairMessages(
  message: SubmittedMessage,
  submit: SubmitTool,
  { problem, others }: { problem: string; others: string },
): NewMessage[] {
  const { toolCalls = [] } = message;
  if (toolCalls.length === 0) return [{ role: 'USER', content: problem }];
  const submitted = submitCall(message, submit) ?? toolCalls[0];
  return toolCalls.map((call) => ({
    ...{ role: 'TOOL', toolCallId: call.id, toolName: call.name },
    content: call === submitted ? problem : others,
  }));
}
