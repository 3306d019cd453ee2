import { MASKING_PATTERNS } from '../config/masking-names.ts';
import { maskPatterns } from './patterns.ts';

/** Everything but what logs are full of: identifiers that look like base64, people's addresses, certificates. */
const NOT_IN_MESSAGES = new Set(['base64_secret', 'base64_short', 'email', 'certificate']);
const MESSAGE_PATTERNS = new Set(MASKING_PATTERNS.filter((name) => !NOT_IN_MESSAGES.has(name)));

/** A message of an error without secrets that a provider or a server put into it. @throws Error on a failure of masking */
export function maskMessage(text: string): string {
  return maskPatterns(text, MESSAGE_PATTERNS);
}

const WITHHELD_LINE = `${JSON.stringify({ level: 50, msg: 'a line is withheld, because masking it failed' })}\n`;

/** One line of the log. Never throws: a line that cannot be masked is not written. */
export function maskLogLine(line: string): string {
  try {
    return maskMessage(line);
  } catch {
    return WITHHELD_LINE;
  }
}
