import { z } from 'zod';
import type { Verdict } from '../../../db/enums.ts';
import { noteText, withoutMentions } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of an event's text (characters). Datadog shows no more. */
const MAX_TEXT = 4_000;

/** Time around the end of the investigation in which the event is searched (ms); attempts end after a day. */
const SEARCH_MS = 26 * 3_600_000;

const EVENTS = z.looseObject({ events: z.array(z.unknown()) });
const CREATED = z.looseObject({ status: z.literal('ok') });
const VALID = z.looseObject({ valid: z.literal(true) });

/** Type of the event, which decides its colour, by verdict. */
const TYPES: Readonly<Record<Verdict, string>> = {
  ACTION_REQUIRED: 'error',
  ACTION_SUGGESTED: 'warning',
  NO_ACTION: 'success',
  INCONCLUSIVE: 'info',
};

/** Returns the headers of Datadog's API. Reading events needs the application key. */
export function datadogHeaders(apiKey: string, applicationKey: string): Record<string, string> {
  return { 'dd-api-key': apiKey, 'dd-application-key': applicationKey };
}

/** Returns Datadog's events API v1: an event with the monitor's tag, and a tag that identifies the note. */
export function datadog(api: SenderApi): Sender {
  const path = '/api/v1/events';
  return {
    ...{ product: 'Datadog', object: 'monitor', ids: /^\d{1,20}$/ },
    async check(signal) {
      await api(VALID, { method: 'GET', path: '/api/v1/validate' }, signal);
      await api(EVENTS, { method: 'GET', path, query: rangeOf(new Date(), 60_000) }, signal);
    },
    async hasNote(note, signal) {
      const query = { ...rangeOf(note.createdAt, SEARCH_MS), tags: tagOf(note), unaggregated: 'true' };
      return (await api(EVENTS, { method: 'GET', path, query }, signal)).events.length > 0;
    },
    async addNote(note, signal) {
      const { notice, objectId } = note;
      const body = {
        title: neutral(`TARSy: ${notice.title}`),
        text: noteText(notice, MAX_TEXT, neutral),
        alert_type: notice.verdict === null ? 'info' : TYPES[notice.verdict],
        aggregation_key: `tarsy-${objectId}`,
        priority: 'normal',
        tags: ['source:tarsy', `monitor:${objectId}`, tagOf(note)],
      };
      await api(CREATED, { method: 'POST', path, body }, signal);
    },
  };
}

const tagOf = ({ id }: Note) => `tarsy_note:${id}`;

function rangeOf(around: Date, ms: number) {
  const seconds = (at: number) => String(Math.floor(at / 1000));
  return { start: seconds(around.getTime() - ms), end: seconds(around.getTime() + ms) };
}

/** Keeps text from notifying users and channels by `@`, and from being read as Markdown, which `%%%` begins. */
function neutral(text: string): string {
  return withoutMentions(text).replace(/%(?=%)/g, '%\u2060');
}
