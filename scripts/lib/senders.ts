import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE_TYPES, type SourceType } from '../../src/config/enums.ts';

/** The folder with a page for each type of source. The name of the page is the type. */
export const SENDER_PAGES = join(import.meta.dirname, '../../docs/how-to/alert-sources');

/** A part of a sender's page: Markdown prose, or a snippet to paste. */
export type SenderPart =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly label: string; readonly text: string };

/** Setup instructions for one type of source. */
export interface Sender {
  readonly title: string;
  readonly parts: readonly SenderPart[];
}

/** Returns the pages of SENDER_PAGES by type of source. @throws Error if a type has no page, or its page has no title */
export function readSenders(): Record<SourceType, Sender> {
  const senders = SOURCE_TYPES.map((type): [SourceType, Sender] => {
    const page = readFileSync(join(SENDER_PAGES, `${type}.md`), 'utf8');
    const title = /^# (.+)\n/.exec(page)?.[1];
    if (title === undefined) throw new Error(`${type}.md: expected the sender's name as title in line 1`);
    return [type, { title, parts: partsOf(page.slice(page.indexOf('\n'))) }];
  });
  return Object.fromEntries(senders) as Record<SourceType, Sender>;
}

/** Splits a page into prose and fenced code. The words after a fence's language are the snippet's label. */
function partsOf(page: string): SenderPart[] {
  const pieces = page.split(/^```(.*)\n([\s\S]*?)^```$/m);
  const parts: SenderPart[] = [];
  for (let index = 0; index < pieces.length; index += 3) {
    const text = pieces[index]!.trim();
    if (text !== '') parts.push({ kind: 'prose', text });
    const [info, code] = [pieces[index + 1], pieces[index + 2]];
    if (info === undefined || code === undefined) continue;
    const [language = '', ...label] = info.trim().split(' ');
    parts.push({ kind: 'code', language, label: label.join(' ') || 'command', text: code.trimEnd() });
  }
  return parts;
}
