import { z } from 'zod';
import { isNoteIn, noteText } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of a note (characters). */
const MAX_NOTE = 4_000;

const NOTES = z.looseObject({ notes: z.array(z.looseObject({ content: z.string() })) });
const CREATED = z.looseObject({ note: z.looseObject({ id: z.string() }) });
const INCIDENT = z.looseObject({ incident: z.looseObject({ status: z.string() }) });
const INCIDENTS = z.looseObject({ incidents: z.array(z.unknown()) });

/** Returns the headers of PagerDuty's REST API. @param from address of the user in whose name TARSy writes */
export function pagerdutyHeaders(token: string, from: string): Record<string, string> {
  return { authorization: `Token token=${token}`, accept: 'application/vnd.pagerduty+json;version=2', from };
}

/** Returns PagerDuty's REST API v2: notes of incidents. */
export function pagerduty(api: SenderApi): Sender {
  const pathOf = ({ objectId }: Note) => `/incidents/${encodeURIComponent(objectId)}`;
  const setStatus = async (note: Note, status: 'acknowledged' | 'resolved', signal: AbortSignal) => {
    const path = pathOf(note);
    const { incident } = await api(INCIDENT, { method: 'GET', path }, signal);
    if (incident.status === 'resolved' || incident.status === status) return;
    const body = { incident: { type: 'incident_reference', status } };
    await api(INCIDENT, { method: 'PUT', path, body }, signal);
  };
  return {
    ...{ product: 'PagerDuty', object: 'incident', ids: /^[A-Za-z0-9]{1,64}$/ },
    async check(signal) {
      await api(INCIDENTS, { method: 'GET', path: '/incidents', query: { limit: '1' } }, signal);
    },
    async hasNote(note, signal) {
      const { notes } = await api(NOTES, { method: 'GET', path: `${pathOf(note)}/notes` }, signal);
      return isNoteIn(
        notes.map(({ content }) => content),
        note.notice,
      );
    },
    async addNote(note, signal) {
      const body = { note: { content: noteText(note.notice, MAX_NOTE) } };
      await api(CREATED, { method: 'POST', path: `${pathOf(note)}/notes`, body }, signal);
    },
    acknowledge: (note, signal) => setStatus(note, 'acknowledged', signal),
    resolve: (note, signal) => setStatus(note, 'resolved', signal),
  };
}
