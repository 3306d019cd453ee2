import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { MAX_REQUEST_BYTES } from './tunables.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('over a bare connection', () => {
  it.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['two lengths', 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx',
    ],
    [
      'an upgrade to nothing',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n',
    ],
    [
      'a WebSocket without a key',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('a connection that sends %s gets a 4xx', async (_what, text) => {
    const socket = connect(api.port, '127.0.0.1');
    socket.end(text);
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe('over WebSocket', () => {
  const init = JSON.stringify({ type: 'connection_init' });
  it.each<[string, (string | Buffer)[], number]>([
    ['no JSON', ['nonsense'], 4400],
    ['a message of no kind', [JSON.stringify({ type: 'nothing' })], 4400],
    [
      'a message of a server',
      [
        init,
        JSON.stringify({ id: '1', type: 'complete' }),
        JSON.stringify({ id: '1', type: 'next', payload: {} }),
      ],
      4400,
    ],
    ['a message that is no object', ['[]'], 4400],
    [
      'an operation before the greeting',
      [JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ a }' } })],
      4401,
    ],
    ['a second greeting', [init, init], 4429],
    [
      'a payload of a wrong type',
      [init, JSON.stringify({ id: '1', type: 'subscribe', payload: { query: 1 } })],
      4400,
    ],
    ['a message that is too large', [init, Buffer.alloc(MAX_REQUEST_BYTES + 1, 32)], 1009],
  ])('%s closes the socket with its code', async (_what, messages, code) => {
    const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws');
    await once(socket, 'open');
    const closed = once(socket, 'close');
    for (const message of messages) socket.send(message, { binary: false });
    expect((await closed)[0]).toBe(code);
  });
});

it('still serves after all of that, without unknown errors', async () => {
  expect((await api.query('{ alertTypes { name } }')).data).toEqual({
    alertTypes: [{ name: 'kubernetes' }, { name: 'host' }],
  });
  expect(api.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
