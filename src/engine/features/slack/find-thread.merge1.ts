import { type FoundMessage, isOwnMessage } from './message.ts';

/** Depth of the blocks and attachments that are looked through; Slack's own have fewer levels. */
const MAX_DEPTH = 8;

/**
 * Whether the alert that a session is about came with this message: the fingerprint occurs in its text, attachments or
 * blocks, whatever the case and the white space. Our own messages may quote it and do not count.
 */
export function hasFingerprint(message: FoundMessage, fingerprint: string): boolean {
  const wanted = normalise(fingerprint);
  if (wanted === '' || isOwnMessage(message)) return false;
  const { text, attachments, blocks } = message;
  return texts([text, attachments, blocks], MAX_DEPTH).some((found) => normalise(found).includes(wanted));
}

function normalise(text: string): string {
  return unescaped(text).toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Slack gives back what it was given as entities. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function texts(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((part) => texts(part, depth - 1));
}
