/** Kinds of untrusted text: data, never instructions. */
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

/** Kinds of text that may contain citation numbers, because TARSy or an agent wrote them. */
const NUMBERED: ReadonlySet<UntrustedKind> = new Set([
  'PREVIOUS ANALYSIS',
  'ANALYSIS',
  'AGENT RESULT',
  'AGENT TASK',
  'HISTORY',
  'CONVERSATION',
]);

/** Returns a tool result under its citation number; undefined if it has none. @param text the fenced text */
export function withCitationNumber(number: number | undefined, text: string): string {
  return number === undefined ? text : `[T${number}]\n${text}`;
}

/** Breaks up everything in a text that looks like a citation number. */
export function neutralizeCitations(text: string): string {
  return text.replace(NUMBER, '$&\u200b');
}

/** Matches any spacing and Unicode form of the characters. */
const NUMBER = /[[［【](?=[\s\p{Cf}]{0,8}[TＴ][\s\p{Cf}]{0,8}\p{Nd})/giu;

/**
 * Fences untrusted text between marker lines. Anything inside that looks like a marker, in any case, spacing and kind of
 * dashes, is broken up with zero-width spaces, so the text cannot end its own fence and speak as the system. The
 * same happens to citation numbers where none belong.
 */
export function encloseUntrusted(kind: UntrustedKind, text: string): string {
  const own = NUMBERED.has(kind) ? text : neutralizeCitations(text);
  return `-----BEGIN ${kind}-----\n${neutralise(own)}\n-----END ${kind}-----`;
}

/** Returns the positions of the fenced texts in a prompt, without their marker lines. */
export function findEnclosures(prompt: string): { kind: string; start: number; end: number }[] {
  return [...prompt.matchAll(/-----BEGIN ([A-Z ]{1,40})-----\n([\s\S]*?)\n-----END \1-----/g)].map(
    (match) => {
      const start = match.index + `-----BEGIN ${match[1]}-----\n`.length;
      return { kind: match[1]!, start, end: start + match[2]!.length };
    },
  );
}

/** Fences untrusted one-line texts, such as reasons of failures. */
export function encloseUntrustedLines(kind: UntrustedKind, lines: readonly string[]): string {
  return encloseUntrusted(kind, lines.map((line) => toOneLine(line, MAX_LINE_UNITS)).join('\n'));
}

/** Longest untrusted line in UTF-16 code units. */
const MAX_LINE_UNITS = 400;

/** Returns the text in one line of limited length (UTF-16 code units), so that it cannot look like a prompt section. */
export function toOneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`;
}

const KIND = KINDS.map((kind) => kind.replaceAll(' ', '\\s+')).join('|');
/** Matches from the start of a run of dashes, so that a long run takes linear time. */
const MARKER = new RegExp(
  `(?<!\\p{Pd})\\p{Pd}{3,}(?=\\s*(?:BEGIN|END)\\s+(?:${KIND})\\s*\\p{Pd}{3,})`,
  'giu',
);

function neutralise(text: string): string {
  return text.replace(MARKER, (run) => run.replace(/\p{Pd}{2}/gu, '$&\u200b'));
}
