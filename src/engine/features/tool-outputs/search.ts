import { setImmediate } from 'node:timers/promises';
import { RE2JS, RE2JSException } from 're2js';
import { type Line, splitLines } from '../../prompt-text/tool-results.ts';

/** A stored output cannot be searched or read as asked. The model gets the message. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

export const MAX_PATTERN_UNITS = 500;

/** Maximum instructions of a compiled pattern, because each may run for each character of an output. */
const MAX_PROGRAM_STEPS = 2000;

/**
 * Maximum product of a pattern's instructions and the characters searched; more would take longer than a
 * second.
 */
const MAX_SEARCH_WORK = 2_000_000_000;

/** UTF-16 code units that are searched before the event loop runs other work. */
const UNITS_PER_TURN = 32_000;

/** How far a match in a piece of a long line may extend into the next piece (UTF-16 code units). */
const OVERLAP_UNITS = 300;

const SHOWN_UNITS = 300;

export interface SearchResult {
  lines: number;
  /** The number of matching lines from `from` on. */
  matching: number;
  /** The first matching lines that fit into `maxUnits`; line numbers start at 1. */
  shown: { number: number; text: string }[];
}

/** Returns the matching lines, counted from 1, in linear time. A match never spans two lines. @throws OutputError */
export async function searchOutput(
  text: string,
  pattern: string,
  { from, maxUnits }: { from: number; maxUnits: number },
): Promise<SearchResult> {
  const compiled = compile(pattern);
  if (compiled.programSize() * text.length > MAX_SEARCH_WORK)
    throw new OutputError('this pattern is too much for an output of this length: use a plainer one');
  const lines = splitLines(text);
  const found: SearchResult = { lines: lines.length, matching: 0, shown: [] };
  let left = maxUnits;
  let turn = 0;
  for (let index = from - 1; index < lines.length; index++) {
    const line = lines[index]!;
    turn += line.end - line.start + 1;
    if (turn > UNITS_PER_TURN) {
      turn = 0;
      await setImmediate();
    }
    const match = firstMatch(text, line, compiled);
    if (match === null) continue;
    found.matching += 1;
    const shown = excerpt(text, line, match);
    left -= shown.length + String(index + 1).length + 3; // 3 for ": " and the newline
    if (left >= 0) found.shown.push({ number: index + 1, text: shown });
  }
  return found;
}

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

function firstMatch(text: string, { start, end }: Line, pattern: RE2JS): Line | null {
  const continues = end < text.length && text.charCodeAt(end) !== 0x0a;
  const newline = continues ? text.indexOf('\n', end) : -1;
  const reach = continues ? Math.min(end + OVERLAP_UNITS, newline < 0 ? text.length : newline) : end;
  const matcher = pattern.matcher(text.slice(start, reach));
  if (!matcher.find() || (continues && start + matcher.start() >= end)) return null;
  return { start: start + matcher.start(), end: start + matcher.end() };
}

function excerpt(text: string, line: Line, match: Line): string {
  if (line.end - line.start <= SHOWN_UNITS) return text.slice(line.start, line.end);
  const middle = Math.floor((match.start + Math.min(match.end, match.start + SHOWN_UNITS)) / 2);
  const start = Math.max(line.start, Math.min(middle - SHOWN_UNITS / 2, line.end - SHOWN_UNITS));
  const end = Math.min(line.end, start + SHOWN_UNITS);
  const shown = text.slice(start, end).toWellFormed();
  return `${start > line.start ? '…' : ''}${shown}${end < line.end ? '…' : ''}`;
}

/** Returns lines `from` to `to` (from 1) of an output, or as many as fit. @throws OutputError */
export function readPassage(
  text: string,
  range: { from: number; to?: number | undefined; maxUnits: number },
) {
  const { from, to = Number.POSITIVE_INFINITY, maxUnits } = range;
  const lines = splitLines(text);
  if (to < from) throw new OutputError(`"to" (${to}) is before "from" (${from})`);
  const first = lines[from - 1];
  if (first === undefined)
    throw new OutputError(`it has ${lines.length} lines, and none with number ${from}`);
  let last = from;
  while (last < Math.min(to, lines.length) && lines[last]!.end - first.start <= maxUnits) last += 1;
  return { lines: lines.length, from, to: last, text: text.slice(first.start, lines[last - 1]!.end) };
}
