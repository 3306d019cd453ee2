import { createHash } from 'node:crypto';

/** JSON of a request, looked into as it comes. */
// biome-ignore lint/suspicious/noExplicitAny: what a server gets is anything, and is checked by looking
export type Json = any;

/** What a model answers. */
export interface Answer {
  thought: string;
  text: string;
  /** Null: it concludes. */
  call: { name: string; arguments: string } | null;
  /** Number of the turn in its conversation, from 0. */
  turn: number;
}

/** An answer as the server streams it, in pieces between which it can break off. */
export interface Pieces {
  /** Thoughts, with the first half of the text. */
  begun: string;
  textRest: string;
  /** The call, as far as its arguments are not whole; '' where there is none. */
  callBegun: string;
  /** … its rest, and the end. */
  rest: string;
}

/** A kind of provider: how its servers speak, and what they refuse. */
export interface Family {
  /** As the configuration names it; with the address of its server. */
  config(url: string): Record<string, unknown>;
  /** Why a server as strict as the real one refuses the conversation, whoever wrote its turns; null: it takes it. */
  problem(body: Json): string | null;
  /** Results of tools in the conversation: how far it is. */
  results(body: Json): number;
  answer(answer: Answer): Pieces;
  /** An event that tells of a failure in the middle of a stream. */
  failure: string;
}

/** A signature that nobody else can have made for the text. */
export const signed = (family: string, text: string): string =>
  `${family}-${createHash('sha256').update(`${family} ${text}`).digest('hex')}`;

export const halves = (text: string): [string, string] => {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

export const event = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;
export const named = (body: Json): string => `event: ${body.type}\n${event(body)}`;

/** Names that each of the APIs takes. */
export const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** What is wrong with the first of them that is wrong. */
export function first<T>(
  all: readonly T[],
  problem: (one: T, index: number) => string | null,
): string | null {
  for (const [index, one] of all.entries()) {
    const found = problem(one, index);
    if (found !== null) return found;
  }
  return null;
}
