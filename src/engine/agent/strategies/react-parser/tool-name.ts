/** What stands after `Action:`. */
export type ActionName =
  | { kind: 'tool'; server: string; tool: string; arguments: string | null }
  /** Nothing. */
  | { kind: 'empty' }
  /** `server.` or `.tool`. */
  | { kind: 'incomplete'; text: string }
  /** No name of the form server.tool. */
  | { kind: 'other'; text: string };

/** Longest text that is looked at: two names of 64 characters and decoration. */
const NAME_WINDOW = 300;
const WRAPPER_START = /^[\s*`"'<[]+/;
const NAME = /^([\w-]+)\.([\w-]+(?:\.[\w-]+)*)/;
const AFTER_NAME = /^\.?(?:$|[\s(`"'*>\],;:{])/;
/** The one form that counts where a name stands alone on a line without `Action:` before it. */
const BARE_NAME = /^[\w-]+\.[\w-]+$/;

/** Reads the text of an action. Only its first line counts; prose after the name is dropped. */
export function readActionName(text: string): ActionName {
  const line = firstLine(text);
  const name = line.replace(WRAPPER_START, '');
  if (name === '') return { kind: 'empty' };
  const match = NAME.exec(name);
  const after = match ? name.slice(match[0].length) : '';
  if (match?.[1] !== undefined && match[2] !== undefined && AFTER_NAME.test(after)) {
    return { kind: 'tool', server: match[1], tool: match[2], arguments: callArguments(after) };
  }
  const bare = name.slice(0, NAME_WINDOW).replace(/[\s*`"'>\]]+$/, '');
  if (/^(?:[\w-]+\.|\.[\w-]*)$/.test(bare)) return { kind: 'incomplete', text: bare };
  return { kind: 'other', text: bare };
}

/** `(a=1)` after a name. */
function callArguments(after: string): string | null {
  if (!after.startsWith('(')) return null;
  const end = after.lastIndexOf(')');
  return end > 0 ? after.slice(1, end).trim() : null;
}

function firstLine(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.indexOf('\n');
  return end < 0 ? trimmed : trimmed.slice(0, end).trimEnd();
}

/**
 * The name of an action whose header was not written as one: behind the last word `Action` of a text, on its line or alone
 * on the next that is not empty.
 */
export function recoveredName(text: string): string | null {
  const word = [...text.matchAll(/\bAction\b/g)].at(-1);
  if (word === undefined) return null;
  const rest = text.slice(word.index + word[0].length).replace(/^[*_`]*[ \t]*[:：]?[*`\s]*/, '');
  const name = firstLine(rest).replace(/[\s*`]{0,8}$/, '');
  return name.length <= NAME_WINDOW && BARE_NAME.test(name) ? name : null;
}

/** Characters after a possible header that decide whether it is one. */
const LOOKAHEAD = 320;

/** Whether a tool's name follows at a place: on its line, or alone on the next line that is not empty. */
export function namesTool(text: string, at: number): boolean {
  const window = text.slice(at, at + LOOKAHEAD);
  const wrapper = WRAPPER_START.exec(window)?.[0] ?? '';
  const match = NAME.exec(window.slice(wrapper.length));
  if (match === null) return false;
  const after = window.slice(wrapper.length + match[0].length);
  if (!wrapper.includes('\n')) return AFTER_NAME.test(after.slice(0, 2));
  return /^[ \t*`]*$/.test(after.split('\n', 1)[0]!);
}
