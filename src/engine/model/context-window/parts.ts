import { historyResults } from '../../prompt-text/history.ts';
import { enclosures } from '../../prompt-text/untrusted.ts';

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
