import {
  type HeaderStyle,
  INPUT_ON_ACTION_LINE,
  type InlineHeader,
  inlineHeaders,
  undecidedFrom,
} from './headers.ts';
import { followedByTool } from './line-start.ts';
import { addRestOfLine, addText, lineEndFrom, type Reading, wait } from './reading.ts';
import type { SectionName } from './sections.ts';

/** An action's line is read as a whole, unless it is longer than any name could be. */
const ACTION_LINE = 1024;
/** What may be the beginning of `Action Input:` at the end of such a line. */
const ACTION_LINE_REST = 40;

const INLINE_STYLE: HeaderStyle = { indent: 0, emphasis: '', exactCase: true };

/** Reads (on) in a line: headers inside it begin sections, the rest is text. @returns where to go on */
export function readLine(reading: Reading, at: number): number {
  const lineEnd = lineEndFrom(reading, at);
  const rest = reading.text.slice(at, lineEnd < 0 ? reading.text.length : lineEnd);
  const isWhole = lineEnd >= 0 || reading.isAll;
  switch (reading.sections.current()) {
    case 'input':
      return readInput(reading, { at, rest, isWhole, lineEnd });
    case 'action':
    case 'draft':
      return readActionLine(reading, { at, rest, isWhole, lineEnd });
    default:
      return readText(reading, { at, rest, isWhole, lineEnd });
  }
}

interface Line {
  at: number;
  rest: string;
  isWhole: boolean;
  lineEnd: number;
}

/** An observation that the model invented, on the line of its input. */
const OBSERVATION = /(?<!\w)Observation[ \t]?[:：]/g;
/** What may be the beginning of one at the end of an unfinished line. */
const OBSERVATION_BEGINS = /(?<!\w)O[a-z]{0,10}[ \t]?$/;

/** Data: a sentence in it is no header, whatever it says. Only outside of a JSON object can an observation begin. */
function readInput(reading: Reading, { at, rest, isWhole, lineEnd }: Line): number {
  reading.steps += rest.length;
  const outside = reading.sections.outsideInput(rest);
  const before = reading.back.slice(-1);
  const line = before + rest;
  if (outside >= 0) {
    OBSERVATION.lastIndex = outside + before.length;
    const found = OBSERVATION.exec(line);
    if (found !== null) {
      addText(reading, line.slice(before.length, found.index));
      reading.isStopped = true;
      return at + found.index - before.length;
    }
  }
  if (isWhole) return addRestOfLine(reading, at, lineEnd);
  const open = outside < 0 ? null : OBSERVATION_BEGINS.exec(line.slice(-16));
  const read = rest.length - Math.min(rest.length, open?.[0].length ?? 0);
  addText(reading, rest.slice(0, read));
  return wait(reading, at + read);
}

function readActionLine(reading: Reading, { at, rest, isWhole, lineEnd }: Line): number {
  if (!isWhole && rest.length < ACTION_LINE) return wait(reading, at);
  const before = reading.back.slice(-1);
  const match = INPUT_ON_ACTION_LINE.exec(before + rest);
  reading.steps += rest.length;
  if (match === null) {
    if (isWhole) return addRestOfLine(reading, at, lineEnd);
    const read = rest.length - ACTION_LINE_REST;
    addText(reading, rest.slice(0, read));
    return wait(reading, at + read);
  }
  const start = Math.max(0, match.index - before.length);
  addText(reading, rest.slice(0, start));
  const [header, opening = ''] = match;
  let end = match.index - before.length + header.length;
  if (opening !== '' && rest.startsWith(opening, end)) end += opening.length;
  reading.sections.start('input', INLINE_STYLE);
  reading.back = '';
  return at + end;
}

function readText(reading: Reading, { at, rest, isWhole, lineEnd }: Line): number {
  for (const header of inlineHeaders(rest, reading.back)) {
    const next = sectionOf(reading, header, at);
    if (next === null) continue;
    const start = Math.max(0, header.start);
    reading.steps += header.end;
    addText(reading, rest.slice(0, start));
    const emphasis = /[*`]+$/.exec(header.decoration)?.[0] ?? '';
    const after = rest.slice(header.end, header.end + emphasis.length);
    const closesLater = emphasis !== '' && !isWhole && after !== emphasis && emphasis.startsWith(after);
    if (next === 'wait' || closesLater) return wait(reading, at + start);
    const closes = emphasis !== '' && after === emphasis;
    const style = { ...INLINE_STYLE, emphasis: closes ? '' : emphasis };
    reading.sections.start(next, style, rest.slice(start, header.end));
    reading.back = '';
    return at + header.end + (closes ? emphasis.length : 0);
  }
  reading.steps += rest.length;
  if (isWhole) return addRestOfLine(reading, at, lineEnd);
  const read = undecidedFrom(rest, reading.back);
  addText(reading, rest.slice(0, read));
  return wait(reading, at + read);
}

function sectionOf(reading: Reading, header: InlineHeader, at: number): SectionName | 'wait' | null {
  const { sections } = reading;
  if (header.kind === 'final') return sections.seen().finalAnswer ? null : 'final';
  if (header.kind === 'input') return sections.awaitsInput() ? 'input' : null;
  const named = followedByTool(reading, at + header.end);
  if (named !== true) return named === 'wait' ? 'wait' : null;
  return sections.current() === 'final' ? 'draft' : 'action';
}
