import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { post, SUBMIT, sendUnchanged } from '../../test/helpers/raw-http.ts';
import { ValidationError } from '../common/errors.ts';
import { textBytesOf } from './request-size.ts';
import { MAX_REQUEST_TEXT_BYTES } from './tunables.ts';

describe('the bytes of a JSON text', () => {
  it.each(['', 'plain', 'é中🚨', '"\n\t\\/', '\u0001\u007f', '\\u0041', 'a\\\\"b'])(
    'are those of its decoded text: %j',
    (text) => {
      const quoted = JSON.stringify(text);
      expect(textBytesOf(quoted)).toBe(Buffer.byteLength(text) + 2);
    },
  );

  it.each([
    ['\\u0041', 1],
    ['\\u00e9', 2],
    ['\\u4e2d', 3],
    ['\\uZZZZ', 3],
    ['\\\\u0041', 6],
    ['\\', 0],
  ])('count an escape as its character: %s', (json, bytes) => {
    expect(textBytesOf(json)).toBe(bytes);
  });
});

describe('a request', () => {
  let api: Api;
  const seen: number[] = [];
  beforeAll(async () => {
    api = await openApi({
      async submitAlert({ data }) {
        seen.push(data.length);
        throw new ValidationError('seen');
      },
    });
  });
  afterAll(() => api.close());

  const documentOf = (escaped: string) =>
    `{"query":${JSON.stringify(SUBMIT)},"variables":{"input":{"data":"${escaped}"}}}`;

  it('is accepted when only its escapes make it large', async () => {
    const { status } = await sendUnchanged(api.port, post(documentOf('\\u0041'.repeat(1024 * 1024))));
    expect([status, seen.pop()]).toEqual([200, 1024 * 1024]);
  });

  it('is refused for its text, with and without Content-Length', async () => {
    const body = documentOf('A'.repeat(MAX_REQUEST_TEXT_BYTES));
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await sendUnchanged(api.port, post(body, headers as Record<string, string>));
      expect([answer.status, answer.body]).toEqual([
        413,
        expect.stringContaining('REQUEST_ENTITY_TOO_LARGE'),
      ]);
    }
    expect(seen).toEqual([]);
  });

  it('over a WebSocket closes it with 1009', async () => {
    const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws');
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ type: 'ping', payload: { text: 'A'.repeat(MAX_REQUEST_TEXT_BYTES) } }));
    expect((await closed)[0]).toBe(1009);
  });
});
