import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { post, SUBMIT, sendUnchanged } from '../../test/helpers/raw-http.ts';
import { ValidationError } from '../common/errors.ts';
import { textBytesOf } from './text-bytes.ts';
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
  const imported: number[] = [];
  beforeAll(async () => {
    api = await openApi({
      async submitAlert({ data }) {
        seen.push(data.length);
        throw new ValidationError('seen');
      },
      async importCase({ document }) {
        imported.push(document.length);
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

  const IMPORT = 'mutation ($input: ImportCaseInput!) { importCase(input: $input) { __typename } }';
  const importOf = (document: string, query = IMPORT) =>
    JSON.stringify({ query, variables: { input: { document } } });

  it('with a case is accepted up to 8 MiB, however it is escaped', async () => {
    const size = 8 * 1024 * 1024;
    for (const document of ['A'.repeat(size), '"'.repeat(size)]) {
      const { status } = await sendUnchanged(api.port, post(importOf(document)));
      expect([status, imported.pop()]).toEqual([200, size]);
    }
  });

  it('with a large case and another large text is refused', async () => {
    const query = `# ${'A'.repeat(100_000)}\n${IMPORT}`;
    const answer = await sendUnchanged(api.port, post(importOf('A'.repeat(MAX_REQUEST_TEXT_BYTES), query)));
    expect(answer.status).toBe(413);
    const tooLong = await sendUnchanged(api.port, post(importOf('"'.repeat(9 * 1024 * 1024))));
    expect([tooLong.status, imported]).toEqual([413, []]);
  });

  it('with a large case is refused if the viewer may not import cases', async () => {
    const { data } = await api.query<{ createApiToken: { secret: string } }>(
      `mutation { createApiToken(input: { name: "reader", scopes: [READ] }) {
         ... on CreateApiTokenSuccess { secret } } }`,
    );
    const headers = { authorization: `Bearer ${data.createApiToken.secret}` };
    for (const size of [MAX_REQUEST_TEXT_BYTES, 8 * 1024 * 1024]) {
      const answer = await sendUnchanged(api.port, post(importOf('A'.repeat(size)), headers));
      expect([answer.status, imported]).toEqual([413, []]);
    }
  });

  it('over a WebSocket closes it with 1009', async () => {
    const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws');
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ type: 'ping', payload: { text: 'A'.repeat(MAX_REQUEST_TEXT_BYTES) } }));
    expect((await closed)[0]).toBe(1009);
  });
});
