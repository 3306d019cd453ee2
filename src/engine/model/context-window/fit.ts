import { headAndTail } from '../../../common/truncate.ts';
import { findHistoryResults } from '../../prompt-text/history.ts';
import { findCitedResult } from '../../prompt-text/tool-results.ts';
import { findEnclosures } from '../../prompt-text/untrusted.ts';
import { type FittingMessage, weightOf, weightOfMessage } from './token-estimate.ts';

/** Length (UTF-16 code units) to which old tool results are shortened in a conversation that is too long. */
const SHORTENED_RESULT_UNITS = 2000;

/**
 * Minimum lengths (UTF-16 code units) to which steps 2 and 3 of `fitMessages` shorten texts. Step 3 shortens the
 * alert, the question and the latest results too.
 */
const MIN_SHORTENED_TEXT_UNITS = 4000;
const MIN_SHORTENED_KEPT_UNITS = 1000;

/** How much a shortened request left out, as shown in the trace. */
export interface Shortened {
  texts: number;
  /** Left-out UTF-16 code units. */
  leftOut: number;
  /** Whole turns that were dropped because nothing else was left to shorten. */
  turns?: number;
}

export interface Fitted<M> {
  messages: readonly M[];
  /** `null` if everything fits. */
  shortened: Shortened | null;
  /** The weight of the request with its tools, by `weightOf`. */
  weight: number;
}

/** Returns the sent messages for the trace. Used where no other row stores the messages. */
export function describeSent({ messages, shortened }: Fitted<FittingMessage>): Record<string, unknown> {
  return shortened === null ? { messages } : { messages, shortened };
}

/** Added to the system message of a shortened conversation. */
const NOTE = `

## Shortened texts

This conversation is too long for you to read at once. Tool results, the oldest first, and then other long texts are
shortened below; each place says how much is missing. Do not guess missing text. If you need it and can, read a result by its number or
call a tool again, more narrowly. Say what you could not see where it matters.`;

/**
 * Shortens a conversation until its weight is at most `maxWeight`, in this order:
 * 1. Tool results, the oldest first.
 * 2. Histories, runbooks and the model's earlier texts, the longest first.
 * 3. The alert, the question and the latest results.
 * 4. Whole turns are dropped, the oldest first.
 * A shortened text keeps its beginning and end and says how much is missing. The outcome depends on the input alone.
 * @param fixed weight of the tools that are sent with the messages
 */
export function fitMessages<M extends FittingMessage>(
  messages: readonly M[],
  fixed: number,
  maxWeight: number,
): Fitted<M> {
  const whole = fixed + messages.reduce((sum, message) => sum + weightOfMessage(message), 0);
  if (whole <= maxWeight) return { messages, shortened: null, weight: whole };
  const parts = partsOf(messages);
  const cut = createCutter(parts, whole + weightOf(NOTE) - maxWeight);
  for (const part of parts.filter(({ kind }) => kind === 'result').sort((a, b) => a.order - b.order)) {
    if (cut.missing() > 0) cut.shorten(part, SHORTENED_RESULT_UNITS);
  }
  const texts = parts.filter(({ kind }) => kind === 'text');
  cut.level(texts, MIN_SHORTENED_TEXT_UNITS);
  const all = parts.filter(({ kind }) => kind !== 'fixed');
  cut.level(all, MIN_SHORTENED_KEPT_UNITS);
  const byMessage = Map.groupBy(parts, ({ message }) => message);
  const fitted = messages.map((message, index) => {
    const content = (byMessage.get(index) ?? []).map(({ text }) => text).join('');
    return { ...message, content: index === 0 && message.role === 'SYSTEM' ? content + NOTE : content };
  });
  const rest = withoutOldTurns(fitted, cut.missing());
  const shortened = { ...cut.shortened(), ...(rest.turns > 0 && { turns: rest.turns }) };
  return { messages: rest.messages, shortened, weight: maxWeight + rest.missing };
}

/** The additional weight that a second cut saves if the first one was not enough. */
const LEVEL_MORE = 300;

/** Shortens parts in place and counts the weight that is still to be saved. */
function createCutter(parts: readonly TextPart[], tooMuch: number) {
  const original = new Map(parts.map((part) => [part, part.text]));
  let missing = tooMuch;
  const shorten = (part: TextPart, max: number) => {
    const before = weightOf(part.text);
    const text = headAndTail(original.get(part)!, max);
    if (text.length >= part.text.length) return;
    part.text = text;
    missing -= before - weightOf(text);
  };
  return {
    missing: () => missing,
    shorten,
    /**
     * Shortens the longest parts to one common length: the greatest one that saves enough, but at least
     * `min`.
     */
    level(candidates: readonly TextPart[], min: number): void {
      // The needed length is estimated from average weights, and cuts are made at line ends. If the first cut
      // saves too little, a second one saves LEVEL_MORE in addition.
      for (const more of [0, LEVEL_MORE]) cutTo(candidates, min, more);
    },
    shortened(): Shortened {
      const cut = parts.filter((part) => part.text !== original.get(part));
      const leftOut = cut.reduce((sum, part) => sum + original.get(part)!.length - part.text.length, 0);
      return { texts: cut.length, leftOut };
    },
  };

  function cutTo(candidates: readonly TextPart[], min: number, more: number): void {
    if (missing <= 0) return;
    const sizes = candidates.map(({ text }) => ({
      length: text.length,
      density: weightOf(text) / text.length,
    }));
    const spared = (max: number) =>
      sizes.reduce((sum, { length, density }) => sum + (length > max ? (length - max) * density : 0), 0);
    let [low, high] = [min, Math.max(min, ...sizes.map(({ length }) => length))];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (spared(middle) >= missing + more) low = middle;
      else high = middle;
    }
    for (const part of candidates) shorten(part, low);
  }
}

export const TOO_LONG_CONCLUSION_PROMPT = `This conversation is too long for you to read, even shortened, and no more tool calls are possible.

Conclude now from your findings:

- Write the final analysis in the requested form.
- Separate what is proven, what is likely, and what you could not check or not see.
- Name the checks that you would have made next, so that a person can make them.`;

const NO_CONCLUSION = {
  TOO_LONG: 'the conversation is too long for its model, even shortened',
  NO_TIME: 'the time was over',
};

/**
 * Returns an analysis of a conversation that no model can conclude: the model's last text and a list of the tool
 * results. `null` if there is neither.
 */
export function unreadAnalysis(
  messages: readonly FittingMessage[],
  why: keyof typeof NO_CONCLUSION,
): string | null {
  const said = messages.findLast(({ role, content }) => role === 'ASSISTANT' && content.trim() !== '');
  const results = messages.flatMap((message) => {
    const result = findCitedResult(message);
    return result === null ? [] : [`- [T${result.number}] ${message.toolName ?? ''}`.trim()];
  });
  if (!said && results.length === 0) return null;
  const parts = [
    `No model wrote this conclusion, because ${NO_CONCLUSION[why]}. The findings until then are not combined.`,
    ...(said ? [`Last text of the model:\n\n${headAndTail(said.content.trim(), 4_000)}`] : []),
    ...(results.length > 0 ? [`Stored tool results: ${results.length}\n\n${results.join('\n')}`] : []),
  ];
  return parts.join('\n\n');
}

interface TextPart {
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
function withoutOldTurns<M extends FittingMessage>(
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
