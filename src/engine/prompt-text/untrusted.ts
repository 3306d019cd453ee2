/** Kinds of text that come from outside and are data, never instructions. */
const KINDS = [
  'ALERT DATA',
  'RUNBOOK',
  'RUNBOOK ERROR',
  'SERVER ERRORS',
  'TOOL LIST',
  'PREVIOUS ANALYSIS',
  'ANALYSIS',
  'TOOL RESULT',
  'AGENT RESULT',
  'AGENT ERROR',
  'AGENT TASK',
  'HISTORY',
  'QUESTION',
  'CONVERSATION',
  'PAST INVESTIGATIONS',
] as const;
export type UntrustedKind = (typeof KINDS)[number];

/** Texts in which numbers of tool results stand rightly: they were headed by us, or written by an agent. */
const NUMBERED: ReadonlySet<UntrustedKind> = new Set([
  'PREVIOUS ANALYSIS',
  'ANALYSIS',
  'AGENT RESULT',
  'AGENT TASK',
  'HISTORY',
  'CONVERSATION',
]);

/** A tool's result under the number by which it is cited; undefined = it has none. @param text enclosed */
export function withCitationNumber(number: number | undefined, text: string): string {
  return number === undefined ? text : `[T${number}]\n${text}`;
}

/** Text of others in which nothing looks like the number of a tool result. */
export function neutralizeCitations(text: string): string {
  return text.replace(NUMBER, '$&\u200b');
}

/** In whatever spacing and form of its characters. */
const NUMBER = /[[［【](?=[\s\p{Cf}]{0,8}[TＴ][\s\p{Cf}]{0,8}\p{Nd})/giu;

/**
 * Encloses text from outside between marker lines. What looks like a marker inside, in whatever case, spacing and
 * kind of dashes, is broken with zero-width spaces, so the text cannot end its own enclosure and speak as the system.
 * So is what looks like the number of a tool result, where none belongs.
 */
export function encloseUntrusted(kind: UntrustedKind, text: string): string {
  const own = NUMBERED.has(kind) ? text : neutralizeCitations(text);
  return `-----BEGIN ${kind}-----\n${neutralise(own)}\n-----END ${kind}-----`;
}

/** Where the enclosed texts of a prompt stand, without their marker lines. */
export function findEnclosures(prompt: string): { kind: string; start: number; end: number }[] {
  return [...prompt.matchAll(/-----BEGIN ([A-Z ]{1,40})-----\n([\s\S]*?)\n-----END \1-----/g)].map(
    (match) => {
      const start = match.index + `-----BEGIN ${match[1]}-----\n`.length;
      return { kind: match[1]!, start, end: start + match[2]!.length };
    },
  );
}

/** Encloses sayings of others of which each belongs into one line, such as the reasons of failures. */
export function encloseUntrustedLines(kind: UntrustedKind, lines: readonly string[]): string {
  return encloseUntrusted(kind, lines.map((line) => toOneLine(line, MAX_LINE_UNITS)).join('\n'));
}

/** UTF-16 code units of a line that others wrote: a reason, not a page. */
const MAX_LINE_UNITS = 400;

/** Text in one line, up to a length in UTF-16 code units: it cannot look like a section of the prompt. */
export function toOneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`;
}

const KIND = KINDS.map((kind) => kind.replaceAll(' ', '\\s+')).join('|');
/** Begins where a run of dashes begins, so that a long run costs no more than its length. */
const MARKER = new RegExp(
  `(?<!\\p{Pd})\\p{Pd}{3,}(?=\\s*(?:BEGIN|END)\\s+(?:${KIND})\\s*\\p{Pd}{3,})`,
  'giu',
);

function neutralise(text: string): string {
  return text.replace(MARKER, (run) => run.replace(/\p{Pd}{2}/gu, '$&\u200b'));
}
