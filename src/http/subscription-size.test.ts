import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import {
  caughtUp,
  DOCUMENT,
  feed,
  feedEngine,
  insertFeedRows,
  SESSION,
  take,
} from '../../test/helpers/session-feed.ts';
import { readEvents } from '../../test/helpers/sse.ts';
import { MAX_SUBSCRIPTION_LENGTH } from './tunables.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi(feedEngine);
  await insertFeedRows(api);
  feed.reset([caughtUp]);
});
afterAll(() => api.close());

const MUCH = 'x'.repeat(MAX_SUBSCRIPTION_LENGTH);
const variables = { id: SESSION };
const TOO_MUCH: [string, { query: string; variables: object; extensions?: object }][] = [
  ['a comment', { query: `${DOCUMENT} #${MUCH}`, variables }],
  ['a variable that nobody reads', { query: DOCUMENT, variables: { ...variables, more: MUCH } }],
  ['an extension', { query: DOCUMENT, variables, extensions: { more: MUCH } }],
];
const FITS = { query: `${DOCUMENT} #${MUCH.slice(1000)}`, variables };

/** Returns a socket whose connection_init with `payload` was acknowledged. */
async function greeted(payload: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  await once(socket, 'message');
  return socket;
}

describe('over WebSocket', () => {
  /** Returns the first answer to a message, without its id. */
  async function answer(message: object): Promise<{ type: string; payload: unknown }> {
    const socket = await greeted();
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', ...message }));
    const [data] = await once(socket, 'message');
    socket.close();
    return JSON.parse(String(data));
  }

  it.each<[string, object]>([
    ...TOO_MUCH.map(([what, payload]): [string, object] => [what, { payload }]),
    ['an id', { id: MUCH, payload: { query: DOCUMENT, variables } }],
    ['what is not of the protocol', { more: MUCH, payload: { query: DOCUMENT, variables } }],
  ])('a subscription with too much text as %s is refused', async (_what, message) => {
    const { payload } = await answer(message);
    expect(payload).toMatchObject({ errors: [{ extensions: { code: 'DOCUMENT_TOO_LARGE' } }] });
  });

  it('a subscription with less text is answered, and so is a query with more', async () => {
    expect(await answer({ payload: FITS })).toMatchObject({
      payload: { data: { sessionEvents: { __typename: 'CaughtUp' } } },
    });
    const query = { query: `{ alertTypes { name } } #${MUCH}` };
    expect(await answer({ payload: query })).toMatchObject({ payload: { data: { alertTypes: [{}, {}] } } });
  });

  it('connection parameters of clients are not kept', async () => {
    const before = memoryUsed();
    const sockets: WebSocket[] = [];
    for (let n = 0; n < 20; n++) sockets.push(await greeted({ more: `${n}${'x'.repeat(2_000_000)}` }));
    const grown = memoryUsed() - before;
    for (const socket of sockets) socket.terminate();
    expect(grown).toBeLessThan(20_000_000); // the clients sent 40,000,000 bytes
  });
});

describe('as an event stream', () => {
  async function answer(body: string | ReadableStream): Promise<unknown> {
    const abort = new AbortController();
    const init = { method: 'POST', body, signal: abort.signal, duplex: 'half' };
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const response = await fetch(`${api.url}/graphql`, { ...init, headers } as RequestInit);
    const [first] = await take(readEvents(response), 1);
    abort.abort();
    return JSON.parse(first!.data);
  }
  const refused = { errors: [{ extensions: { code: 'DOCUMENT_TOO_LARGE' } }] };

  it.each<[string, string]>([
    ...TOO_MUCH.map(([what, payload]): [string, string] => [what, JSON.stringify(payload)]),
    ['spaces', `${JSON.stringify({ query: DOCUMENT, variables })}${' '.repeat(MAX_SUBSCRIPTION_LENGTH)}`],
  ])('a subscription with too much text as %s is refused', async (_what, body) => {
    expect(await answer(body)).toMatchObject(refused);
  });

  it('one sent in chunks is refused too, and one with less text is answered', async () => {
    const pieces = (payload: object) => new Blob([JSON.stringify(payload)]).stream();
    expect(await answer(pieces(TOO_MUCH[0]![1]))).toMatchObject(refused);
    for (const body of [pieces(FITS), JSON.stringify(FITS)]) {
      expect(await answer(body)).toMatchObject({ data: { sessionEvents: { __typename: 'CaughtUp' } } });
    }
  });
});

function memoryUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
