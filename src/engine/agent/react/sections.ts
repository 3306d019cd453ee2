import { HEADER_WINDOW, type Header, INPUT_ON_ACTION_LINE, inlineHeaders, readHeader } from './headers.ts';
import { createParts, type Parts, type SectionName } from './parts.ts';
import { namesTool } from './tool-name.ts';

type Collector = ReturnType<typeof createParts>;

const BASED_ON = /^[ \t]*\[Based on/;
/** The engine's own words that a model may quote: no observation it invented. */
const QUOTED_FEEDBACK = ['Please specify', 'what Action you want to take', 'Error in reasoning'];
/** As much of an observation's line is read to see whether it quotes such words. */
const OBSERVATION_WINDOW = 512;
/** An observation that the model invented, on the line of its input. */
const OBSERVATION = /(?<!\w)Observation[ \t]?[:：]/g;
const PLAIN = { indent: 0, emphasis: '', exactCase: true };

/**
 * Reads the sections of a response; the work is linear in the text.
 * @param text with line ends as \n
 * @returns also where an invented observation begins, after which nothing is read; null = nowhere
 */
export function readSections(text: string): Parts & { stoppedAt: number | null } {
  const parts = createParts();
  let stoppedAt: number | null = null;
  for (let at = 0; at < text.length && stoppedAt === null; ) {
    const eol = text.indexOf('\n', at);
    const end = eol < 0 ? text.length : eol;
    const stop = readLine(parts, text, at, end);
    if (stop !== null) stoppedAt = stop;
    else if (eol >= 0) parts.add('\n');
    at = end + 1;
  }
  return { ...parts.end(), stoppedAt };
}

/** @returns where an observation begins; null when the line was read to its end */
function readLine(parts: Collector, text: string, lineStart: number, end: number): number | null {
  const begun = readLineStart(parts, text, lineStart, end);
  if (begun === null) return lineStart;
  for (let at: number | null = begun; at !== null; ) {
    const rest = text.slice(at, end);
    if (parts.current() === 'input') return readInput(parts, rest, at);
    const next = readHeaderWithin(parts, text, rest, at);
    if (next === null) {
      parts.add(rest);
      parts.lineEnd(rest);
    }
    at = next;
  }
  return null;
}

/** A header begins a section, anything else is text. @returns where to go on; null where an observation begins */
function readLineStart(parts: Collector, text: string, at: number, end: number): number | null {
  const head = text.slice(at, Math.min(end, at + HEADER_WINDOW));
  if (head.includes('[') && BASED_ON.test(head)) return null;
  const header = readHeader(head, end - at <= HEADER_WINDOW);
  const next = header && sectionOf(parts, header, text, at);
  if (next === 'stop') return null;
  if (header === null || next === null) return at + indentToDrop(parts, head);
  const { indent, openEmphasis: emphasis, exactCase } = header;
  parts.start(next, { indent, emphasis, exactCase }, head.slice(0, header.length));
  return at + header.length;
}

/** The section that a header begins here; null when it is no header but text. */
function sectionOf(parts: Collector, header: Header, text: string, at: number): SectionName | 'stop' | null {
  const current = parts.current();
  const inAnswer = current === 'final' || current === 'draft';
  const asDescribed = header.plain && header.exactCase;
  // A parameter may be called `action` or `thought`; whoever writes headers in lower case does so throughout.
  if (current === 'input' && !header.exactCase && parts.style().exactCase) return null;
  switch (header.kind) {
    case 'observation': {
      if (!header.hasColon || (inAnswer && !asDescribed)) return null;
      const line = text.slice(at, at + OBSERVATION_WINDOW).split('\n', 1)[0]!;
      return QUOTED_FEEDBACK.some((words) => line.includes(words)) ? null : 'stop';
    }
    case 'thought':
      return inAnswer && !asDescribed ? null : 'thought';
    case 'final':
      return parts.hasFinal() ? null : 'final';
    case 'action':
      if (!header.hasColon) return null;
      if (!inAnswer && header.exactCase) return 'action';
      if (!namesTool(text, at + header.length)) return null;
      return inAnswer ? 'draft' : 'action';
    case 'input':
      return !header.hasColon || (current === 'final' && !parts.awaitsInput()) ? null : 'input';
  }
}

/** The whole response may be indented; what a section's lines are indented by beyond that is theirs. */
function indentToDrop(parts: Collector, head: string): number {
  if (parts.current() === 'input') return 0;
  const { indent } = parts.style();
  let drop = 0;
  while (drop < indent && (head[drop] === ' ' || head[drop] === '\t')) drop += 1;
  return drop;
}

/** Data: a sentence in it is no header, whatever it says. Only outside of a JSON object can an observation begin. */
function readInput(parts: Collector, rest: string, at: number): number | null {
  const outside = parts.outsideInput(rest);
  OBSERVATION.lastIndex = Math.max(outside, 0);
  const found = outside < 0 ? null : OBSERVATION.exec(rest);
  parts.add(found === null ? rest : rest.slice(0, found.index));
  return found === null ? null : at + found.index;
}

/** Begins the section of a header within a line. @returns where to go on; null when there is none */
function readHeaderWithin(parts: Collector, text: string, rest: string, at: number): number | null {
  const current = parts.current();
  if (current === 'action' || current === 'draft') {
    const match = INPUT_ON_ACTION_LINE.exec(rest);
    if (match === null) return null;
    const [header, opening = ''] = match;
    const end = match.index + header.length;
    parts.add(rest.slice(0, match.index));
    parts.start('input', PLAIN, header);
    return at + end + (opening !== '' && rest.startsWith(opening, end) ? opening.length : 0);
  }
  for (const { kind, start, end, emphasis } of inlineHeaders(rest)) {
    const next = inlineSection(parts, kind, text, at + end);
    if (next === null) continue;
    const closes = emphasis !== '' && rest.startsWith(emphasis, end);
    parts.add(rest.slice(0, start));
    parts.start(next, { ...PLAIN, emphasis: closes ? '' : emphasis }, rest.slice(start, end));
    return at + end + (closes ? emphasis.length : 0);
  }
  return null;
}

function inlineSection(
  parts: Collector,
  kind: 'action' | 'input' | 'final',
  text: string,
  end: number,
): SectionName | null {
  if (kind === 'final') return parts.hasFinal() ? null : 'final';
  if (kind === 'input') return parts.awaitsInput() ? 'input' : null;
  if (!namesTool(text, end)) return null;
  return parts.current() === 'final' ? 'draft' : 'action';
}
