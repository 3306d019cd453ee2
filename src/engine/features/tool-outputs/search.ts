import { setImmediate } from 'node:timers/promises';
import { RE2JS, RE2JSException } from 're2js';
import { type Line, linesOf } from '../../prompt-text/outputs.ts';

/** What was asked for cannot be had; the message is for the model. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** UTF-16 code units of a pattern. */
export const MAX_PATTERN_UNITS = 500;

/** Steps of a pattern's program: each may be taken for each character of an output. */
const MAX_PROGRAM_STEPS = 2000;

/** … of all characters together; more would hold the process for longer than a second. */
const MAX_WORK = 2_000_000_000;

/** UTF-16 code units that are searched before others get their turn. */
const TURN_UNITS = 32_000;

/** UTF-16 code units after a piece of a long line into which a match may reach. */
const OVERLAP_UNITS = 300;

/** UTF-16 code units of a line that is shown as a match: of a longer one, those around the match. */
const SHOWN_UNITS = 300;

export interface Found {
  /** Lines of the output. */
  lines: number;
  /** … that match, from the first that was asked for on. */
  matching: number;
  /** The first of them, as far as they fit: number, from 1, and text. */
  shown: { number: number; text: string }[];
}

/**
 * The lines of an output that match, in time linear in its length, whatever the pattern. Each line is looked at on its
 * own, so that no match is looked for across lines.
 * @param from the first line to look at, from 1
 * @param maxUnits of all that is shown, in UTF-16 code units
 * @throws OutputError
 */
export async function searchOutput(
  text: string,
  pattern: string,
  { from, maxUnits }: { from: number; maxUnits: number },
): Promise<Found> {
  const compiled = compile(pattern);
  if (compiled.programSize() * text.length > MAX_WORK)
    throw new OutputError('this pattern is too much for an output of this length: use a plainer one');
  const lines = linesOf(text);
  const found: Found = { lines: lines.length, matching: 0, shown: [] };
  let left = maxUnits;
  let turn = 0;
  for (let index = from - 1; index < lines.length; index++) {
    const line = lines[index]!;
    turn += line.end - line.start + 1;
    if (turn > TURN_UNITS) {
      turn = 0;
      await setImmediate();
    }
    const match = matchIn(text, line, compiled);
    if (match === null) continue;
    found.matching += 1;
    const shown = around(text, line, match);
    left -= shown.length + String(index + 1).length + 3; // ": " and the line's end
    if (left >= 0) found.shown.push({ number: index + 1, text: shown });
  }
  return found;
}

/** @throws OutputError */
function compile(pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN_UNITS)
    throw new OutputError(`a pattern has at most ${MAX_PATTERN_UNITS} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() <= MAX_PROGRAM_STEPS) return compiled;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new OutputError(
      `this pattern cannot be read (${error.message}); it is a regular expression of RE2, without lookaround and references to groups`,
    );
  }
  throw new OutputError('this pattern is too large: use fewer or smaller repetitions');
}

/** Where the first match in a line begins and ends, in the whole text. */
function matchIn(text: string, { start, end }: Line, pattern: RE2JS): Line | null {
  const goesOn = end < text.length && text.charCodeAt(end) !== 0x0a;
  const newline = goesOn ? text.indexOf('\n', end) : -1;
  const reach = goesOn ? Math.min(end + OVERLAP_UNITS, newline < 0 ? text.length : newline) : end;
  const matcher = pattern.matcher(text.slice(start, reach));
  if (!matcher.find() || (goesOn && start + matcher.start() >= end)) return null;
  return { start: start + matcher.start(), end: start + matcher.end() };
}

/** A line, or of a long one what stands around the match. */
function around(text: string, line: Line, match: Line): string {
  if (line.end - line.start <= SHOWN_UNITS) return text.slice(line.start, line.end);
  const middle = Math.floor((match.start + Math.min(match.end, match.start + SHOWN_UNITS)) / 2);
  const start = Math.max(line.start, Math.min(middle - SHOWN_UNITS / 2, line.end - SHOWN_UNITS));
  const end = Math.min(line.end, start + SHOWN_UNITS);
  const shown = text.slice(start, end).toWellFormed();
  return `${start > line.start ? '…' : ''}${shown}${end < line.end ? '…' : ''}`;
}

export interface Passage {
  lines: number;
  /** The first and the last line that it has, from 1. */
  from: number;
  to: number;
  text: string;
}

/**
 * Lines of an output, as many as fit.
 * @param to the last one; undefined = as many as fit
 * @throws OutputError
 */
export function readPassage(
  text: string,
  {
    from,
    to = Number.POSITIVE_INFINITY,
    maxUnits,
  }: { from: number; to?: number | undefined; maxUnits: number },
): Passage {
  const lines = linesOf(text);
  if (to < from) throw new OutputError(`"to" (${to}) is before "from" (${from})`);
  const first = lines[from - 1];
  if (first === undefined)
    throw new OutputError(`it has ${lines.length} lines, and none with number ${from}`);
  let last = from;
  while (last < Math.min(to, lines.length) && lines[last]!.end - first.start <= maxUnits) last += 1;
  return { lines: lines.length, from, to: last, text: text.slice(first.start, lines[last - 1]!.end) };
}
