import { headAndTail } from '../../../common/truncate.ts';
import { resultIn } from '../../prompt-text/outputs.ts';
import { partsOf, type TextPart, withoutOldTurns } from './parts.ts';
import { type FittingMessage, weightOf, weightOfMessage } from './token-estimate.ts';

/** What is left of an old tool result where the conversation is too long, in UTF-16 code units. */
export const SHORTENED_RESULT_UNITS = 2000;

/** … at least of each other text, and, where nothing else is left to shorten, of the alert and the latest results. */
export const MIN_SHORTENED_TEXT_UNITS = 4000;

export const MIN_SHORTENED_KEPT_UNITS = 1000;

/** What was left out of a request, for the trace. */
export interface Shortened {
  texts: number;
  /** UTF-16 code units. */
  leftOut: number;
  /** Turns of the model that were left out whole, where nothing else was left to shorten. */
  turns?: number;
}

export interface Fitted<M> {
  messages: readonly M[];
  /** Null: everything fits as it is. */
  shortened: Shortened | null;
  /** Of the request as it is sent, tools included, in UTF-16 code units, weighed as by `weightOf`. */
  weight: number;
}

/** What was sent, for the trace of a call whose messages are stored nowhere else. */
export function describeSent({ messages, shortened }: Fitted<FittingMessage>): Record<string, unknown> {
  return shortened === null ? { messages } : { messages, shortened };
}

/** Told to the model where anything was shortened. */
const NOTE = `

## Shortened texts

This conversation is longer than what you can read at once. Tool results, the oldest first, and then other long texts are
shortened below; each place says how much is missing. Do not guess what is missing: read a result by its number or call a
tool again, more narrowly, when you need it and can, and say what you could not see where it matters.`;

/**
 * The conversation shortened to a weight, by fixed rules: first the results of tools, the oldest first; then histories,
 * runbooks and the model's own earlier texts, the longest first; at last, if there is no other way, also the alert, the
 * question and the latest results, and whole turns, the oldest first. A text that is shortened keeps its beginning and
 * its end and says how much is missing. The same conversation is always shortened in the same way.
 * @param fixed weight of what is sent beside the messages
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
  cut.level(
    parts.filter(({ kind }) => kind === 'text'),
    MIN_SHORTENED_TEXT_UNITS,
  );
  cut.level(
    parts.filter(({ kind }) => kind !== 'fixed'),
    MIN_SHORTENED_KEPT_UNITS,
  );
  const byMessage = Map.groupBy(parts, ({ message }) => message);
  const fitted = messages.map((message, index) => {
    const own = byMessage.get(index) ?? [];
    return { ...message, content: withNote(message, own.map(({ text }) => text).join(''), index) };
  });
  const rest = withoutOldTurns(fitted, cut.missing());
  const shortened = { ...cut.shortened(), ...(rest.turns > 0 && { turns: rest.turns }) };
  return { messages: rest.messages, shortened, weight: maxWeight + rest.missing };
}

function withNote(message: FittingMessage, content: string, index: number): string {
  return index === 0 && message.role === 'SYSTEM' ? `${content}${NOTE}` : content;
}

/** By how much more is cut where the first cut was not enough. */
const LEVEL_MORE = 300;

/** Shortens parts in place and keeps count. */
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
    /** Cuts the longest ones to one length, as long as it may be, but no shorter than `min`. */
    level(candidates: readonly TextPart[], min: number): void {
      // What is cut away may weigh less than the rest, and cuts are made at lines: then a little more goes.
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
