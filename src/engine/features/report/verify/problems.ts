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
  NEGATION_CUT: (quote, source) =>
    `The sentence of ${source} that ${quote} is cut out of holds a negation that the quote leaves out: quote the whole sentence.`,
  NEGATION_DIFFERS: (word) => `The claim and its quotes differ in whether ${word} is denied.`,
  FIGURE_NOT_QUOTED: (figures) =>
    `None of its quotes shows ${figures}: quote the line with the figure, and write it as it stands there, with its unit.`,
  NAME_NOT_QUOTED: (names) => `None of its quotes or cited calls names ${names}.`,
  TIME_NOT_QUOTED: (times) =>
    `None of its quotes shows the time ${times}: write it as it stands there, cut but not rounded, with a zone only where one is given.`,
  FIGURE_OF_OTHER_NAME: (pieces) =>
    `No single quote shows ${pieces} together: quote the line that says the one of the other.`,
  ONLY_THE_ALERT_SAYS_SO: () =>
    'Only the alert or the runbook says so, no tool result: cite a result, or say that it is what the alert says.',
  ABSENCE_NOT_SAID: () =>
    'It says that something is not there, and no quote says so: quote what the tool answered, such as "No resources found".',
  ABSENCE_NOT_LOOKED_FOR: (pieces) =>
    `It says that something is not there, and no cited call looked for ${pieces === '' ? 'it' : pieces}: only a call that names it proves that.`,
  ABSENCE_OUTPUT_CUT: (_, source) =>
    `${source} is cut: what is not in it may stand in the part that is missing.`,
} satisfies Record<string, (pieces: string, source: string) => string>;
