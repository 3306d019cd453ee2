import { MASKING_PATTERNS } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

/** Patterns left out, because they mask harmless parts of most logs: ids like base64, mail addresses, certificates. */
const NOT_IN_MESSAGES = new Set(['base64_secret', 'base64_short', 'email', 'certificate']);
const MESSAGE_PATTERNS = new Set(MASKING_PATTERNS.filter((name) => !NOT_IN_MESSAGES.has(name)));

/** Masks secrets that a provider or server put into an error message. @throws Error if masking fails */
export function maskMessage(text: string): string {
  return maskPatterns(text, MESSAGE_PATTERNS);
}

const WITHHELD_LINE = `${JSON.stringify({ level: 50, msg: 'a line is withheld, because masking it failed' })}\n`;

/** Masks one line of the log. Never throws; a line that cannot be masked is replaced by a notice. */
export function maskLogLine(line: string): string {
  try {
    return maskMessage(line);
  } catch {
    return WITHHELD_LINE;
  }
}
