import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { graphql, JSON_HEADERS, sendUnchanged } from '../../test/helpers/raw-http.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi({}, { allowedOrigins: ['https://tarsy.example.com', 'https://*.apps.example.com'] });
});
afterAll(() => api.close());

const call = (headers: Record<string, string>, method = 'GET') =>
  fetch(`${api.url}/graphql${method === 'GET' ? '?query={alertTypes{name}}' : ''}`, { method, headers });

const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type',
};

it.each(['https://tarsy.example.com', 'https://a.apps.example.com'])(
  'lets pages of %s use the API with cookies',
  async (origin) => {
    const preflight = await call({ origin, ...PREFLIGHT }, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Content-Type, Last-Event-ID, X-Request-Id',
      'access-control-max-age': '3600',
      vary: expect.stringContaining('Origin'),
    });
    const answer = await call({ origin, 'sec-fetch-site': 'cross-site' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  },
);

it.each([
  'https://evil.example',
  'http://tarsy.example.com',
  'https://tarsy.example.com.evil.example',
  'null',
  'http://localhost:9999',
  'http://localhost:5173',
  'http://127.0.0.1:8080',
])('sends pages of %s no CORS headers', async (origin) => {
  const preflight = await call({ origin, ...PREFLIGHT }, 'OPTIONS');
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  const answer = await call({ origin, 'sec-fetch-site': 'cross-site' });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'ORIGIN_NOT_ALLOWED' } }] });
});

it('refuses a JSON POST from a page of another origin that skipped the preflight', async () => {
  const post = (origin: string, host = `127.0.0.1:${api.port}`) =>
    sendUnchanged(api.port, {
      ...graphql('{ alertTypes { name } }'),
      headers: { ...JSON_HEADERS, origin, host },
    });
  for (const origin of [
    'https://evil.example',
    'null',
    '',
    `http://127.0.0.1:${api.port + 1}`,
    'http://localhost',
  ]) {
    const { status, body } = await post(origin);
    expect([origin, status, body]).toEqual([origin, 403, expect.stringContaining('ORIGIN_NOT_ALLOWED')]);
  }
  expect((await post(`http://127.0.0.1:${api.port}`)).status).toBe(200);
  expect((await post('https://a.apps.example.com')).status).toBe(200);
});

it('refuses a request by an image of another page, and follows a link', async () => {
  // Sent with node:http, because fetch sets the Sec-Fetch headers itself.
  const path = '/graphql?query={alertTypes{name}}';
  const statusOf = async (site: string, mode: string) =>
    (await sendUnchanged(api.port, { path, headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode } }))
      .status;
  expect(await statusOf('cross-site', 'no-cors')).toBe(403);
  expect(await statusOf('same-site', 'no-cors')).toBe(403);
  expect(await statusOf('cross-site', 'navigate')).toBe(200);
  expect(await statusOf('same-origin', 'cors')).toBe(200);
});
