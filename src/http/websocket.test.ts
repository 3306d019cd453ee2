import { once } from 'node:events';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, globalId, openApi } from '../../test/helpers/http-api.ts';
import {
  caughtUp,
  changed,
  chunk,
  cursor,
  DOCUMENT,
  EXPECTED,
  feed,
  feedEngine,
  insertFeedRows,
  logged,
  REPLAY,
  SESSION,
  STAGE,
  take,
} from '../../test/helpers/session-feed.ts';
import { NotFoundError } from '../common/errors.ts';

let wsClient: Client | null = null;
let api: Api;
beforeAll(async () => {
  api = await openApi(feedEngine);
  await insertFeedRows(api);
});
afterEach(async () => {
  await wsClient?.dispose();
  wsClient = null;
});
afterAll(() => api.close());

interface EventsResult {
  data?: { sessionEvents: unknown } | null;
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[];
}

function connect(): Client {
  wsClient = createClient({ url: api.wsUrl, webSocketImpl: WebSocket, lazy: true, retryAttempts: 0 });
  return wsClient;
}

function overWebSocket(variables: Record<string, unknown>) {
  return connect().iterate<{ sessionEvents: unknown }>({ query: DOCUMENT, variables });
}

describe('sessionEvents over WebSocket', () => {
  it('replays, catches up and continues live, with every field of the contract', async () => {
    feed.reset(REPLAY.slice(0, 4));
    const results = overWebSocket({ id: SESSION });
    const replayed = await take(results, 4);
    feed.push(chunk);
    const live = await take(results, 1);
    expect([...replayed, ...live].map((result) => result.errors ?? result.data?.sessionEvents)).toEqual(
      EXPECTED,
    );
    expect(feed.asked).toMatchObject([{ id: SESSION, afterSeq: 0 }]);
    await results.return?.();
  });

  it('replays from the first event for an empty cursor', async () => {
    feed.reset(REPLAY);
    await take(overWebSocket({ id: SESSION, after: '' }), 1);
    expect(feed.asked).toMatchObject([{ id: SESSION, afterSeq: 0 }]);
  });

  it('resumes from a cursor', async () => {
    feed.reset(REPLAY);
    const results = overWebSocket({ id: globalId('Session', SESSION), after: cursor(2) });
    expect((await take(results, 1)).map((result) => result.data?.sessionEvents)).toEqual([changed(3)]);
    expect(feed.asked).toMatchObject([{ id: SESSION, afterSeq: 2 }]);
  });

  it('releases the engine at once when a client leaves a quiet session', async () => {
    feed.reset([caughtUp]);
    const results = overWebSocket({ id: SESSION });
    await take(results, 1);
    const { signal } = feed.asked[0]!;
    expect(signal.aborted).toBe(false);
    const aborted = once(signal, 'abort');
    await results.return?.();
    await aborted;
  });

  it('reads rows at the time of each event, not from an earlier event', async () => {
    feed.reset([logged(2)]);
    const results = overWebSocket({ id: SESSION });
    await take(results, 1);
    await api.pool.query("update stages set name = 'look again' where id = $1", [STAGE]);
    feed.push(logged(3));
    const [result] = await take(results, 1);
    await api.pool.query("update stages set name = 'look' where id = $1", [STAGE]);
    expect(result?.data?.sessionEvents).toMatchObject({ session: { currentStage: { name: 'look again' } } });
  });

  it.each([
    ['no such session', { id: '00000000-0000-7000-8000-0000000000ff' }, 'NOT_FOUND'],
    ['an id that is none', { id: 'x' }, 'NOT_FOUND'],
    ['a cursor that is none', { id: SESSION, after: 'x' }, 'BAD_USER_INPUT'],
    ['a cursor past the end', { id: SESSION, after: cursor(4) }, 'BAD_USER_INPUT'],
    ['a variable of a wrong type', { id: { a: 1 } }, 'BAD_USER_INPUT'],
  ])('ends with a coded error for %s', async (_what, variables, code) => {
    const [result] = await take(overWebSocket(variables) as AsyncIterableIterator<EventsResult>, 1);
    expect(result?.errors?.map((error) => error.extensions?.code)).toEqual([code]);
  });

  it.each([
    [new NotFoundError('gone'), 'NOT_FOUND'],
    [new Error('secret'), 'INTERNAL'],
    [new Error('Connection terminated, secret'), 'DATABASE_UNAVAILABLE'],
  ])('ends with a coded error when the engine fails in the middle with %s', async (error, code) => {
    feed.reset([caughtUp]);
    feed.fail(error);
    const results = overWebSocket({ id: SESSION }) as AsyncIterableIterator<EventsResult>;
    await take(results, 1);
    const errors = await take(results, 1).catch((thrown: unknown) => thrown);
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });

  it.each([
    ['does not parse', '{', 'GRAPHQL_PARSE_FAILED'],
    ['names no field of ours', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['is nested too deep', '{a'.repeat(31), 'DOCUMENT_TOO_LARGE'],
  ])('keeps the socket when a document %s', async (_what, query, code) => {
    const client = connect();
    const broken = new Promise((resolve) => {
      client.subscribe({ query }, { next() {}, complete() {}, error: resolve });
    });
    expect(await broken).toMatchObject([{ extensions: { code } }]);
    const good = client.iterate({ query: '{ alertTypes { name } }' });
    expect((await take(good, 1))[0]?.data).toEqual({
      alertTypes: [{ name: 'kubernetes' }, { name: 'host' }],
    });
  });

  it('refuses unknown paths', async () => {
    expect(await refusedStatus('/other')).toBe(404);
  });
});

async function refusedStatus(path: string): Promise<number | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${api.port}${path}`, 'graphql-transport-ws');
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
  socket.on('open', () => reject(new Error('opened')));
  socket.on('error', reject);
  return promise.finally(() => socket.terminate());
}

describe('sessionsChanged', () => {
  it('sends the sessions', async () => {
    const results = connect().iterate({
      query: 'subscription { sessionsChanged { session { id status alertData } } }',
    });
    expect((await take(results, 1)).map((result) => result.data)).toEqual([
      {
        sessionsChanged: {
          session: { id: globalId('Session', SESSION), status: 'IN_PROGRESS', alertData: 'disk almost full' },
        },
      },
    ]);
    await results.return?.();
  });
});
