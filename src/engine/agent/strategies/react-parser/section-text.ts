import type { HeaderStyle } from './headers.ts';

/**
 * The text of an action's input from its lines. Its indentation is its meaning (YAML), so only what the whole
 * section is indented by is taken off.
 * @param indent what the header was indented by
 * @param emphasis Markdown that may end the header's line
 */
export function inputText(raw: string, indent: number, emphasis: string): string {
  const lines = raw.split('\n');
  const first = withoutEnd(lines[0]!.trim(), emphasis);
  const own = new Uint32Array(lines.length); // what a line is indented by within the section
  let common = Number.POSITIVE_INFINITY;
  for (let n = 1; n < lines.length; n += 1) {
    const line = lines[n]!;
    if (line === '') continue;
    const all = indentOf(line);
    own[n] = all - Math.min(indent, all);
    if (own[n]! < common && line.trim() !== '') common = own[n]!;
  }
  // After `key:` or an opening bracket the indented lines belong to it; otherwise they are all at one level.
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

/** The text of a section without space around it, and without the indentation and the emphasis of its header. */
export function sectionText(raw: string, { indent, emphasis }: HeaderStyle): string {
  const own = indent === 0 ? raw : raw.replace(new RegExp(`\\n[ \\t]{1,${indent}}`, 'g'), '\n');
  const text = own.trimStart();
  const isOnHeaderLine = !own.slice(0, own.length - text.length).includes('\n');
  const lineEnd = text.indexOf('\n');
  if (!isOnHeaderLine) return text.trimEnd();
  if (lineEnd < 0) return withoutEnd(text, emphasis).trim();
  return (withoutEnd(text.slice(0, lineEnd), emphasis) + text.slice(lineEnd)).trim();
}

/** A text without the emphasis at its end. */
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

/** Where the lines begin that are thinking which is marked as such, code in a fence, or a quotation, as from a log. */
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
