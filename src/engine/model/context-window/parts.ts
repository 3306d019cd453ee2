import { findHistoryResults } from '../../prompt-text/history.ts';
import { findEnclosures } from '../../prompt-text/untrusted.ts';
import { type FittingMessage, weightOfMessage } from './token-estimate.ts';

export interface TextPart {
  message: number;
  text: string;
  /**
   * `fixed` is never shortened. Results of tools (`result`) are shortened first, by `order`, and `text` next. `kept` is
   * shortened last: the alert, the question, and the results that the model has not answered yet.
   */
  kind: 'fixed' | 'result' | 'text' | 'kept';
  order: number;
}

/** Splits messages into parts, in order. Joined, the parts are the messages again. */
export function partsOf(messages: readonly Pick<FittingMessage, 'role' | 'content'>[]): TextPart[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  return messages.flatMap(({ role, content }, message) => {
    const part = (text: string, kind: TextPart['kind'], order = message) => ({ message, text, kind, order });
    if (role === 'SYSTEM') return [part(content, 'fixed')];
    if (role === 'ASSISTANT') return [part(content, message === lastAnswer ? 'kept' : 'text')];
    const parts: TextPart[] = [];
    let at = 0;
    for (const { kind, start, end } of findEnclosures(content)) {
      parts.push(part(content.slice(at, start), 'fixed'));
      const text = content.slice(start, end);
      if (kind === 'TOOL RESULT') parts.push(part(text, message < lastAnswer ? 'result' : 'kept'));
      else if (kind === 'AGENT RESULT' || kind === 'HISTORY') parts.push(...historyParts(text, part));
      else parts.push(part(text, KEPT.has(kind) ? 'kept' : kind === 'TOOL LIST' ? 'fixed' : 'text'));
      at = end;
    }
    return [...parts, part(content.slice(at), 'fixed')];
  });
}

const KEPT: ReadonlySet<string> = new Set(['ALERT DATA', 'QUESTION', 'AGENT TASK']);

/**
 * Splits a history into parts. The tool results in a history are shortened before those of the conversation.
 * The last one in a history is shortened later, like other text.
 */
function historyParts(
  history: string,
  part: (text: string, kind: TextPart['kind'], order?: number) => TextPart,
): TextPart[] {
  const results = findHistoryResults(history);
  const parts: TextPart[] = [];
  let at = 0;
  for (const [index, { start, end }] of results.entries()) {
    const age = results.length - index;
    parts.push(part(history.slice(at, start), 'text'));
    parts.push(part(history.slice(start, end), age === 1 ? 'text' : 'result', -age));
    at = end;
  }
  return [...parts, part(history.slice(at), 'text')];
}

/**
 * Drops as many of the oldest turns as needed to save the weight `missing`, and returns what is still missing. A turn
 * is an answer of the model with all that follows, so no tool call loses its result. The opening and last turn stay.
 */
export function withoutOldTurns<M extends FittingMessage>(
  messages: readonly M[],
  missing: number,
): { messages: readonly M[]; missing: number; turns: number } {
  const begins = messages.flatMap(({ role }, index) => (role === 'ASSISTANT' ? [index] : []));
  let left = missing;
  let turns = 0;
  while (left > 0 && turns < begins.length - 1) {
    const turn = messages.slice(begins[turns], begins[turns + 1]);
    left -= turn.reduce((sum, message) => sum + weightOfMessage(message), 0);
    turns += 1;
  }
  if (turns === 0) return { messages, missing, turns };
  const rest = [...messages.slice(0, begins[0]), ...messages.slice(begins[turns])];
  return { messages: rest, missing: left, turns };
}
