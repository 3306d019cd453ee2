import { HEADER_WINDOW, type Header, readHeader } from './headers.ts';
import { lineEndFrom, type Reading, wait } from './reading.ts';
import type { SectionName } from './sections.ts';
import { LOOKAHEAD, namesTool } from './tool-name.ts';

const BASED_ON = /^[ \t]*\[Based on/;
/** The engine's own words that a model may quote: no observation it invented. */
const QUOTED_FEEDBACK = ['Please specify', 'what Action you want to take', 'Error in reasoning'];
/** As much of an observation's line is read to see whether it quotes such words. */
const OBSERVATION_WINDOW = 512;

/** Reads the start of a line: a header begins a section, anything else is text. @returns where to go on */
export function readLineStart(reading: Reading, at: number): number {
  const { text, isAll, sections } = reading;
  if (text[at] === '\n') return addEmptyLines(reading, at);
  const lineEnd = lineEndFrom(reading, at);
  const end = lineEnd < 0 ? text.length : lineEnd;
  const head = text.slice(at, Math.min(end, at + HEADER_WINDOW));
  const isWhole = end - at <= HEADER_WINDOW && (lineEnd >= 0 || isAll);
  reading.steps += head.length;
  if (head.includes('[') && BASED_ON.test(head)) return stop(reading, at);
  const header = readHeader(head, isWhole);
  if (header === 'wait') return wait(reading, at);
  const next = header === null ? null : sectionOf(reading, header, at);
  if (next === 'wait') return wait(reading, at);
  if (next === 'stop') return stop(reading, at);
  reading.atLineStart = false;
  if (header === null || next === null) return at + indentToDrop(reading, head);
  const start = at + header.length;
  const style = { indent: header.indent, emphasis: header.openEmphasis, exactCase: header.exactCase };
  sections.start(next, style, text.slice(at, start));
  return start;
}

function addEmptyLines(reading: Reading, at: number): number {
  let end = at;
  while (reading.text[end] === '\n') end += 1;
  reading.steps += end - at;
  reading.sections.add(reading.text.slice(at, end));
  return end;
}

/** The section that a header begins here; null when it is no header but text. */
function sectionOf(reading: Reading, header: Header, at: number): SectionName | 'stop' | 'wait' | null {
  const { sections } = reading;
  const current = sections.current();
  const inAnswer = current === 'final' || current === 'draft';
  const asDescribed = header.plain && header.exactCase;
  // A parameter may be called `action` or `thought`; whoever writes headers in lower case does so throughout.
  if (current === 'input' && !header.exactCase && sections.style().exactCase) return null;
  switch (header.kind) {
    case 'observation':
      if (!header.hasColon || (inAnswer && !asDescribed)) return null;
      return isInvented(reading, at);
    case 'thought':
      return inAnswer && !asDescribed ? null : 'thought';
    case 'final':
      return sections.seen().finalAnswer ? null : 'final';
    case 'action': {
      if (!header.hasColon) return null;
      if (!inAnswer && header.exactCase) return 'action';
      const named = followedByTool(reading, at + header.length);
      if (named !== true) return named === 'wait' ? 'wait' : null;
      return inAnswer ? 'draft' : 'action';
    }
    case 'input':
      if (!header.hasColon || (current === 'final' && !sections.awaitsInput())) return null;
      return 'input';
  }
}

/** Whether a tool's name follows at this place. */
export function followedByTool(reading: Reading, at: number): boolean | 'wait' {
  const { text, isAll } = reading;
  const window = text.slice(at, at + LOOKAHEAD);
  reading.steps += window.length;
  return namesTool(window, isAll && at + window.length === text.length);
}

function isInvented(reading: Reading, at: number): 'stop' | 'wait' | null {
  const { text, isAll } = reading;
  const lineEnd = lineEndFrom(reading, at);
  const line = text.slice(at, Math.min(lineEnd < 0 ? text.length : lineEnd, at + OBSERVATION_WINDOW));
  reading.steps += line.length;
  if (lineEnd < 0 && !isAll && line.length < OBSERVATION_WINDOW) return 'wait';
  return QUOTED_FEEDBACK.some((words) => line.includes(words)) ? null : 'stop';
}

function stop(reading: Reading, at: number): number {
  reading.isStopped = true;
  return at;
}

/** The whole response may be indented; what a section's lines are indented by beyond that is theirs. */
function indentToDrop(reading: Reading, head: string): number {
  if (reading.sections.current() === 'input') return 0;
  const { indent } = reading.sections.style();
  let drop = 0;
  while (drop < indent && (head[drop] === ' ' || head[drop] === '\t')) drop += 1;
  return drop;
}
