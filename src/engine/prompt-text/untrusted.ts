/** Kinds of untrusted text in prompts. A model must treat them as data, never as instructions. */
const KINDS = [
  'ALERT DATA',
  'RUNBOOK',
  'RUNBOOK ERROR',
  'CAUSES',
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
  'HINT',
] as const;
type UntrustedKind = (typeof KINDS)[number];

/** Kinds that may contain citation numbers, because TARSy or an agent wrote the text. */
const NUMBERED: ReadonlySet<UntrustedKind> = new Set([
  'PREVIOUS ANALYSIS',
  'ANALYSIS',
  'AGENT RESULT',
  'AGENT TASK',
  'HISTORY',
  'CONVERSATION',
]);

export function withCitationNumber(number: number | undefined, text: string): string {
  return number === undefined ? text : `[T${number}]\n${text}`;
}

/** Disables everything that looks like a citation number, with a zero-width space after its bracket. */
export function neutralizeCitations(text: string): string {
  return text.replace(NUMBER, '$&\u200b');
}

/** Matches the start of a citation number in any spacing and Unicode form. */
const NUMBER = /[[［【](?=[\s\p{Cf}]{0,8}[TＴ][\s\p{Cf}]{0,8}\p{Nd})/giu;

/**
 * Encloses untrusted text between marker lines. Zero-width spaces disable everything inside that looks like a marker,
 * so that the text cannot end its enclosure and pose as the system. Disables citation numbers too, except in NUMBERED.
 */
export function encloseUntrusted(kind: UntrustedKind, text: string): string {
  const own = NUMBERED.has(kind) ? text : neutralizeCitations(text);
  return `-----BEGIN ${kind}-----\n${neutralise(own)}\n-----END ${kind}-----`;
}

/** Returns the kinds and positions of the enclosed texts in a prompt, without their marker lines. */
export function findEnclosures(prompt: string): { kind: string; start: number; end: number }[] {
  const enclosures = prompt.matchAll(/-----BEGIN ([A-Z ]{1,40})-----\n([\s\S]*?)\n-----END \1-----/g);
  return Array.from(enclosures, ({ index, 1: kind = '', 2: text = '' }) => {
    const start = index + `-----BEGIN ${kind}-----\n`.length;
    return { kind, start, end: start + text.length };
  });
}

/** Encloses short untrusted texts, such as the reasons of failures, one per line. */
export function encloseUntrustedLines(kind: UntrustedKind, lines: readonly string[]): string {
  return encloseUntrusted(kind, lines.map((line) => toOneLine(line, MAX_LINE_UNITS)).join('\n'));
}

/** Maximum length of a line in encloseUntrustedLines (UTF-16 code units). */
const MAX_LINE_UNITS = 400;

/** Puts a text on one line, so that it cannot look like a section of the prompt. @param max UTF-16 code units */
export function toOneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`;
}

const KIND = KINDS.map((kind) => kind.replaceAll(' ', '\\s+')).join('|');
/** Matches the dashes of a marker, only at the start of a run of dashes, so that long runs take linear time. */
const MARKER = new RegExp(
  `(?<!\\p{Pd})\\p{Pd}{3,}(?=\\s*(?:BEGIN|END)\\s+(?:${KIND})\\s*\\p{Pd}{3,})`,
  'giu',
);

function neutralise(text: string): string {
  return text.replace(MARKER, (run) => run.replace(/\p{Pd}{2}/gu, '$&\u200b'));
}
