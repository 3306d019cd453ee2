import { evictedResult, resultIn } from '../../prompt-text/outputs.ts';
import { type FittingMessage, weightOf, weightOfMessage } from './token-estimate.ts';

/** Results of tools that stay in a conversation, whatever its length: what the model works with just now. */
const LAST_KEPT = 3;

/** Which results of a conversation are taken out: those of messages before this place in it. Only grows. */
export type EvictedThrough = number;

export interface Evicted<M> {
  messages: readonly M[];
  through: EvictedThrough;
  /** Of the results that are out, by which they are found again. */
  numbers: readonly number[];
}

/**
 * The conversation without the results that are out, and, when it weighs more than `limit`, without so many of the
 * oldest others that it weighs no more than `target`. What is out stays out, so between two such moments a request
 * begins with the one before it, word by word, which providers cache. The last results stay, and those that the model
 * has not answered yet. The same conversation always loses the same results.
 * @param fixed weight of what is sent beside the messages
 */
export function evictResults<M extends FittingMessage>(
  messages: readonly M[],
  {
    through,
    fixed,
    limit,
    target,
  }: { through: EvictedThrough; fixed: number; limit: number; target: number },
): Evicted<M> {
  const evicted = [...messages];
  const numbers: number[] = [];
  let weight = fixed + messages.reduce((sum, message) => sum + weightOfMessage(message), 0);
  const takeOut = ({ index, number, line }: Candidate) => {
    const message = messages[index]!;
    weight -= weightOf(message.content) - weightOf(line);
    evicted[index] = { ...message, content: line };
    numbers.push(number);
  };
  const candidates = candidatesOf(messages);
  const out = candidates.filter(({ index }) => index < through);
  for (const candidate of out) takeOut(candidate);
  let last = through;
  if (weight > limit) {
    for (const candidate of candidates.slice(out.length)) {
      if (weight <= target) break;
      takeOut(candidate);
      last = candidate.index + 1;
    }
  }
  return { messages: evicted, through: last, numbers };
}

interface Candidate {
  index: number;
  number: number;
  /** What takes the place of the message. */
  line: string;
}

/** Messages whose results can be taken out, oldest first. */
function candidatesOf(messages: readonly FittingMessage[]): Candidate[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  const results = messages.flatMap((message, index) => {
    const result = resultIn(message);
    return result === null ? [] : [{ index, ...result }];
  });
  return results
    .slice(0, -LAST_KEPT)
    .map(({ index, number, before }) => ({ index, number, line: `${before}${evictedResult(number)}` }))
    .filter(({ index, line }) => index < lastAnswer && messages[index]!.content.length > line.length);
}
