import type { HeaderStyle } from './headers.ts';
import { createJsonEnd, type JsonEnd } from './json-end.ts';

/** The lines of an input and how its header was written. */
export interface InputLines {
  raw: string;
  style: HeaderStyle;
}

/** The action of a response and its input: the last of each, where they belong together. */
export function createCallParts() {
  let action: string[] | null = null;
  let input: { parts: string[]; style: HeaderStyle; json: JsonEnd } | null = null;
  return {
    /** A new action has nothing to do with the input of the one before. */
    beginAction(parts: string[]): void {
      if (action !== null) input = null;
      action = parts;
    },
    beginInput(style: HeaderStyle): void {
      input = { parts: [], style, json: createJsonEnd() };
    },
    addToAction: (piece: string) => void action?.push(piece),
    addToInput(piece: string): void {
      input?.parts.push(piece);
      input?.json.take(piece);
    },
    /** Where in the text that comes next the input has not begun yet, or has ended; -1 = nowhere. */
    outsideInput: (next: string): number => input?.json.outside(next) ?? -1,
    hasAction: () => action !== null,
    /** There is an action without an input. */
    awaitsInput: () => action !== null && input === null,
    action: (): string | null => action?.join('') ?? null,
    input: (): InputLines | null => input && { raw: input.parts.join(''), style: input.style },
  };
}
