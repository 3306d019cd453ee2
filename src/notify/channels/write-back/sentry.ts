import { z } from 'zod';
import { escapeMarkdown } from '../mattermost.ts';
import { isNoteIn, noteText } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of a comment (characters). */
const MAX_TEXT = 10_000;

const COMMENTS = z.array(z.looseObject({ data: z.looseObject({ text: z.string().optional() }) }));
const CREATED = z.looseObject({ id: z.string() });
const ISSUE = z.looseObject({ status: z.string() });
const ORGANIZATION = z.looseObject({ slug: z.string() });

/** Returns Sentry's API of an organization's issues: comments. */
export function sentry(api: SenderApi, organization: string): Sender {
  const base = `/api/0/organizations/${encodeURIComponent(organization)}`;
  const pathOf = ({ objectId }: Note) => `${base}/issues/${encodeURIComponent(objectId)}`;
  return {
    ...{ product: 'Sentry', object: 'issue', ids: /^\d{1,20}$/ },
    async check(signal) {
      await api(ORGANIZATION, { method: 'GET', path: `${base}/` }, signal);
    },
    async hasNote(note, signal) {
      const comments = await api(COMMENTS, { method: 'GET', path: `${pathOf(note)}/comments/` }, signal);
      return isNoteIn(
        comments.flatMap(({ data }) => data.text ?? []),
        note.notice,
      );
    },
    async addNote(note, signal) {
      const body = { text: noteText(note.notice, MAX_TEXT, neutral) };
      await api(CREATED, { method: 'POST', path: `${pathOf(note)}/comments/`, body }, signal);
    },
    async resolve(note, signal) {
      const path = `${pathOf(note)}/`;
      const { status } = await api(ISSUE, { method: 'GET', path }, signal);
      if (status !== 'resolved')
        await api(ISSUE, { method: 'PUT', path, body: { status: 'resolved' } }, signal);
    },
  };
}

/** Escapes Markdown and HTML, which Sentry renders. */
function neutral(text: string): string {
  return escapeMarkdown(text.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;')));
}
