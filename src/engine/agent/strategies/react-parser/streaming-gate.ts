import type { TextGate } from '../../../run-context/codec.ts';

/** Number of characters held back during streaming, because they may begin a header. No header is longer. */
const HELD = 48;
const header = (words: string) =>
  `[\\s#>*_\`]{0,20}(?:${words})[*_\`]{0,3}[ \\t]{0,4}(?:[:：]|\\n)[*_\`]{0,3}`;
/** Matches a header that unmasked tool arguments or an invented observation may follow. */
const CALL = new RegExp(`${header('action(?:[ \\t_-]?input)?|observation')}|\\[Based on`, 'i');
const FIRST = new RegExp(`^(?:${header('thought|final[ \\t_-]?answer')})?\\s*`, 'i');

/**
 * Creates a gate for streamed ReAct text. The gate drops the first header, such as `Thought:`, and shows the
 * text up to the first header that may start a tool call.
 */
export function createGate(): TextGate {
  let held = '';
  let isBegun = false;
  let isShut = false;

  function pass(isAll: boolean): string {
    if (isShut || (!isAll && held.length <= HELD)) return '';
    if (!isBegun) held = held.replace(FIRST, '');
    isBegun ||= held !== '';
    const call = CALL.exec(held);
    isShut = call !== null;
    const end = call?.index ?? (isAll ? held.length : Math.max(0, held.length - HELD));
    const certain = isShut || isAll ? held.slice(0, end).trimEnd() : held.slice(0, end);
    held = held.slice(end);
    return certain;
  }

  return {
    add(delta) {
      if (!isShut) held += delta;
      return pass(false);
    },
    end: () => pass(true),
  };
}

export function mentionsInput(text: string): boolean {
  return /action[ \t_-]?input/i.test(text);
}
