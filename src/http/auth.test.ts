import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, NO_AUTH, openApi } from '../../test/helpers/http-api.ts';
import { graphql, JSON_HEADERS, sendUnchanged } from '../../test/helpers/raw-http.ts';
import { ValidationError } from '../common/errors.ts';
import type { IdentityHeaders } from '../config/enums.ts';
import type { AuthConfig } from '../config/types.ts';

const SUBMIT = 'mutation { submitAlert(input: { data: "x" }) { __typename } }';
const SEEN = { data: { submitAlert: { __typename: 'ValidationError' } } };
const PROXY: AuthConfig = { ...NO_AUTH, mode: 'proxy' };

type Headers = Record<string, string | string[]>;

/** Starts a server with an `auth` section. `submit` returns the author of the submitted alert, or the refusal. */
async function serve(auth: AuthConfig, more: Parameters<typeof openApi>[1] = {}) {
  const authors: string[] = [];
  const api = await openApi(
    {
      async submitAlert(_input, by) {
        authors.push(by.name);
        throw new ValidationError('seen');
      },
    },
    { auth, ...more },
  );
  const submit = async (headers: Headers, from?: string) => {
    const { status, body } = await sendUnchanged(api.port, {
      ...graphql(SUBMIT),
      headers: { ...JSON_HEADERS, ...headers },
      ...(from && { from }),
    });
    return status === 200 ? (authors.pop() ?? null) : codesOf(status, body);
  };
  return { api, authors, submit };
}

function codesOf(status: number, body: string): string {
  const { errors } = JSON.parse(body) as { errors: { extensions: { code: string } }[] };
  return `${status} ${errors.map(({ extensions }) => extensions.code).join()}`;
}

const REFUSED = '401 UNAUTHENTICATED';

describe('mode proxy', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve({ ...PROXY, trustedProxies: ['127.0.0.1/32', '127.0.0.8/29'] });
  });
  afterAll(() => server.api.close());

  it.each<[string, Headers, string]>([
    ['nothing', {}, REFUSED],
    ['an empty user', { 'x-forwarded-user': ' ' }, REFUSED],
    [
      'the user of oauth2-proxy',
      { 'x-forwarded-user': 'ana', 'x-forwarded-email': 'ana@example.com' },
      'ana',
    ],
    ['only an address', { 'x-forwarded-email': 'ana@example.com' }, 'ana@example.com'],
    [
      'an address beside an empty user',
      { 'x-forwarded-user': '', 'x-forwarded-email': 'ana@example.com' },
      REFUSED,
    ],
    ['the user of another proxy', { 'x-remote-user': 'ana' }, REFUSED],
    ['the same user twice over', { 'x-forwarded-user': 'ana', 'x-remote-user': 'ana' }, REFUSED],
    ['groups that the client added', { 'x-forwarded-user': 'ana', 'x-remote-group': 'admins' }, REFUSED],
    ['groups of another family', { 'x-forwarded-user': 'ana', 'x-auth-request-groups': 'admins' }, REFUSED],
    ['another family, empty', { 'x-forwarded-user': 'ana', 'x-remote-user': '' }, REFUSED],
    ['the name of a token', { 'x-forwarded-user': 'token:ci' }, REFUSED],
    ['no groups', { 'x-forwarded-user': 'ana', 'x-forwarded-groups': ' ' }, REFUSED],
    ['groups without a user', { 'x-forwarded-groups': 'admins' }, REFUSED],
    ['a user that the client added', { 'x-forwarded-user': 'admin', 'x-remote-user': 'mallory' }, REFUSED],
    ['one header twice', { 'x-forwarded-user': ['ana', 'admin'] }, REFUSED],
    ['one header twice, of one value', { 'x-remote-user': ['ana', 'ana'] }, REFUSED],
    ['the longest name', { 'x-forwarded-user': 'x'.repeat(200) }, 'x'.repeat(200)],
    ['a longer name', { 'x-forwarded-user': 'x'.repeat(201) }, REFUSED],
    ['a name in UTF-8', { 'x-forwarded-user': latin1('Zoë 東') }, 'Zoë 東'],
    ['a name that is no UTF-8', { 'x-forwarded-user': 'Zo\xeb' }, REFUSED],
    ['a name that turns its direction', { 'x-forwarded-user': latin1('ana\u202e') }, REFUSED],
    ['a name with a tab', { 'x-forwarded-user': 'a\tb' }, REFUSED],
    [
      'a group that is too long',
      { 'x-forwarded-user': 'ana', 'x-forwarded-groups': 'g'.repeat(201) },
      REFUSED,
    ],
    ['groups without end', { 'x-forwarded-user': 'ana', 'x-forwarded-groups': groups(501) }, REFUSED],
    [
      'headers that are none of ours',
      { 'x-user': 'ana', 'remote-user': 'ana', x_forwarded_user: 'ana' },
      REFUSED,
    ],
  ])('%s', async (_what, headers, expected) => {
    expect(await server.submit(headers)).toBe(expected);
  });

  it.each([
    ['127.0.0.1', 'ana'],
    ['127.0.0.8', 'ana'],
    ['127.0.0.15', 'ana'],
    ['127.0.0.2', REFUSED],
    ['127.0.0.16', REFUSED],
  ])('trusts the networks it is configured with: %s', async (from, expected) => {
    expect(await server.submit({ 'x-forwarded-user': 'ana' }, from)).toBe(expected);
    expect(await server.submit({ 'x-forwarded-user': 'ana', 'x-forwarded-for': '127.0.0.1' }, from)).toBe(
      expected,
    );
  });

  it('ignores entries of X-Forwarded-For that are no addresses', async () => {
    const headers = { 'x-forwarded-user': 'ana', 'x-forwarded-for': 'unknown, 203.0.113.7, _hidden' };
    expect(await server.submit(headers)).toBe('ana');
  });

  it('refuses everything except health checks without a user', async () => {
    const paths = ['/', '/index.html', '/sessions', '/graphql', '/metrics', '/health/', '/health'];
    const statuses = await Promise.all(
      paths.map(async (path) => (await sendUnchanged(server.api.port, { path })).status),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 200]);
  });

  it('authenticates a WebSocket by the headers of its upgrade', async () => {
    expect(await submitOverWebSocket(server.api, { 'x-forwarded-user': 'zoe' })).toEqual(SEEN);
    expect(server.authors.pop()).toBe('zoe');
    expect(await upgradeStatus(server.api, {})).toBe(401);
    expect(await upgradeStatus(server.api, { 'x-forwarded-user': 'zoe', 'x-remote-user': 'eve' })).toBe(401);
  });

  it('logs why a request was refused, and from where', async () => {
    await server.submit({ 'x-forwarded-user': 'ana' }, '127.0.0.2');
    expect(server.api.logs.at(-2)).toMatchObject({
      peer: '127.0.0.2',
      why: 'the request bypassed the proxy',
    });
  });
});

