import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, insertSession, openApi } from '../../test/helpers/http-api.ts';
import { graphql, JSON_HEADERS, type RawRequest } from '../../test/helpers/raw-http.ts';
import { feedEngine } from '../../test/helpers/session-feed.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi({ subscribeSessions: () => feedEngine.subscribeSessions!() });
  await insertSession(api.pool, { alert_data: 'disk almost full\n'.repeat(20_000) });
});
afterAll(() => api.close());

const LARGE = '{ sessions { nodes { alertData } } }';
const SMALL = '{ alertTypes { name } }';

/** Returns the body as the server sent it. Uses node:http, because fetch decompresses the body. */
async function raw(sent: RawRequest, accept: string | undefined) {
  const headers = { ...sent.headers, ...(accept !== undefined && { 'accept-encoding': accept }) };
  const { promise, resolve, reject } = Promise.withResolvers<{
    encoding: string | undefined;
    vary: string | undefined;
    body: Buffer;
  }>();
  const { method = 'GET', path = '/graphql' } = sent;
  const asked = request(
    { host: '127.0.0.1', port: api.port, method, path, headers, agent: false },
    async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ encoding: response.headers['content-encoding'], vary: response.headers.vary, body });
    },
  );
  asked.on('error', reject);
  asked.end(sent.body);
  return promise;
}

it.each([
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
] as const)('compresses a large answer for a client that accepts %s', async (accept, expected, unpack) => {
  const { encoding, vary, body } = await raw(graphql(LARGE), accept);
  expect(encoding).toBe(expected);
  expect(vary?.toLowerCase()).toContain('accept-encoding');
  expect(vary).toContain('Origin');
  const plain = unpack(body);
  expect(JSON.parse(plain.toString()).data.sessions.nodes[0].alertData).toHaveLength(17 * 20_000);
  expect(body.length).toBeLessThan(plain.length / 20);
});

it('leaves an answer uncompressed for a client that accepts no encoding', async () => {
  for (const accept of [undefined, 'identity', 'gzip;q=0, br;q=0']) {
    const { encoding, body } = await raw(graphql(LARGE), accept);
    expect([accept, encoding, body.length > 300_000]).toEqual([accept, undefined, true]);
  }
});

it('leaves tiny answers uncompressed', async () => {
  const { encoding, body } = await raw(graphql(SMALL), 'gzip, br');
  expect([encoding, JSON.parse(body.toString()).data.alertTypes.length]).toEqual([undefined, 2]);
});

it('leaves event streams uncompressed', async () => {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, accept: 'text/event-stream', 'accept-encoding': 'gzip, br' },
    body: JSON.stringify({ query: 'subscription { sessionsChanged { session { id } } }' }),
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(response.headers.get('content-encoding')).toBeNull();
  await response.body!.cancel();
});
