import { z } from 'zod';
import { isNoteIn, type NoteParts, noteParts } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of a comment (characters), below Jira's limit of 32,767. */
const MAX_TEXT = 20_000;

const CREATED = z.looseObject({ id: z.string() });
const MYSELF = z.looseObject({ displayName: z.string() });
const COMMENTS = z.looseObject({ comments: z.array(z.looseObject({ body: z.unknown() })) });

export type JiraEdition = 'cloud' | 'data-center';

/** Returns Jira's API: comments on issues, as a document in the cloud, as wiki markup in Data Center. */
export function jira(api: SenderApi, edition: JiraEdition): Sender {
  const version = edition === 'cloud' ? 3 : 2;
  const pathOf = ({ objectId }: Note) => `/rest/api/${version}/issue/${encodeURIComponent(objectId)}/comment`;
  return {
    ...{ product: 'Jira', object: 'issue', ids: /^[A-Za-z][A-Za-z0-9_]{0,99}-\d{1,10}$/ },
    async check(signal) {
      await api(MYSELF, { method: 'GET', path: `/rest/api/${version}/myself` }, signal);
    },
    async hasNote(note, signal) {
      const query = { orderBy: '-created', maxResults: '100' };
      const { comments } = await api(COMMENTS, { method: 'GET', path: pathOf(note), query }, signal);
      return isNoteIn(
        comments.map(({ body }) => textOf(body)),
        note.notice,
      );
    },
    async addNote(note, signal) {
      const body =
        edition === 'cloud'
          ? documentOf(noteParts(note.notice, MAX_TEXT), note.notice.link)
          : wikiOf(noteParts(note.notice, MAX_TEXT, withoutNoformat));
      await api(CREATED, { method: 'POST', path: pathOf(note), body: { body } }, signal);
    },
  };
}

/** Returns a document of text nodes, which Jira does not interpret. */
function documentOf({ title, body, signature }: NoteParts, link: string): object {
  const paragraph = (...content: object[]) => ({ type: 'paragraph', content });
  const text = (value: string, ...marks: object[]) => ({
    ...{ type: 'text', text: value },
    ...(marks.length > 0 && { marks }),
  });
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  return {
    type: 'doc',
    version: 1,
    content: [
      paragraph(text(title, { type: 'strong' })),
      ...lines.map((line) => paragraph(text(line))),
      paragraph(text(signature.slice(0, -link.length)), text(link, { type: 'link', attrs: { href: link } })),
    ],
  };
}

/** Returns wiki markup whose texts stand in a block that Jira does not interpret. */
function wikiOf({ title, body, signature }: NoteParts): string {
  const shown = [title, body].filter((part) => part !== '').join('\n\n');
  return `{noformat:nopanel=true}\n${shown}\n{noformat}\n${signature}`;
}

/** Keeps text from ending the block that it stands in. */
function withoutNoformat(text: string): string {
  return text.replace(/\{(?=\s*noformat)/gi, '{\u2060');
}

/** Returns the text of a comment: wiki markup, or the text nodes of a document. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  const { text, content } = body as { text?: unknown; content?: unknown };
  const inner = Array.isArray(content) ? content.map(textOf).join('') : '';
  return `${typeof text === 'string' ? text : ''}${inner}`;
}
