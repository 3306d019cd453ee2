import type { HeaderStyle } from './headers.ts';

/**
 * Returns the text of an action's input. Removes only the indentation that all lines share, because
 * indentation matters in YAML.
 * @param emphasis Markdown emphasis that may end with the first line
 */
export function inputText(raw: string, indent: number, emphasis: string): string {
  const lines = raw.split('\n');
  const first = withoutEnd(lines[0]!.trim(), emphasis);
  const own = new Uint32Array(lines.length); // indentation of each line beyond that of the header
  let common = Number.POSITIVE_INFINITY;
  for (let n = 1; n < lines.length; n += 1) {
    const line = lines[n]!;
    if (line === '') continue;
    const all = indentOf(line);
    own[n] = all - Math.min(indent, all);
    if (own[n]! < common && line.trim() !== '') common = own[n]!;
  }
  // After `key:` or an opening bracket on the first line, indentation means nesting and is kept.
  if (/[:|>{[,-]$/.test(first)) common = 0;
  lines[0] = first;
  for (let n = 1; n < lines.length; n += 1) {
    const line = lines[n]!;
    if (line !== '') lines[n] = line.slice(indentOf(line) - own[n]! + Math.min(common, own[n]!));
  }
  return lines.join('\n').trim();
}

function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === ' ' || line[indent] === '\t') indent += 1;
  return indent;
}

/** Returns the trimmed text of a section. Removes its header's indentation and closing emphasis. */
export function sectionText(raw: string, { indent, emphasis }: HeaderStyle): string {
  const own = indent === 0 ? raw : raw.replace(new RegExp(`\\n[ \\t]{1,${indent}}`, 'g'), '\n');
  const text = own.trimStart();
  const isOnHeaderLine = !own.slice(0, own.length - text.length).includes('\n');
  const lineEnd = text.indexOf('\n');
  if (!isOnHeaderLine) return text.trimEnd();
  if (lineEnd < 0) return withoutEnd(text, emphasis).trim();
  return (withoutEnd(text.slice(0, lineEnd), emphasis) + text.slice(lineEnd)).trim();
}

function withoutEnd(text: string, emphasis: string): string {
  const trimmed = text.trimEnd();
  if (emphasis === '' || !trimmed.endsWith(emphasis)) return text;
  return trimmed.slice(0, -emphasis.length).trimEnd();
}

const FENCE = /^\s*(?:```|~~~)/;
const FENCE_END = /^\s*(?:```|~~~)\s*$/;
const THINKING = /^\s*<think(?:ing)?>/;
const THINKING_END = /<\/think(?:ing)?>/;
const QUOTED = /^\s*(?:>|["“].*["”]\s*$)/;

/** Returns the start offsets of all lines that are quoted: in `<think>` tags, code fences or quotations. */
export function quotedLines(text: string): ReadonlySet<number> {
  const quoted = new Set<number>();
  let closing: RegExp | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const isOpening = closing === null;
    if (isOpening) closing = THINKING.test(line) ? THINKING_END : FENCE.test(line) ? FENCE_END : null;
    if (closing !== null || QUOTED.test(line)) quoted.add(at);
    if (closing?.test(isOpening ? line.replace(FENCE, '') : line)) closing = null;
    at += line.length + 1;
  }
  return quoted;
}

export type ActionName =
  | { kind: 'tool'; server: string; tool: string; arguments: string | null }
  | { kind: 'empty' }
  /** The server or the tool is missing: `server.` or `.tool`. */
  | { kind: 'incomplete'; text: string }
  /** The text does not have the form `server.tool`. */
  | { kind: 'other'; text: string };

/**
 * Maximum length of a tool name with Markdown around it (characters); server and tool have at most 64 each.
 */
const NAME_WINDOW = 300;
const WRAPPER_START = /^[\s*`"'<[]+/;
const NAME = /^([\w-]+)\.([\w-]+(?:\.[\w-]+)*)/;
const AFTER_NAME = /^\.?(?:$|[\s(`"'*>\],;:{])/;
/**
 * Matches a line that is a tool name and nothing else. Required where `Action` is a word in prose instead of
 * a header.
 */
const BARE_NAME = /^[\w-]+\.[\w-]+$/;

/** Returns the tool name on the first line of an action. Ignores prose after the name. */
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

/** Returns the text in parentheses after a tool name; `null` without parentheses. */
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

/** Returns the tool name after the last word `Action` of a text without headers; `null` if there is none. */
export function recoveredName(text: string): string | null {
  const word = [...text.matchAll(/\bAction\b/g)].at(-1);
  if (word === undefined) return null;
  const rest = text.slice(word.index + word[0].length).replace(/^[*_`]*[ \t]*[:：]?[*`\s]*/, '');
  const name = firstLine(rest).replace(/[\s*`]{0,8}$/, '');
  return name.length <= NAME_WINDOW && BARE_NAME.test(name) ? name : null;
}

/** Number of characters after a possible header that are examined for a tool name. */
const LOOKAHEAD = 320;

/** Returns true if a tool name follows at the offset: on its line, or alone on the next line that is not empty. */
export function isToolNameAt(text: string, at: number): boolean {
  const window = text.slice(at, at + LOOKAHEAD);
  const wrapper = WRAPPER_START.exec(window)?.[0] ?? '';
  const match = NAME.exec(window.slice(wrapper.length));
  if (match === null) return false;
  const after = window.slice(wrapper.length + match[0].length);
  if (!wrapper.includes('\n')) return AFTER_NAME.test(after.slice(0, 2));
  return /^[ \t*`]*$/.test(after.split('\n', 1)[0]!);
}
