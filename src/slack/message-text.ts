import type { FoundMessage } from '../engine/features/slack/message.ts';

/** Maximum length of the text of a message to investigate (UTF-16 code units). */
const MAX_UNITS = 100_000;

/** Maximum depth of blocks and attachments that are read. */
const MAX_DEPTH = 8;

/** Keys of attachments and blocks whose values people read. */
const SHOWN = new Set(['pretext', 'title', 'text', 'value', 'fallback', 'title_link', 'from_url', 'footer']);

/** Returns the text of a message as people read it: its own, and that of attachments and blocks that add to it. */
export function messageText({ text = '', attachments, blocks }: FoundMessage): string {
  const parts: string[] = [];
  for (const part of [text, ...textsIn(attachments, MAX_DEPTH), ...textsIn(blocks, MAX_DEPTH)]) {
    const readable = readableText(part);
    if (readable !== '' && !parts.some((earlier) => earlier.includes(readable))) parts.push(readable);
  }
  return parts.join('\n').slice(0, MAX_UNITS).toWellFormed();
}

/** Returns a text without Slack's notation of links and entities. */
export function readableText(text: string): string {
  return text
    .replace(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'string' ? (SHOWN.has(key) ? [part] : []) : textsIn(part, depth - 1),
  );
}
