import { once } from 'node:events';
import { request } from 'node:http';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import {
  caughtUp,
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
  take,
} from '../../test/helpers/session-feed.ts';
import { readEvents, type ServerSentEvent } from '../../test/helpers/sse.ts';
import { makeToken } from '../access/token-form.ts';
import type { ActiveToken, Tokens } from '../access/tokens.ts';
import { NotFoundError } from '../common/errors.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi(feedEngine);
  await insertFeedRows(api);
});
afterAll(() => api.close());

async function* overSse(
  variables: Record<string, unknown>,
  options: { method?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): AsyncGenerator<ServerSentEvent> {
  const { method = 'POST', headers = {}, signal } = options;
  const query = new URLSearchParams({ query: DOCUMENT, variables: JSON.stringify(variables) });
  const response = await fetch(`${api.url}/graphql${method === 'GET' ? `?${query}` : ''}`, {
    method,
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: JSON.stringify({ query: DOCUMENT, variables }) }),
    ...(signal && { signal }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  yield* readEvents(response);
}

describe('sessionEvents over SSE', () => {
  it.each(['GET', 'POST'])('are equal by %s, each with its cursor as id', async (method) => {
    feed.reset(REPLAY);
    const abort = new AbortController();
    const messages = await take(overSse({ id: SESSION }, { method, signal: abort.signal }), 5);
    expect(messages.map(({ id }) => id)).toEqual([cursor(1), cursor(2), cursor(3), cursor(3), null]);
    expect(messages.map(({ event }) => event)).toEqual(Array(5).fill('next'));
    expect(messages.map(({ data }) => JSON.parse(data).data.sessionEvents)).toEqual(EXPECTED);
    const left = once(feed.asked[0]!.signal, 'abort');
    abort.abort();
    await left;
  });

  it('resume from Last-Event-ID, wherever the query began', async () => {
    feed.reset(REPLAY);
    const abort = new AbortController();
    const options = { method: 'GET', headers: { 'last-event-id': cursor(2) }, signal: abort.signal };
    const [message] = await take(overSse({ id: SESSION, after: cursor(1) }, options), 1);
    expect(message?.id).toBe(cursor(3));
    abort.abort();
  });

  it('end with an error and complete when the session does not exist', async () => {
    const messages = await take(overSse({ id: 'x' }), 9);
    expect(messages.map(({ event }) => event)).toEqual(['next', 'complete']);
    expect(JSON.parse(messages[0]!.data).errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('a client that does not read', () => {
  it('is cut off, slows no other client, and resumes from Last-Event-ID', async () => {
    feed.reset([logged(1), caughtUp]);
    const body = JSON.stringify({ query: DOCUMENT, variables: { id: SESSION } });
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const slow = request(`${api.url}/graphql`, { method: 'POST', headers });
    slow.end(body);
    const [response] = await once(slow, 'response');
    const broken = once(response, 'error');
    const abort = new AbortController();
    const quick = overSse({ id: SESSION }, { signal: abort.signal });
    await take(quick, 2);
    await expect.poll(() => api.server.fanOut.subscribers).toBe(2);

    const { cutOff } = api.server.fanOut;
    const piece = { ...chunk, delta: 'x'.repeat(64 * 1024) } as typeof chunk;
    for (let sent = 0; api.server.fanOut.cutOff === cutOff; sent++) {
      feed.push(piece);
      expect((await take(quick, 1)).length).toBe(1);
      expect(sent).toBeLessThan(1000);
    }
    feed.push(logged(2));
    expect((await take(quick, 1))[0]?.id).toBe(cursor(2));
    abort.abort();
    response.resume();
    expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' });

    feed.items = feed.items.filter(({ kind }) => kind === 'event');
    const again = new AbortController();
    const back = overSse({ id: SESSION }, { headers: { 'last-event-id': cursor(1) }, signal: again.signal });
    expect((await take(back, 1))[0]?.id).toBe(cursor(2));
    again.abort();
  });
});

describe('a client that leaves while its token is looked up', () => {
  it('is not counted as connected', async () => {
    const asked: PromiseWithResolvers<void>[] = [];
    const other = await openApi(feedEngine, {
      streamLimits: { connectionsPerClient: 1, operationsPerConnection: 1 },
      tokens: { ...NO_TOKENS, find: (text) => waiting(text, asked) },
    });
    await insertFeedRows(other);
    feed.reset([caughtUp]);
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${makeToken()}` };
    const query = `subscription { sessionEvents(sessionId: "${SESSION}") { at } }`;
    const url = `${other.url}/graphql?${new URLSearchParams({ query })}`;
    const left = () => other.logs.filter(({ msg }) => msg === 'request').length;
    for (let n = 1; n <= 3; n++) {
      const leaving = request(url, { headers }).on('error', () => {});
      leaving.end();
      await expect.poll(() => asked.length).toBe(n);
      leaving.destroy();
      await expect.poll(left).toBe(n);
      asked[n - 1]!.resolve();
    }
    const abort = new AbortController();
    const staying = fetch(url, { headers, signal: abort.signal });
    await expect.poll(() => asked.length).toBe(4);
    asked[3]!.resolve();
    expect((await staying).status).toBe(200);
    abort.abort();
    await other.close();
  });
});

const NO_TOKENS: Tokens = {
  find: async () => null,
  ended: async () => [],
  create: () => Promise.reject(new Error('none is made')),
  revoke: () => Promise.reject(new Error('none is revoked')),
};

/** Returns an active token once the test resolves the promise that this function adds to `asked`. */
async function waiting(name: string, asked: PromiseWithResolvers<void>[]): Promise<ActiveToken> {
  const turn = Promise.withResolvers<void>();
  asked.push(turn);
  await turn.promise;
  return { id: SESSION, name, scopes: ['READ'], team: null, expiresAt: null };
}

describe('an engine that fails', () => {
  it('ends the stream with the error when a retry is of no use, else cuts it', async () => {
    feed.reset([caughtUp]);
    feed.fail(new NotFoundError('gone'));
    const messages = await take(overSse({ id: SESSION }), 9);
    expect(messages.map(({ event }) => event)).toEqual(['next', 'next', 'complete']);
    expect(JSON.parse(messages[1]!.data).errors[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    for (const passing of ['secret', 'Connection terminated']) {
      feed.fail(new Error(passing));
      await expect(take(overSse({ id: SESSION }), 9)).rejects.toThrow('terminated');
    }
  });
});

describe('a stop', () => {
  it('ends every stream so that its client reconnects, and releases the engine', async () => {
    const other = await openApi(feedEngine);
    await insertFeedRows(other);
    feed.reset([caughtUp]);
    const closedWith = Promise.withResolvers<number>();
    const client = createClient({
      url: other.wsUrl,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      on: { closed: (event) => closedWith.resolve((event as { code: number }).code) },
    });
    const socketResults = client.iterate({ query: DOCUMENT, variables: { id: SESSION } });
    socketResults.next().catch(() => {});
    const sse = fetch(`${other.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: DOCUMENT, variables: { id: SESSION } }),
    });
    const body = (await sse).text();
    await expect.poll(() => feed.asked.length).toBe(2);
    await other.close();
    expect(await closedWith.promise).toBe(1001);
    expect(await body).toMatch(/^retry: \d+\n\n/);
    expect(await body).not.toContain('complete');
    expect(feed.asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await client.dispose();
  });
});
