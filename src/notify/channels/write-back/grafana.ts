import { z } from 'zod';
import { noteParts } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of an annotation (characters), so that its tooltip stays readable. */
const MAX_TEXT = 2_000;

const ANNOTATIONS = z.array(z.looseObject({ tags: z.array(z.string()) }));
const CREATED = z.looseObject({ id: z.number() });

/**
 * Returns Grafana's annotation API. An alert rule with a panel gets the annotation there; without one, it becomes an
 * annotation of the organization. Tags identify the note.
 */
export function grafana(api: SenderApi): Sender {
  const path = '/api/annotations';
  return {
    ...{ product: 'Grafana', object: 'panel', ids: /^[\w-]{1,40}(?:\/\d{1,9})?$/, isObjectOptional: true },
    async check(signal) {
      await api(ANNOTATIONS, { method: 'GET', path, query: { limit: '1' } }, signal);
    },
    async hasNote(note, signal) {
      const query = { tags: ['tarsy', tagOf(note)], limit: '1' };
      return (await api(ANNOTATIONS, { method: 'GET', path, query }, signal)).length > 0;
    },
    async addNote(note, signal) {
      const [dashboardUID, panel] = note.objectId.split('/');
      const body = {
        ...(dashboardUID && { dashboardUID, ...(panel && { panelId: Number(panel) }) }),
        time: Math.min(note.since.getTime(), note.createdAt.getTime()),
        timeEnd: note.createdAt.getTime(),
        tags: ['tarsy', tagOf(note)],
        text: annotationOf(note),
      };
      await api(CREATED, { method: 'POST', path, body }, signal);
    },
  };
}

const tagOf = ({ id }: Note) => `tarsy-note:${id}`;

/** Returns the text as HTML, because Grafana shows annotations as HTML. */
function annotationOf({ notice }: Note): string {
  const { title, body } = noteParts(notice, MAX_TEXT, escapeHtml);
  const link = `<a href="${escapeHtml(notice.link)}" target="_blank">Written by TARSy</a>`;
  return [title, body, link].filter((part) => part !== '').join('\n\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
