import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { SendError } from '../../failure.ts';
import { isNoteIn, noteText, withoutMentions } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of a note (characters). Opsgenie cuts notes at 25,000. */
const MAX_NOTE = 10_000;

/** Shortest and longest delay between reads of an accepted request's result (ms), and their number. */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 1_000;
const MAX_POLLS = 20;

/** Differences between the two products with Opsgenie's alerts. */
export interface OpsgenieEdition {
  product: string;
  /** Path of the alerts. */
  path: string;
  /** Member of an answer that holds the items of a list. */
  items: 'data' | 'values';
  /** Query of a list of notes: the size of a page, and newest first if the product knows an order. */
  list: Record<string, string>;
  /** Members of a request that name the writer. */
  writer: object;
}

export const OPSGENIE: OpsgenieEdition = {
  ...{ product: 'Opsgenie', path: '/v2/alerts', items: 'data' },
  ...{ list: { limit: '100', order: 'desc' }, writer: { source: 'TARSy' } },
};

/** Returns Jira Service Management's alerts of a site. */
export function jsmEdition(cloudId: string): OpsgenieEdition {
  const path = `/jsm/ops/api/${encodeURIComponent(cloudId)}/v1/alerts`;
  return { product: 'Jira Service Management', path, items: 'values', list: { size: '100' }, writer: {} };
}

/** Maximum number of pages of notes that are read, for a product without an order. */
const MAX_PAGES = 10;

const NOTES = z.array(z.looseObject({ note: z.string() }));
const LINKS = z.looseObject({ next: z.string().nullish() }).nullish();
const PAGE = z
  .looseObject({ data: NOTES.optional(), values: NOTES.optional(), links: LINKS })
  .refine(({ data, values }) => data !== undefined || values !== undefined);
const ACCEPTED = z.looseObject({ requestId: z.string() });
const RESULT = z.looseObject({ isSuccess: z.boolean(), status: z.string() });
const ALERT = z.looseObject({ status: z.string(), acknowledged: z.boolean() });

/** Returns the alert API of Opsgenie or Jira Service Management. Both handle writes later, so the result is awaited. */
export function opsgenie(api: SenderApi, edition: OpsgenieEdition): Sender {
  const { product, path, items, writer } = edition;
  const alertPath = ({ objectId }: Note) => `${path}/${encodeURIComponent(objectId)}`;
  /** Schema of an answer with one object, which Opsgenie puts into `data`. */
  const one = <T>(schema: z.ZodType<T>) =>
    items === 'data' ? z.looseObject({ data: schema }).transform(({ data }) => data as T) : schema;

  async function resultOf(requestId: string, signal: AbortSignal) {
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      try {
        const to = { method: 'GET', path: `${path}/requests/${encodeURIComponent(requestId)}` } as const;
        return await api(one(RESULT), to, signal);
      } catch (error) {
        if (!(error instanceof SendError) || error.failure.code !== 'HTTP_404') throw error; // 404: not handled yet
      }
      await setTimeout(Math.min(MIN_POLL_MS * 2 ** polls, MAX_POLL_MS), undefined, { signal });
    }
    throw new SendError(`${product} accepted the request, but has not handled it yet.`, { code: 'TIMEOUT' });
  }

  async function write(note: Note, action: string, body: object, signal: AbortSignal): Promise<void> {
    const accepted = await api(
      ACCEPTED,
      { method: 'POST', path: `${alertPath(note)}/${action}`, body },
      signal,
    );
    const { isSuccess, status } = await resultOf(accepted.requestId, signal);
    if (isSuccess) return;
    const code = /not exist|not found/i.test(status) ? 'OBJECT_GONE' : 'REFUSED';
    throw new SendError(`${product} did not carry out the request.`, { code, isFinal: true });
  }

  async function change(note: Note, action: 'acknowledge' | 'close', signal: AbortSignal): Promise<void> {
    const alert = await api(one(ALERT), { method: 'GET', path: alertPath(note) }, signal);
    if (alert.status === 'closed' || (action === 'acknowledge' && alert.acknowledged)) return;
    await write(note, action, writer, signal);
  }

  return {
    ...{ product, object: 'alert', ids: /^[A-Za-z0-9-]{1,128}$/ },
    async check(signal) {
      const list = z.looseObject({ [items]: z.array(z.unknown()) });
      await api(list, { method: 'GET', path, query: edition.list }, signal);
    },
    async hasNote(note, signal) {
      let after: string | null = null;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const query: Record<string, string> = { ...edition.list, ...(after !== null && { after }) };
        const answer = await api(PAGE, { method: 'GET', path: `${alertPath(note)}/notes`, query }, signal);
        const notes = answer.data ?? answer.values ?? [];
        if (
          isNoteIn(
            notes.map((each) => each.note),
            note.notice,
          )
        )
          return true;
        after = cursorOf(answer.links?.next);
        if (after === null) return false;
      }
      return false;
    },
    async addNote(note, signal) {
      const text = noteText(note.notice, MAX_NOTE, withoutMentions);
      await write(note, 'notes', { note: text, ...writer }, signal);
    },
    acknowledge: (note, signal) => change(note, 'acknowledge', signal),
    resolve: (note, signal) => change(note, 'close', signal),
  };
}

/** Returns the cursor in the link to the next page; `null` on the last page. */
function cursorOf(next: string | null | undefined): string | null {
  return URL.parse(next ?? '', 'https://api.atlassian.com')?.searchParams.get('after') ?? null;
}
