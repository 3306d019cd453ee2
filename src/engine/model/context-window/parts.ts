import { historyResults } from '../../prompt-text/history.ts';
import { enclosures } from '../../prompt-text/untrusted.ts';
import { type FittingMessage, weightOfMessage } from './token-estimate.ts';

/** A piece of a message, with what may be done to it when there is too much. */
export interface TextPart {
  /** Index of the message. */
  message: number;
  text: string;
  /**
   * `fixed`: stays. `result`: of a tool; goes first, by `order`. `text`: goes next. `kept`: only if there is no other
   * way: the alert, the question, the results that the model has not answered yet.
   */
  kind: 'fixed' | 'result' | 'text' | 'kept';
  order: number;
}

interface Message {
  role: string;
  content: string;
}

/** All messages in pieces, in order; put together again they are the messages. */
export function partsOf(messages: readonly Message[]): TextPart[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'ASSISTANT');
  return messages.flatMap(({ role, content }, message) => {
    const part = (text: string, kind: TextPart['kind'], order = message): TextPart => ({
      message,
      text,
      kind,
      order,
    });
    if (role === 'SYSTEM') return [part(content, 'fixed')];
    if (role === 'ASSISTANT') return [part(content, message === lastAnswer ? 'kept' : 'text')];
    const parts: TextPart[] = [];
    let at = 0;
    for (const { kind, start, end } of enclosures(content)) {
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

/** Results within a history are older than those of the conversation; of each history the last one counts as text. */
function historyParts(
  history: string,
  part: (text: string, kind: TextPart['kind'], order?: number) => TextPart,
): TextPart[] {
  const results = historyResults(history);
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
 * A conversation without its oldest turns, as many as are needed: an answer of the model with all that followed it, so
 * that no call stays without its result. What it begins with stays, and the last turn.
 * @param missing by how much it weighs too much
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
  return {
    messages: [...messages.slice(0, begins[0]), ...messages.slice(begins[turns])],
    missing: left,
    turns,
  };
}