describe('the headers of', () => {
  it.each<[IdentityHeaders, Headers, string]>([
    ['x-auth-request', { 'x-auth-request-user': 'bo', 'x-auth-request-email': 'b@c.d' }, 'bo'],
    ['x-auth-request', { 'x-auth-request-email': 'b@c.d' }, 'b@c.d'],
    ['x-auth-request', { 'x-forwarded-user': 'bo' }, REFUSED],
    ['x-remote', { 'x-remote-user': 'system:serviceaccount:a:b' }, 'system:serviceaccount:a:b'],
    ['x-remote', { 'x-remote-user': 'bo', 'x-remote-groups': 'a|b' }, 'bo'],
    ['x-remote', { 'x-remote-user': 'bo', 'x-remote-group': 'a' }, 'bo'],
    ['x-remote', { 'x-remote-user': 'bo', 'x-remote-group': ['a', 'b'] }, REFUSED],
    ['x-remote', { 'x-remote-user': 'bo', 'x-remote-groups': ['a', 'b'] }, REFUSED],
    // Refused, because one of the two group headers came from the client, and the server cannot tell which.
    ['x-remote', { 'x-remote-user': 'bo', 'x-remote-groups': 'a', 'x-remote-group': 'admins' }, REFUSED],
    ['x-remote', { 'x-remote-user': 'bo', 'x-forwarded-groups': 'admins' }, REFUSED],
  ])('%s: %j', async (identityHeaders, headers, expected) => {
    const { api, submit } = await serve({ ...PROXY, identityHeaders });
    try {
      expect(await submit(headers)).toBe(expected);
    } finally {
      await api.close();
    }
  });
});

