import { endsOf } from '../../common/truncate.ts';
import { encloseUntrusted, toOneLine } from './untrusted.ts';

/** Largest tool result (UTF-16 code units) for a model if results are not summarized: 100k tokens of 4 units. */
export const MODEL_RESULT_MAX_UNITS = 100_000 * 4;

/** Names of the built-in tools that read tool results. */
export const SEARCH_OUTPUT = 'tarsy.search_output';
export const READ_OUTPUT = 'tarsy.read_output';

/** Limits of a tool result in UTF-16 code units. */
export interface ResultLimits {
  /** Largest result that is shown completely. */
  whole: number;
  /** Size of beginning and end together of a longer result. */
  part: number;
}

/**
 * Formats a tool result for the model. A long one is cut to its beginning and end, with its size and how to read the
 * rest.
 * @param number the citation number; undefined if the result is not stored, so that the cut part is lost
 * @param problem why a summary failed
 */
export function formatToolResult(
  text: string,
  number: number | undefined,
  { whole, part }: ResultLimits,
  problem: string | null = null,
): string {
  const why = problem === null ? '' : `It could not be summarized (${toOneLine(problem, 200)}). `;
  if (text.length <= whole)
    return `${why === '' ? '' : `${why}\n\n`}${encloseUntrusted('TOOL RESULT', text)}`;
  const lines = splitLines(text);
  const { end, start } = endsOf(text, part);
  const from = lines.findIndex((line) => line.end > end) + 1;
  const to = lines.findLastIndex((line) => line.start < start) + 1;
  const gap = `[… shortened: ${start - end} of ${text.length} characters left out here, in lines ${from} to ${to} …]`;
  const how = number === undefined ? '' : ` ${HOW_TO_READ_REST}`;
  return `This result is long: ${lines.length} lines, ${Buffer.byteLength(text)} bytes. ${why}Below are its beginning and its end.${how}

${encloseUntrusted('TOOL RESULT', `${text.slice(0, end)}\n${gap}\n${text.slice(start)}`)}`;
}

/** Hint that follows a cut or summarized result. */
export const HOW_TO_READ_REST = `All of it is stored: by its number ${SEARCH_OUTPUT} finds lines of it, and ${READ_OUTPUT} reads them.`;

/** Returns the line that replaces an evicted result. */
export function formatEvictedResult(number: number): string {
  return `[T${number}] (taken out to make room; it is stored: ${SEARCH_OUTPUT} and ${READ_OUTPUT} find what it says)`;
}

/** Matches the citation number that heads a tool result. */
const HEADED = /^((?:Observation:\n)?)\[T(\d{1,9})\]\n/;

/** Returns the citation number in a message and the text before it; `null` if it has no stored result. */
export function findCitedResult(message: { role: string; content: string; toolName?: string | undefined }) {
  if (message.toolName === undefined && message.role !== 'TOOL') return null;
  const match = HEADED.exec(message.content);
  return match && { number: Number(match[2]), before: match[1]! };
}

/** A line of an output without its line break; `start` and `end` are offsets in UTF-16 code units. */
export interface Line {
  start: number;
  end: number;
}

/** Longest line in UTF-16 code units. Longer ones, such as JSON, count as several lines, so that parts can be read. */
const MAX_LINE_UNITS = 1000;

/** Splits an output into lines. The result depends on the text only. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    lines.push(...piecesOf(text, start, end));
    start = end + 1;
  }
  return lines;
}

function* piecesOf(text: string, start: number, end: number): Generator<Line> {
  let from = start;
  while (end - from > MAX_LINE_UNITS) {
    const to = from + MAX_LINE_UNITS;
    const cut = isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to;
    yield { start: from, end: cut };
    from = cut;
  }
  yield { start: from, end };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
