import { headAndTail } from '../../../common/truncate.ts';
import { resultIn } from '../../prompt-text/outputs.ts';
import type { FittingMessage } from './token-estimate.ts';

/** The model takes no more of the conversation, however it is shortened. */
export const TOO_LONG_CONCLUSION_PROMPT = `This conversation is longer than what you can read, also shortened, and no more tool calls are possible.

Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Keep apart what is proven, what is likely, and what you could not check or not see.
- Name the checks you would have made next, so that a person can make them.`;

/** UTF-16 code units of what the model had written last. */
const LAST_WORDS_UNITS = 4_000;

/** What stands for an analysis where the model could not even be asked for one: what there is, by rule; null = there is nothing. */
export function unreadAnalysis(messages: readonly FittingMessage[]): string | null {
  const said = messages.findLast(({ role, content }) => role === 'ASSISTANT' && content.trim() !== '');
  const results = messages.flatMap((message) => {
    const result = resultIn(message);
    return result === null ? [] : [`- [T${result.number}] ${message.toolName ?? ''}`.trim()];
  });
  if (!said && results.length === 0) return null;
  const parts = [
    'No model concluded this: the conversation became longer than its model takes, also with all left out that can be. What was found by then is not joined.',
    ...(said ? [`The model had written last:\n\n${headAndTail(said.content.trim(), LAST_WORDS_UNITS)}`] : []),
    ...(results.length > 0 ? [`These results of tools are stored:\n\n${results.join('\n')}`] : []),
  ];
  return parts.join('\n\n');
}
