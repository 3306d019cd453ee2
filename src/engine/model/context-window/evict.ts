import { findCitedResult, formatEvictedResult } from '../../prompt-text/tool-results.ts';
import { type FittingMessage, weightOf, weightOfMessage } from './token-estimate.ts';

/** Number of newest tool results that are never evicted, because the model is working with them. */
const LAST_KEPT = 3;

export interface Evicted<M> {
  messages: readonly M[];
  /** Results of messages before this index are evicted. */
  through: number;
  /** The citation numbers of the evicted results, which the model can still read. */
  numbers: readonly number[];
}

/**
 * Replaces evicted tool results of a conversation by a short notice. If the conversation weighs more than `limit`,
 * evicts the oldest results until it weighs at most `target`. Evicted results stay evicted, so that a request begins
 * like the previous one, which providers cache. The last results and those without an answer of the model stay.
 * @param fixed weight of the tools that are sent with the messages
 */
export function evictResults<M extends FittingMessage>(
  messages: readonly M[],
  { through, fixed, limit, target }: { through: number; fixed: number; limit: number; target: number },
): Evicted<M> {
  const evicted = [...messages];
  const numbers: number[] = [];
  let weight = fixed + messages.reduce((sum, message) => sum + weightOfMessage(message), 0);
  const evict = ({ index, number, line }: Candidate) => {
    const message = messages[index]!;
    weight -= weightOf(message.content) - weightOf(line);
    evicted[index] = { ...message, content: line };
    numbers.push(number);
  };
  const candidates = candidatesOf(messages);
  const out = candidates.filter(({ index }) => index < through);
  for (const candidate of out) evict(candidate);
  let last = through;
  if (weight > limit) {
    for (const candidate of candidates.slice(out.length)) {
      if (weight <= target) break;
      evict(candidate);
      last = candidate.index + 1;
    }
  }
  return { messages: evicted, through: last, numbers };
}

interface Candidate {
  index: number;
  number: number;
  line: string;
}

function candidatesOf(messages: readonly FittingMessage[]): Candidate[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  const results = messages.flatMap((message, index) => {
    const result = findCitedResult(message);
    return result === null ? [] : [{ index, ...result }];
  });
  return results
    .slice(0, -LAST_KEPT)
    .map(({ index, number, before }) => ({ index, number, line: `${before}${formatEvictedResult(number)}` }))
    .filter(({ index, line }) => index < lastAnswer && messages[index]!.content.length > line.length);
}
