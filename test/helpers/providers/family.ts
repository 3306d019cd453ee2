import { createHash } from 'node:crypto';

/** A request's JSON, read without a schema. */
// biome-ignore lint/suspicious/noExplicitAny: what a server gets is anything, and is checked by looking
export type Json = any;

/** A model's answer. */
export interface Answer {
  thought: string;
  text: string;
  /** The tool call; `null` if the model concludes instead. */
  call: { name: string; arguments: string } | null;
  /** Number of the turn in the conversation, from 0. */
  turn: number;
}

/** A streamed answer in pieces. The stream can be interrupted between two pieces. */
export interface Pieces {
  /** The thoughts and the first half of the text. */
  begun: string;
  textRest: string;
  /** The call with incomplete arguments; '' if there is no call. */
  callBegun: string;
  /** The rest of the call, and the end of the answer. */
  rest: string;
}

/** A provider family: its wire format and the requests that it refuses. */
export interface Family {
  /** Returns the provider's configuration, with the address of the fake server. */
  config(url: string): Record<string, unknown>;
  /**
   * Returns the reason for which the real server would refuse the conversation; `null` if it accepts the
   * conversation.
   */
  problem(body: Json): string | null;
  /** HTTP status of a refusal; default 400. */
  status?: number;
  contentType?: string;
  /** Returns a streamed text in the provider's binary framing. */
  frame?(text: string): Buffer;
  /** The number of tool results in the conversation, which identifies the turn. */
  results(body: Json): number;
  answer(answer: Answer): Pieces;
  /** An event that reports a failure in the middle of a stream. */
  failure: string;
}

/** Returns a signature of the text that no other family produces. */
export const signatureOf = (family: string, text: string): string =>
  `${family}-${createHash('sha256').update(`${family} ${text}`).digest('hex')}`;

export const halves = (text: string): [string, string] => {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

export const event = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;
export const named = (body: Json): string => `event: ${body.type}\n${event(body)}`;

/** Tool names that all of the APIs accept. */
export const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Returns the first problem that `problem` finds in the items, or `null`. */
export function firstProblem<T>(
  all: readonly T[],
  problem: (one: T, index: number) => string | null,
): string | null {
  for (const [index, one] of all.entries()) {
    const found = problem(one, index);
    if (found !== null) return found;
  }
  return null;
}
