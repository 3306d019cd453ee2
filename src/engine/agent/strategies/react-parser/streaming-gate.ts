import type { TextGate } from '../../../run-context/codec.ts';

/** The longest header with what may stand around its words (characters); as much is held back while a text arrives. */
const HELD = 48;
const header = (words: string) =>
  `[\\s#>*_\`]{0,20}(?:${words})[*_\`]{0,3}[ \\t]{0,4}(?:[:：]|\\n)[*_\`]{0,3}`;
/** The arguments of a call follow, which are not masked yet, or what the model invented. */
const CALL = new RegExp(`${header('action(?:[ \\t_-]?input)?|observation')}|\\[Based on`, 'i');
const FIRST = new RegExp(`^(?:${header('thought|final[ \\t_-]?answer')})?\\s*`, 'i');

/**
 * What of a response in the ReAct format may be shown while it arrives: the text after its first header, and nothing from
 * the first word on that may begin a call. It is read properly when it is complete.
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

/** Whether a text speaks of an action's input. */
export function mentionsInput(text: string): boolean {
  return /action[ \t_-]?input/i.test(text);
}
