import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_REQUEST_BYTES } from '../../src/http/tunables.ts';
import { type Api, openApi } from '../helpers/http-api.ts';
import { openRaw, PING, PONG, type RawWebSocket, TEXT } from '../helpers/raw-websocket.ts';
import {
  caughtUp,
  chunk,
  DOCUMENT,
  feed,
  feedEngine,
  insertFeedRows,
  SESSION,
} from '../helpers/session-feed.ts';

const LIMITS = { connectionsPerClient: 3, operationsPerConnection: 4 };
const INIT = { type: 'connection_init' };
const QUERY = { query: '{ alertTypes { name } }' };
const ALERT_TYPES = { data: { alertTypes: [{ name: 'kubernetes' }, { name: 'host' }] } };
const FOLLOW = { query: DOCUMENT, variables: { id: SESSION } };

/** Options of a polled assertion, because the server notices a client's disconnect with a delay. */
const PATIENT = { timeout: 30_000 };

let api: Api;
const sockets: RawWebSocket[] = [];
beforeAll(async () => {
  api = await openApi(feedEngine, { streamLimits: LIMITS, allowedWsOrigins: ['https://*.example.com'] });
  await insertFeedRows(api);
});
afterEach(async () => {
  for (const { socket } of sockets.splice(0)) socket.destroy();
  await expect.poll(() => api.server.fanOut.subscribers, PATIENT).toBe(0);
  await expect.poll(openAndLeave, PATIENT).toMatch(/ 101 /);
});
afterAll(async () => {
  expect(api.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  await api.close();
});

async function open(options: Parameters<typeof openRaw>[1] = {}): Promise<RawWebSocket> {
  const raw = await openRaw(api.port, options);
  sockets.push(raw);
  return raw;
}

/**
 * Returns the answer to a WebSocket upgrade. Drops the connection, so that it does not count against the
 * limit.
 */
async function openAndLeave(): Promise<string> {
  const raw = await openRaw(api.port);
  raw.socket.destroy();
  return raw.head;
}

async function openGreeted(): Promise<RawWebSocket> {
  const raw = await open();
  raw.send(INIT);
  expect(await raw.message()).toEqual({ type: 'connection_ack' });
  return raw;
}

const subscribe = (id: unknown, payload: unknown) => ({ id, type: 'subscribe', payload });

describe('a connection is closed with', () => {
  it.each<[number, string, unknown[]]>([
    [4400, 'what is no JSON', ['{"type":']],
    [4400, 'JSON that is no object', ['[1]']],
    [4400, 'no type', [{}]],
    [4400, 'an unknown type', [{ type: 'start' }]],
    [4400, 'a type with the wrong case', [{ type: 'Connection_Init' }]],
    [4400, 'a greeting whose payload is no object', [{ ...INIT, payload: 'token' }]],
    [4400, 'a subscribe without id', [INIT, { type: 'subscribe', payload: QUERY }]],
    [4400, 'a subscribe with an empty id', [INIT, subscribe('', QUERY)]],
    [4400, 'a subscribe with a number as id', [INIT, subscribe(1, QUERY)]],
    [4400, 'a subscribe without payload', [INIT, { id: 'a', type: 'subscribe' }]],
    [4400, 'a subscribe without query', [INIT, subscribe('a', {})]],
    [4400, 'variables that are no object', [INIT, subscribe('a', { ...QUERY, variables: 'x' })]],
    [4400, 'an operation name that is no text', [INIT, subscribe('a', { ...QUERY, operationName: 1 })]],
    [4400, 'extensions that are no object', [INIT, subscribe('a', { ...QUERY, extensions: 'x' })]],
    [4400, 'a complete without id', [INIT, { type: 'complete' }]],
    [4400, 'a message that servers send', [INIT, { id: 'a', type: 'next', payload: {} }]],
    [4401, 'an operation before the greeting', [subscribe('a', QUERY)]],
    [4401, 'an operation before the answer to the greeting', [subscribe('a', QUERY), INIT]],
    [4409, 'an id that is in use', [INIT, subscribe('a', FOLLOW), subscribe('a', QUERY)]],
    [4429, 'a second greeting', [INIT, INIT]],
  ])('%i for %s', async (code, _what, messages) => {
    feed.reset([caughtUp]);
    const raw = await open();
    for (const message of messages) raw.send(message);
    expect((await raw.closed)?.code).toBe(code);
  });

  it('4403 for a page of another origin, and open for one that is allowed', async () => {
    const evil = await open({ headers: { Origin: 'https://evil.example' } });
    evil.send(INIT);
    expect(await evil.closed).toEqual({ code: 4403, reason: 'Pages of this origin may not connect' });
    await expect(evil.message()).rejects.toThrow('ended');
    const good = await open({ headers: { Origin: 'https://tarsy.example.com' } });
    good.send(INIT);
    expect(await good.message()).toEqual({ type: 'connection_ack' });
  });

  it.each([null, 'graphql-ws', 'mqtt, graphql-ws'])('4406 for the subprotocol %s', async (protocol) => {
    expect(await (await open({ protocol })).closed).toEqual({
      code: 4406,
      reason: 'Subprotocol not acceptable',
    });
  });

  it('4408 when connection_init does not arrive in time, whatever else arrives', async () => {
    const raw = await open();
    raw.send({ type: 'ping' });
    expect(await raw.message()).toEqual({ type: 'pong' });
    expect(await raw.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
  });

  it('1009 for a message that is too large', async () => {
    const raw = await openGreeted();
    raw.sendFrame(TEXT, Buffer.alloc(MAX_REQUEST_BYTES + 1, ' '));
    expect((await raw.closed)?.code).toBe(1009);
  });

  it('1013 for a client that sends queries and does not read the answers', async () => {
    const raw = await openGreeted();
    raw.socket.pause();
    const { cutOff } = api.server.fanOut;
    for (let n = 0; n < 40; n++) raw.send({ type: 'ping', payload: { text: 'x'.repeat(1_000_000) } });
    await expect.poll(() => api.server.fanOut.cutOff, PATIENT).toBe(cutOff + 1);
    raw.socket.resume();
    expect(await raw.closed).toMatchObject({ code: 1013 });
  });
});

describe('malformed frames close with', () => {
  it.each<[number, string, (raw: RawWebSocket) => void]>([
    [1002, 'no mask', (raw) => raw.sendFrame(TEXT, '{}', { masked: false })],
    [1002, 'reserved bits', (raw) => raw.sendFrame(TEXT, '{}', { reserved: 4 })],
    [1002, 'an unknown opcode', (raw) => raw.sendFrame(3, '{}')],
    [1002, 'a continuation of nothing', (raw) => raw.sendFrame(0, '{}')],
    [1002, 'a ping that is too long', (raw) => raw.sendFrame(PING, 'x'.repeat(126))],
    [1002, 'a ping in parts', (raw) => raw.sendFrame(PING, 'x', { final: false })],
    [1002, 'a close code that does not exist', (raw) => raw.sendFrame(8, Buffer.from([0, 1]))],
    [1007, 'what is not UTF-8', (raw) => raw.sendFrame(TEXT, Buffer.from([0xc3, 0x28]))],
    [
      1002,
      'a new message within one',
      (raw) => {
        raw.sendFrame(TEXT, '{', { final: false });
        raw.sendFrame(TEXT, '}');
      },
    ],
  ])('%i: %s', async (code, _what, act) => {
    const raw = await openGreeted();
    act(raw);
    expect((await raw.closed)?.code).toBe(code);
  });
});

describe('a connection', () => {
  it('takes a message in parts, with a ping between them', async () => {
    const raw = await open();
    raw.sendFrame(TEXT, '{"type":"connec', { final: false });
    raw.sendFrame(PING, 'still there?');
    raw.sendFrame(0, 'tion_init"}');
    expect(await raw.frame()).toEqual(expect.objectContaining({ opcode: PONG }));
    expect(await raw.message()).toEqual({ type: 'connection_ack' });
  });

  it('answers a ping with its payload, ignores a pong and an unknown complete, and closes on request', async () => {
    const raw = await openGreeted();
    raw.send({ type: 'pong', payload: { a: 1 } });
    raw.send({ id: 'nothing', type: 'complete' });
    raw.send({ type: 'ping', payload: { at: 1 } });
    expect(await raw.message()).toEqual({ type: 'pong', payload: { at: 1 } });
    raw.sendFrame(8, Buffer.from([0x03, 0xe8]));
    expect((await raw.closed)?.code).toBe(1000);
  });

  it('answers a query with next and complete, and an invalid document with only an error', async () => {
    const raw = await openGreeted();
    raw.send(subscribe('q', QUERY));
    expect(await raw.message()).toEqual({ id: 'q', type: 'next', payload: ALERT_TYPES });
    expect(await raw.message()).toEqual({ id: 'q', type: 'complete' });
    raw.send(subscribe('w', { query: '{ nothing }' }));
    expect(await raw.message()).toMatchObject({ id: 'w', type: 'error' });
    raw.send(subscribe('o', { ...QUERY, operationName: 'Other' }));
    expect(await raw.message()).toMatchObject({ id: 'o', type: 'error' });
    raw.send(subscribe('q', QUERY)); // a client may use an id again once its operation has ended
    expect(await raw.message()).toMatchObject({ id: 'q', type: 'next' });
  });

  it('ends a completed operation at once, so that its id can be reused immediately', async () => {
    feed.reset([caughtUp]);
    const raw = await openGreeted();
    raw.send(subscribe('a', FOLLOW));
    expect(await raw.message()).toMatchObject({ id: 'a', type: 'next' });
    raw.socket.cork();
    raw.send({ id: 'a', type: 'complete' });
    raw.send(subscribe('a', FOLLOW));
    raw.socket.uncork();
    expect(await raw.message()).toMatchObject({ id: 'a', type: 'next' });
    await expect.poll(() => api.server.fanOut.subscribers, PATIENT).toBe(1);
    feed.push(chunk);
    expect(await raw.message()).toMatchObject({ payload: { data: { sessionEvents: { delta: 'hé\n' } } } });
    raw.send({ id: 'a', type: 'complete' });
    raw.send({ type: 'ping' });
    expect(await raw.message()).toEqual({ type: 'pong' });
    await expect.poll(() => api.server.fanOut.subscribers, PATIENT).toBe(0);
    feed.push(chunk);
    raw.send({ type: 'ping' });
    expect(await raw.message()).toEqual({ type: 'pong' });
  });

  it('runs operations up to the limit and no more', async () => {
    feed.reset([caughtUp]);
    const raw = await openGreeted();
    for (const id of 'abcde') raw.send(subscribe(id, FOLLOW));
    const answers = await Promise.all(Array.from('abcde', () => raw.message()));
    expect(answers.filter(({ type }) => type === 'next')).toHaveLength(LIMITS.operationsPerConnection);
    expect(answers.find(({ type }) => type === 'error')).toMatchObject({
      payload: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }],
    });
    raw.send({ id: 'a', type: 'complete' });
    raw.send(subscribe('f', QUERY));
    expect(await raw.message()).toMatchObject({ id: 'f', type: 'next' });
  });
});

it('a client opens connections up to the limit, event streams included, and no more', async () => {
  feed.reset([caughtUp]);
  const abort = new AbortController();
  const stream = () =>
    fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(FOLLOW),
      signal: abort.signal,
    });
  expect((await stream()).status).toBe(200);
  await openGreeted();
  const second = await openGreeted();
  expect((await open()).head).toMatch(/^HTTP\/1\.1 429 /);
  const refused = await stream();
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('TOO_MANY_CONNECTIONS');
  second.socket.destroy();
  await expect.poll(openAndLeave, PATIENT).toMatch(/ 101 /);
  abort.abort();
});
