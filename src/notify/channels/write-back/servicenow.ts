import { z } from 'zod';
import { SendError } from '../../failure.ts';
import { isNoteIn, noteText } from './note-text.ts';
import type { Note, Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of a work note (characters), the default size of ServiceNow's journal fields. */
const MAX_NOTE = 4_000;

const RECORD = z.looseObject({ result: z.looseObject({ sys_id: z.string() }) });
const RECORDS = z.looseObject({ result: z.array(z.looseObject({ sys_id: z.string() })) });
const JOURNAL = z.looseObject({ result: z.looseObject({ work_notes: z.string() }) });

/** Returns ServiceNow's table API: work notes of records, by their id or their number such as `INC0010001`. */
export function servicenow(api: SenderApi, table: string): Sender {
  const path = `/api/now/table/${encodeURIComponent(table)}`;

  async function recordPath({ objectId }: Note, signal: AbortSignal): Promise<string> {
    if (/^[0-9a-f]{32}$/.test(objectId)) return `${path}/${objectId}`;
    const query = { sysparm_query: `number=${objectId}`, sysparm_fields: 'sys_id', sysparm_limit: '2' };
    const { result } = await api(RECORDS, { method: 'GET', path, query }, signal);
    if (result.length === 1) return `${path}/${encodeURIComponent(result[0]!.sys_id)}`;
    throw new SendError(`ServiceNow has ${result.length === 0 ? 'no' : 'several'} such records.`, {
      ...{ code: 'OBJECT_GONE', isFinal: true },
    });
  }

  return {
    ...{ product: 'ServiceNow', object: 'record', ids: /^(?:[0-9a-f]{32}|[A-Z]{2,10}\d{3,20})$/ },
    async check(signal) {
      const query = { sysparm_fields: 'sys_id', sysparm_limit: '1' };
      await api(RECORDS, { method: 'GET', path, query }, signal);
    },
    async hasNote(note, signal) {
      // With display values, a journal field is the text of all its entries.
      const query = { sysparm_fields: 'work_notes', sysparm_display_value: 'true' };
      const record = await recordPath(note, signal);
      const { result } = await api(JOURNAL, { method: 'GET', path: record, query }, signal);
      return isNoteIn([result.work_notes], note.notice);
    },
    async addNote(note, signal) {
      const body = { work_notes: noteText(note.notice, MAX_NOTE, neutral) };
      const query = { sysparm_fields: 'sys_id' };
      const record = await recordPath(note, signal);
      await api(RECORD, { method: 'PATCH', path: record, query, body }, signal);
    },
  };
}

/** Keeps text from being HTML, which `[code]` begins. */
function neutral(text: string): string {
  return text.replace(/\[(?=\s*\/?\s*code)/gi, '[\u2060');
}