it('answers only to its own host names behind a proxy too, except for health checks', async () => {
  const { api, submit } = await serve(PROXY, { allowedHosts: ['tarsy.example.com'] });
  const ana = { 'x-forwarded-user': 'ana' };
  expect(await submit({ ...ana, host: 'tarsy.example.com' })).toBe('ana');
  expect(await submit({ ...ana, host: 'evil.example' })).toBe('403 HOST_NOT_ALLOWED');
  expect(await upgradeStatus(api, { ...ana, host: 'evil.example' })).toBe(403);
  const probe = { path: '/health', headers: { host: 'evil.example' } };
  expect((await sendUnchanged(api.port, probe)).status).toBe(200);
  expect(
    (await sendUnchanged(api.port, { path: '/', headers: { ...ana, host: 'evil.example' } })).status,
  ).toBe(403);
  await api.close();
});

it('recognizes a proxy by its IPv4 address on a dual-stack socket', async () => {
  const { api, submit } = await serve({ ...PROXY, trustedProxies: ['127.0.0.3/32'] }, { host: '::' });
  expect(await submit({ 'x-forwarded-user': 'ana' }, '127.0.0.3')).toBe('ana');
  expect(await submit({ 'x-forwarded-user': 'ana' }, '127.0.0.4')).toBe(REFUSED);
  await api.close();
});

describe('mode none', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(
      { ...NO_AUTH, trustedProxies: ['127.0.0.1/32'] },
      { allowedHosts: ['tarsy.lan', 'api.*.svc'] },
    );
  });
  afterAll(() => server.api.close());

  it.each<[Headers, string]>([
    [{}, 'api-client'],
    [{ 'x-forwarded-user': 'ana' }, 'ana'],
    [{ 'x-forwarded-user': ' ', 'x-forwarded-email': 'a@b.c' }, 'api-client'],
    [{ 'x-forwarded-user': 'ana', 'x-remote-user': 'ana' }, 'api-client'],
    [{ 'x-forwarded-user': ['a', 'b'] }, 'api-client'],
    [{ 'x-forwarded-user': 'token:ci' }, 'api-client'],
  ])('accepts the name that %j claims as a label', async (headers, author) => {
    expect(await server.submit(headers)).toBe(author);
    expect(await server.submit(headers, '127.0.0.2')).toBe('api-client');
  });

  it.each([
    ['localhost', 'api-client'],
    ['127.0.0.1:8080', 'api-client'],
    ['[::1]:8080', 'api-client'],
    ['tarsy.lan:8080', 'api-client'],
    ['TARSY.lan', 'api-client'],
    ['api.ops.svc:8080', 'api-client'],
    ['api.svc', '403 HOST_NOT_ALLOWED'],
    ['tarsy.lan.evil.example', '403 HOST_NOT_ALLOWED'],
    ['xtarsy.lan', '403 HOST_NOT_ALLOWED'],
    ['evil.example', '403 HOST_NOT_ALLOWED'],
    ['localhost.evil.example:8080', '403 HOST_NOT_ALLOWED'],
  ])('answers to its own host names: %s', async (host, expected) => {
    expect(await server.submit({ host })).toBe(expected);
    const sameOrigin = { host, origin: `http://${host}` };
    expect(await upgradeStatus(server.api, sameOrigin)).toBe(expected === 'api-client' ? 101 : 403);
  });

  it('listens on loopback only', async () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'tarsy.example.com']) {
      await expect(openApi({}, { host })).rejects.toThrow(
        `HTTP_HOST is ${host}, which other machines can reach`,
      );
    }
  });

  it('listens on other addresses when that is allowed', async () => {
    const auth = { ...NO_AUTH, allowUnauthenticatedNetwork: true };
    const { api, submit } = await serve(auth, { host: '0.0.0.0', allowedHosts: ['*.example.com'] });
    expect(await submit({ host: 'tarsy.example.com' })).toBe('api-client');
    expect(await submit({ host: 'tarsy.evil.example' })).toBe('403 HOST_NOT_ALLOWED');
    await api.close();
  });
});

/** Returns the text that Node must send as Latin-1, so that the bytes are the UTF-8 of `text`. */
function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function groups(count: number): string {
  return Array.from({ length: count }, (_, index) => `g${index}`).join();
}

async function submitOverWebSocket(api: Api, headers: Record<string, string>): Promise<unknown> {
  class NamedWebSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers });
    }
  }
  const client = createClient({ url: api.wsUrl, webSocketImpl: NamedWebSocket, retryAttempts: 0 });
  const { value } = await client.iterate({ query: SUBMIT }).next();
  await client.dispose();
  return value;
}

function upgradeStatus(api: Api, headers: Record<string, string>): Promise<number | undefined> {
  const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws', { headers });
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
  socket.on('open', () => resolve(101));
  socket.on('error', reject);
  return promise.finally(() => socket.terminate());
}
