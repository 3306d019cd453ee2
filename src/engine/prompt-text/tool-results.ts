import { endsOf } from '../../common/truncate.ts';
import { encloseUntrusted, toOneLine } from './untrusted.ts';

/** Maximum length of a tool result in a prompt (UTF-16 code units): 100,000 tokens. */
export const MODEL_RESULT_MAX_UNITS = 100_000 * 4;

/** The built-in tools that read stored tool results. */
export const SEARCH_OUTPUT = 'tarsy.search_output';
export const READ_OUTPUT = 'tarsy.read_output';

/** Limits of a tool result in a prompt (UTF-16 code units). */
export interface ResultLimits {
  whole: number;
  /** Length of beginning and end together, if a result is longer than `whole`. */
  part: number;
}

/**
 * Returns a tool result as the model receives it. A long one is shortened to its beginning and end.
 * @param number citation number; undefined if the result is not stored, so that no tool can read the rest
 * @param problem why summarizing the result failed; `null` if it did not fail
 */
export function formatToolResult(
  text: string,
  number: number | undefined,
  { whole, part }: ResultLimits,
  problem: string | null = null,
): string {
  const why = problem === null ? '' : `The result could not be summarized (${toOneLine(problem, 200)}). `;
  if (text.length <= whole) return `${why && `${why}\n\n`}${encloseUntrusted('TOOL RESULT', text)}`;
  const lines = splitLines(text);
  const { end, start } = endsOf(text, part);
  const from = lines.findIndex((line) => line.end > end) + 1;
  const to = lines.findLastIndex((line) => line.start < start) + 1;
  const gap = `[… shortened: ${start - end} of ${text.length} characters left out here, in lines ${from} to ${to} …]`;
  const how = number === undefined ? '' : ` ${HOW_TO_READ_REST}`;
  return `This result is long: ${lines.length} lines, ${Buffer.byteLength(text)} bytes. ${why}Only its beginning and its end follow.${how}

${encloseUntrusted('TOOL RESULT', `${text.slice(0, end)}\n${gap}\n${text.slice(start)}`)}`;
}

export const HOW_TO_READ_REST = `The whole result is stored: with its number, ${SEARCH_OUTPUT} finds lines and ${READ_OUTPUT} reads them.`;

/** Returns the line that replaces a result evicted from a conversation. */
export function formatEvictedResult(number: number): string {
  return `[T${number}] (removed to shorten the conversation; read it with ${SEARCH_OUTPUT} or ${READ_OUTPUT})`;
}

const HEADED = /^((?:Observation:\n)?)\[T(\d{1,9})\]\n/;

/** Returns the citation number of the stored result in a message and the text before it; `null` if there is none. */
export function findCitedResult(message: { role: string; content: string; toolName?: string | undefined }) {
  if (message.toolName === undefined && message.role !== 'TOOL') return null;
  const match = HEADED.exec(message.content);
  return match && { number: Number(match[2]), before: match[1]! };
}

/** A line of a tool result without its line end; offsets in UTF-16 code units. */
export interface Line {
  start: number;
  end: number;
}

/** Maximum length of a line (UTF-16 code units). Longer lines, such as JSON, are split, so that tools can read them. */
const MAX_LINE_UNITS = 1000;

/** Splits a tool result into lines. Line numbers stay valid, because a result always splits the same way. */
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
    const cut = /[\ud800-\udbff]/.test(text[to - 1]!) ? to - 1 : to; // never within a surrogate pair
    yield { start: from, end: cut };
    from = cut;
  }
  yield { start: from, end };
}
