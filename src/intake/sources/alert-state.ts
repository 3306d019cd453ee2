import type { AlertState } from '../../db/enums.ts';

/** Words that mean resolved. All other words count as firing; so do numbers, because senders use them differently. */
const OVER = new Set(
  `resolved resolve recovered recovery ok okay closed close normal inactive cleared clear success succeeded successful
  up healthy fixed deactivated`.split(/\s+/),
);

/** Words that mean resolved, and words that mean firing, even outside of a field for the state, such as in a title. */
const OVER_ALONE = new Set('resolved recovered recovery ok okay up closed cleared deactivated'.split(' '));
const FIRING_ALONE = new Set(
  `firing fired triggered retriggered renotify activated alert alerting alarm problem open opened down critical error warn warning rewarn
  nodata renodata unresolved`.split(/\s+/),
);

/** Returns the state that a sender's word means. Unknown words, and no word, mean that the alert fires. */
export function stateOf(word: string | null, over?: readonly string[] | null): AlertState {
  if (word === null) return 'FIRING';
  const isOver = over ? over.some((each) => matches(each, word)) : OVER.has(bare(word));
  return isOver ? 'RESOLVED' : 'FIRING';
}

/** True if the value equals the pattern, ignoring case; `*` in the pattern stands for any text. */
export function matches(pattern: string, value: string): boolean {
  const [head, ...rest] = pattern.trim().toLowerCase().split('*');
  const written = value.trim().toLowerCase();
  const tail = rest.pop();
  if (tail === undefined) return written === head;
  if (!written.startsWith(head!) || !written.endsWith(tail)) return false;
  let at = head!.length;
  for (const part of rest) {
    at = written.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return at <= written.length - tail.length;
}

/**
 * Returns the state that words name although no key marks them as a state: RESOLVED if all mean resolved, FIRING if
 * only some do; `null` if no word clearly means resolved.
 */
export function stateAlone(words: readonly string[]): AlertState | null {
  const states = words.map((word) => bare(word)).filter((word) => word !== '' && !/^\d+$/.test(word));
  if (states.length === 0 || !states.some((word) => OVER_ALONE.has(word))) return null;
  return states.every((word) => OVER.has(word)) ? 'RESOLVED' : 'FIRING';
}

/** A title without its state, as in `[RESOLVED] Disk full`; `state` is `null` if the title names none. */
export interface MarkedTitle {
  readonly state: AlertState | null;
  readonly rest: string;
}

const BRACKETS = /^(\s*)\[([^\][]{1,200})\]/;
/** The duration is that of Zabbix, as in `Resolved in 1h 5m: …` and `Updated problem in 5m: …`. */
const PREFIX = /^\s*(?:updated\s+)?(\p{L}+)(?:\s+in(?:\s+\d+\p{L})+)?\s*(?::|[-–—]\s)\s*(?=\S)/iu;

/** Reads the state at the beginning of a title: in brackets, as in `[FIRING:2]`, or before a colon, as in `OK: …`. */
export function readTitle(title: string): MarkedTitle {
  const kept: string[] = [];
  let text = title;
  for (let found = BRACKETS.exec(text); found !== null; found = BRACKETS.exec(text)) {
    text = text.slice(found[0].length);
    const [, word = '', more = ''] =
      /^[^\p{L}]*((?:re-)?no data\b|\p{L}+(?:-\p{L}+)?)(?::\d+)?(.*)$/isu.exec(found[2]!) ?? [];
    const state = stateOfMark(word);
    if (state !== null) return { state, rest: [...kept, more, text].join(' ').replace(/\s+/g, ' ').trim() };
    kept.push(`[${found[2]}]`);
  }
  const [whole, word = ''] = PREFIX.exec(title) ?? [];
  const state = whole === undefined ? null : stateOfMark(word);
  return state === null ? { state, rest: title } : { state, rest: title.slice(whole!.length) };
}

/** Returns the state that a word alone names, as in a title or the type of an event; `null` for other words. */
export function stateOfMark(word: string): AlertState | null {
  const mark = bare(word).replace(/[-\s]/g, '');
  if (OVER_ALONE.has(mark)) return 'RESOLVED';
  return FIRING_ALONE.has(mark) ? 'FIRING' : null;
}

/** Returns a word in lower case without the signs around it. */
function bare(word: string): string {
  return word
    .slice(0, 100)
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}
