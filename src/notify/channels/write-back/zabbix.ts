import { z } from 'zod';
import { SendError } from '../../failure.ts';
import { isNoteIn, noteText } from './note-text.ts';
import type { Sender } from './sender.ts';
import type { SenderApi } from './sender-api.ts';

/** Maximum length of a message (characters), the size of Zabbix's column. */
const MAX_MESSAGE = 2_048;

/** Bits of the action of `event.acknowledge`. */
const CLOSE = 1;
const ACKNOWLEDGE = 2;
const ADD_MESSAGE = 4;

/** Code of errors about objects that do not exist, or that the user may not see. */
const NO_SUCH_OBJECT = -32_500;

const FAILED = z.looseObject({ error: z.looseObject({ code: z.number() }) });
const EVENTS = z.array(z.looseObject({ acknowledges: z.array(z.looseObject({ message: z.string() })) }));
const ACKNOWLEDGED = z.looseObject({ eventids: z.array(z.union([z.string(), z.number()])) });

/** Returns Zabbix's JSON-RPC API (7.0 and later): messages on problems. Zabbix skips what is acknowledged or closed. */
export function zabbix(api: SenderApi): Sender {
  async function call<T>(
    method: string,
    params: object,
    result: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const answer = z.union([FAILED, z.looseObject({ result })]);
    const body = { jsonrpc: '2.0', method, params, id: 1 };
    const to = {
      method: 'POST',
      path: '/api_jsonrpc.php',
      body,
      contentType: 'application/json-rpc',
    } as const;
    const got = await api(answer, to, signal);
    if ('result' in got) return got.result as T;
    const { code } = got.error as { code: number };
    throw new SendError(`Zabbix refused ${method} (${code}).`, {
      code: code === NO_SUCH_OBJECT ? 'OBJECT_GONE' : 'REFUSED',
      isFinal: true,
    });
  }
  const update = async (eventid: string, params: object, signal: AbortSignal) => {
    await call('event.acknowledge', { eventids: [eventid], ...params }, ACKNOWLEDGED, signal);
  };
  return {
    ...{ product: 'Zabbix', object: 'problem', ids: /^\d{1,20}$/ },
    async check(signal) {
      await call('event.get', { output: ['eventid'], limit: 1 }, z.array(z.unknown()), signal);
    },
    async hasNote(note, signal) {
      const params = { eventids: [note.objectId], output: ['eventid'], selectAcknowledges: ['message'] };
      const events = await call('event.get', params, EVENTS, signal);
      const messages = events.flatMap(({ acknowledges }) => acknowledges.map(({ message }) => message));
      return isNoteIn(messages, note.notice);
    },
    addNote: ({ objectId, notice }, signal) =>
      update(objectId, { action: ADD_MESSAGE, message: noteText(notice, MAX_MESSAGE) }, signal),
    acknowledge: ({ objectId }, signal) => update(objectId, { action: ACKNOWLEDGE }, signal),
    resolve: ({ objectId }, signal) => update(objectId, { action: CLOSE }, signal),
  };
}
