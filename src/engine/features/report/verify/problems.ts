import type { CitationStatus } from '../../../../db/enums.ts';

export interface Problem {
  code: ProblemCode;
  /** Says in one sentence what is wrong. Untrusted, because it quotes the claim. */
  message: string;
  /** Tells the model how to repair the claim; never shown to people. */
  advice: string;
}

export type ProblemCode = keyof typeof PROBLEMS;

/** Maximum length (UTF-16 code units) of a passage that a message quotes. */
const MAX_PIECE = 80;

/** Creates a problem. @param pieces passages of the claim that the message quotes */
export function createProblem(
  code: ProblemCode,
  pieces: readonly string[] = [],
  source: number | string = '',
): Problem {
  const sourceName = typeof source === 'number' ? `T${source}` : source;
  const { message, advice } = PROBLEMS[code];
  return { code, message: message(pieces.map(quoted).join(', '), sourceName), advice };
}

export function citationStatus(code: ProblemCode): CitationStatus {
  if (code === 'NO_SUCH_OUTPUT' || code === 'TOOL_FAILED' || code === 'OUTPUT_EMPTY') return code;
  return 'QUOTE_NOT_FOUND';
}

function quoted(piece: string): string {
  return piece.length > MAX_PIECE ? `"${piece.slice(0, MAX_PIECE).toWellFormed()}…"` : `"${piece}"`;
}

const PROBLEMS = {
  NOTHING_CITED: {
    message: () => 'No source cited.',
    advice: 'Cite the number of a tool result and quote it word for word.',
  },
  NO_SUCH_OUTPUT: {
    message: (_, source) => `${source} does not exist.`,
    advice: 'Cite a number that heads a tool result.',
  },
  TOOL_FAILED: {
    message: (_, source) => `Tool call ${source} failed, so its output is no evidence.`,
    advice: 'Cite a call that succeeded.',
  },
  OUTPUT_EMPTY: {
    message: (_, source) => `${source} is empty.`,
    advice: 'Quote a result that has text.',
  },
  QUOTE_NOT_FOUND: {
    message: (quote, source) => `${source} does not contain ${quote}.`,
    advice: 'Quote it word for word.',
  },
  QUOTE_TOO_SHORT: {
    message: (quote, source) => `The quote ${quote} from ${source} is too short.`,
    advice: 'Quote at least 12 characters, or a whole line, cell or field.',
  },
  QUOTE_TOO_LONG: {
    message: (_, source) => `The quote from ${source} is longer than 500 characters.`,
    advice: 'Quote the one passage that counts.',
  },
  QUOTE_SHORTENED: {
    message: (quote, source) => `The quote ${quote} from ${source} omits text.`,
    advice: 'Quote one unbroken passage; several quotes are several citations.',
  },
  QUOTE_CUTS_WORD: {
    message: (quote, source) => `The quote ${quote} from ${source} cuts a word or number.`,
    advice: 'Quote whole words.',
  },
  NO_FACTS: {
    message: () => 'The claim states no fact.',
    advice: 'State what the quotes show, each with its subject, attribute and value.',
  },
  FACT_WITHOUT_QUOTE: {
    message: (fact) => `No valid quote shows ${fact}.`,
    advice: 'Cite the passage that shows it.',
  },
  FACT_NOT_SHOWN: {
    message: (fact, source) => `The quote from ${source} does not show ${fact}.`,
    advice: 'Quote the line or object with the value, and name the attribute and value as they stand there.',
  },
  FACT_OTHER_SUBJECT: {
    message: (fact, source) => `The quote from ${source} shows the value of ${fact} for another subject.`,
    advice: 'Name the subject of that row or object.',
  },
  FACT_OTHER_VALUE: {
    message: (fact, source) => `The quote from ${source} shows a different value than ${fact}.`,
    advice: 'State the value that stands there, with its unit.',
  },
  FACT_OF_OTHER_ROW: {
    message: (fact) => `${fact} is from another row than the other facts about the subject.`,
    advice: 'State facts of one row, or name the row in each.',
  },
  FIGURE_IN_NO_FACT: {
    message: (figures) => `No fact of the claim covers ${figures}.`,
    advice: 'Add the fact, or leave it out.',
  },
  TIME_IN_NO_FACT: {
    message: (times) => `No fact of the claim covers the time ${times}.`,
    advice: 'Add the fact, or leave it out.',
  },
  NAME_IN_NO_FACT: {
    message: (names) => `No fact of the claim mentions ${names}.`,
    advice: 'Add the fact, or leave it out.',
  },
  ONLY_THE_ALERT_SAYS_SO: {
    message: () => 'Only the alert or the runbook states this, no tool output.',
    advice: 'Cite a tool result, or state with the subject ALERT or RUNBOOK what it says.',
  },
  CAUSE_AFTER_EFFECT: {
    message: (times) => `The cause is later than its effect: ${times}.`,
    advice: 'Name a cause that comes before the effect.',
  },
  ORDER_NOT_CHECKED: {
    message: () =>
      'The order of cause and effect was not checked, because the facts do not state both times with dates.',
    advice: 'State a fact with date and time for each, or leave because empty.',
  },
  ABSENCE_NOT_SAID: {
    message: () => 'No quote shows the absence.',
    advice: 'Quote what the tool answered, such as "No resources found".',
  },
  ABSENCE_NOT_LOOKED_FOR: {
    message: (pieces, source) => `Tool call ${source} did not search for ${pieces}.`,
    advice: 'Only a call that searches for exactly that proves its absence.',
  },
  ABSENCE_NARROWER: {
    message: (pieces, source) => `Tool call ${source} searched only for ${pieces}.`,
    advice: 'Name that in the subject or filter of the absence.',
  },
  ABSENCE_OTHER_WINDOW: {
    message: (pieces, source) => `Tool call ${source} did not cover the whole period ${pieces}.`,
    advice: 'State a window within that of the call.',
  },
  ABSENCE_OUTPUT_CUT: {
    message: (_, source) => `${source} is incomplete, so it does not prove an absence.`,
    advice: 'Cite a complete result.',
  },
} satisfies Record<string, { message: (pieces: string, source: string) => string; advice: string }>;
