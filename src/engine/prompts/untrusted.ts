/** Kinds of text that come from outside and are data, never instructions. */
const KINDS = [
  'ALERT DATA',
  'RUNBOOK',
  'PREVIOUS ANALYSIS',
  'ANALYSIS',
  'TOOL RESULT',
  'AGENT RESULT',
  'AGENT ERROR',
  'HISTORY',
  'QUESTION',
  'CONVERSATION',
] as const;
export type UntrustedKind = (typeof KINDS)[number];

/**
 * Encloses text from outside between marker lines. A line inside that looks like a marker is broken with a
 * zero-width space, so the text cannot end its own enclosure and speak as the system.
 */
export function untrusted(kind: UntrustedKind, text: string): string {
  return `-----BEGIN ${kind}-----\n${neutralise(text)}\n-----END ${kind}-----`;
}

const MARKER_LINE = new RegExp(`-----(?=(?:BEGIN|END) (?:${KINDS.join('|')})-----)`, 'g');

function neutralise(text: string): string {
  return text.replace(MARKER_LINE, '--\u200b---');
}
