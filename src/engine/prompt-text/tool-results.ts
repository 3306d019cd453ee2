import { endsOf } from '../../common/truncate.ts';
import { encloseUntrusted, toOneLine } from './untrusted.ts';

/** Text of a tool result given to the model where results are not summarized: 100k tokens at 4 a token. */
export const MODEL_RESULT_MAX_UNITS = 100_000 * 4;

/** Names of the tools that read the results of other tools. */
export const SEARCH_OUTPUT = 'tarsy.search_output';
export const READ_OUTPUT = 'tarsy.read_output';

/** Of a tool's result, in UTF-16 code units. */
export interface ResultLimits {
  /** A result of this length is given whole. */
  whole: number;
  /** Of a longer one beginning and end together. */
  part: number;
}

/**
 * A result as the model gets it: whole, or of a long one its beginning and its end, how much there is, and how to get at the
 * rest.
 * @param number by which it is cited; undefined = it is not stored, and what is missing is lost
 * @param problem why it is not summarized, where it should have been
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

/** Told with whatever stands for a whole result, which is headed by its number. */
export const HOW_TO_READ_REST = `All of it is stored: by its number ${SEARCH_OUTPUT} finds lines of it, and ${READ_OUTPUT} reads them.`;

/** What is left of a result that was taken out of a conversation, in one line. */
export function formatEvictedResult(number: number): string {
  return `[T${number}] (taken out to make room; it is stored: ${SEARCH_OUTPUT} and ${READ_OUTPUT} find what it says)`;
}

/** Where a message is headed by the number of a result: its text from there on. */
const HEADED = /^((?:Observation:\n)?)\[T(\d{1,9})\]\n/;

/** The number of the result that a message holds, and what stands before it; null = it holds none that is stored. */
export function findCitedResult(message: { role: string; content: string; toolName?: string | undefined }) {
  if (message.toolName === undefined && message.role !== 'TOOL') return null;
  const match = HEADED.exec(message.content);
  return match && { number: Number(match[2]), before: match[1]! };
}

/** A line of an output, without what ends it: `start` and `end` in UTF-16 code units of the whole. */
export interface Line {
  start: number;
  end: number;
}

/**
 * UTF-16 code units of one line. Longer ones, such as JSON in one line, are taken in pieces, each of which counts as a
 * line: so there is no output of which no part can be read.
 */
const MAX_LINE_UNITS = 1000;

/** The lines of an output, the same whenever they are counted. */
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
