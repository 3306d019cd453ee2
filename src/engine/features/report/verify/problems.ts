import type { CitationStatus } from '../../../../db/enums.ts';

export interface Problem {
  code: ProblemCode;
  /** Tells viewers and the model what is wrong and how to repair it. Untrusted, because it quotes the claim. */
  message: string;
}

export type ProblemCode = keyof typeof MESSAGES;

/** Maximum length (UTF-16 code units) of a passage that a message quotes. */
const MAX_PIECE = 80;

/** Creates a problem. @param pieces passages of the claim that the message quotes */
export function createProblem(
  code: ProblemCode,
  pieces: readonly string[] = [],
  source: number | string = '',
): Problem {
  const sourceName = typeof source === 'number' ? `T${source}` : source;
  return { code, message: MESSAGES[code](pieces.map(quoted).join(', '), sourceName) };
}

export function citationStatus(code: ProblemCode): CitationStatus {
  if (code === 'NO_SUCH_OUTPUT' || code === 'TOOL_FAILED' || code === 'OUTPUT_EMPTY') return code;
  return 'QUOTE_NOT_FOUND';
}

function quoted(piece: string): string {
  return piece.length > MAX_PIECE ? `"${piece.slice(0, MAX_PIECE).toWellFormed()}…"` : `"${piece}"`;
}

const MESSAGES = {
  NOTHING_CITED: () => 'It cites nothing: cite the number of a tool result and quote it word for word.',
  NO_SUCH_OUTPUT: (_, source) => `There is no ${source}: cite a number that heads a tool result.`,
  TOOL_FAILED: (_, source) => `The call ${source} failed: what it returned proves nothing.`,
  OUTPUT_EMPTY: (_, source) => `${source} is empty: nothing can be quoted from it.`,
  QUOTE_NOT_FOUND: (quote, source) => `${source} does not hold the words ${quote}: quote it word for word.`,
  QUOTE_TOO_SHORT: (quote, source) =>
    `The quote ${quote} of ${source} is too short to prove anything: quote at least 12 characters, or a whole line, cell or field.`,
  QUOTE_TOO_LONG: (_, source) =>
    `The quote of ${source} is longer than 500 characters: quote the one passage that counts.`,
  QUOTE_SHORTENED: (quote, source) =>
    `The quote ${quote} of ${source} leaves something out: quote one unbroken passage; several quotes are several citations.`,
  QUOTE_CUTS_WORD: (quote, source) =>
    `The quote ${quote} of ${source} begins or ends within a word or figure: quote whole words.`,
  NO_FACTS: () =>
    'It states no fact: state what the quotes show, each with its subject, attribute and value.',
  FACT_WITHOUT_QUOTE: (fact) => `The fact ${fact} has no quote that holds: cite the passage that shows it.`,
  FACT_NOT_SHOWN: (fact, source) =>
    `The quote of ${source} does not show the fact ${fact}: quote the line or object with the value, and name the attribute and value as they stand there.`,
  FACT_OTHER_SUBJECT: (fact, source) =>
    `The quote of ${source} shows the value of ${fact}, but of another subject: name the subject of that row or object.`,
  FACT_OTHER_VALUE: (fact, source) =>
    `The quote of ${source} shows another value than the fact ${fact}: state the value that stands there, with its unit.`,
  FACT_OF_OTHER_ROW: (fact) =>
    `The fact ${fact} is of another row than the other facts about its subject: state facts of one row, or name the row in each.`,
  FIGURE_IN_NO_FACT: (figures) =>
    `Its text has ${figures}, which is in none of its facts: add the fact, or leave it out.`,
  TIME_IN_NO_FACT: (times) =>
    `Its text has the time ${times}, which is in none of its facts: add the fact, or leave it out.`,
  NAME_IN_NO_FACT: (names) =>
    `Its text names ${names}, which is in none of its facts: add the fact, or leave it out.`,
  ONLY_THE_ALERT_SAYS_SO: () =>
    'Only the alert or the runbook says so, no tool result: cite a result, or state with the subject ALERT or RUNBOOK what it says.',
  ABSENCE_NOT_SAID: () =>
    'It says that something is not there, and no quote says so: quote what the tool answered, such as "No resources found".',
  ABSENCE_NOT_LOOKED_FOR: (pieces, source) =>
    `It says that something is not there, but the call ${source} did not look for ${pieces}: only a call that looks for exactly that proves it.`,
  ABSENCE_NARROWER: (pieces, source) =>
    `The call ${source} looked only for ${pieces}: name that in the subject or filter of the absence.`,
  ABSENCE_OTHER_WINDOW: (pieces, source) =>
    `The call ${source} did not look at the whole window ${pieces}: state a window within that of the call.`,
  ABSENCE_OUTPUT_CUT: (_, source) =>
    `${source} is not whole: what is not in it may stand in the part that is missing.`,
} satisfies Record<string, (pieces: string, source: string) => string>;
