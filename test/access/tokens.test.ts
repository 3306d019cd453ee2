import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createEndedAccess } from '../../src/access/ended-access.ts';
import { makeToken } from '../../src/access/token-form.ts';
import { createTokens } from '../../src/access/tokens.ts';
import type { Actor } from '../../src/audit.ts';
import { ValidationError } from '../../src/common/errors.ts';
import type { TokenScope } from '../../src/db/enums.ts';
import { openPool } from '../../src/db/pool.ts';
import type { SharedStream } from '../../src/engine/api/engine.ts';
import { createTransaction } from '../../src/engine/store/database.ts';
import { type Api, globalId, NO_AUTH, openApi } from '../helpers/http-api.ts';

const CREATE = `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { __typename
  ... on CreateApiTokenSuccess { secret apiToken { id name prefix scopes team createdBy expiresAt lastUsedAt revokedAt } }
  ... on Error { code message } ... on ValidationError { field } } }`;
const REVOKE = `mutation ($id: ID!) { revokeApiToken(id: $id) { __typename
  ... on RevokeApiTokenSuccess { apiToken { id revokedAt } } ... on Error { code } } }`;
const ADMIN = { 'x-forwarded-user': 'ada' };
const silent: SharedStream<never> = {
  topic: 'silent',
  listen: () => () => {},
  // biome-ignore lint/correctness/useYield: it has nothing to say
  async *replay() {
    return 0;
  },
};

let api: Api;
/** An API of another process on the same database. */
let other: Api;
const authors: string[] = [];
beforeAll(async () => {
  const engine = {
    subscribeSessions: () => silent,
    async submitAlert(_input: unknown, by: Actor): Promise<never> {
      authors.push(by.name);
      throw new ValidationError('seen');
    },
  };
  const auth = { ...NO_AUTH, mode: 'proxy' as const };
  api = await openApi(engine, { auth });
  const transaction = createTransaction(api.pool, { publish: async () => {} });
  const tokens = createTokens({ db: api.pool, transaction, teams: null, logger: api.logger });
  other = await openApi(engine, { auth, tokens });
});
afterAll(async () => {
  await other.close();
  await api.close();
});

interface Made {
  id: string;
  secret: string;
}

async function create(scopes: TokenScope[], more: object = {}, headers: Record<string, string> = ADMIN) {
  const input = { name: 'ci', scopes, ...more };
  // biome-ignore lint/suspicious/noExplicitAny: each test looks at another part
  return (await api.query<any>(CREATE, { input }, headers)).data.createApiToken;
}

async function make(scopes: TokenScope[], more: object = {}): Promise<Made> {
  const { secret, apiToken } = await create(scopes, more);
  return { id: apiToken.id, secret };
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const viewer = async (headers: Record<string, string>, asked = api) =>
  asked.query<{ viewer: object }>('{ viewer { name email role groups teams via } }', {}, headers);
const REFUSED = { status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };

describe('a token', () => {
  it('is shown once, and only its hash and its beginning are stored', async () => {
    const expiresAt = '2100-01-01T00:00:00.000Z';
    const answer = await create(['READ', 'CHAT', 'READ'], { name: ' nightly ', expiresAt });
    expect(answer).toMatchObject({
      __typename: 'CreateApiTokenSuccess',
      apiToken: {
        ...{ name: 'nightly', prefix: answer.secret.slice(0, 12), scopes: ['READ', 'CHAT'], team: null },
        ...{ createdBy: 'ada', expiresAt, lastUsedAt: null, revokedAt: null },
      },
    });
    const { rows } = await api.pool.query<{ row: string }>(
      'select t::text || coalesce((select string_agg(a::text, chr(10)) from audit_events a), $$$$) as row from api_tokens t',
    );
    expect(rows.map(({ row }) => row).join()).not.toContain(answer.secret.slice(12));
    expect(JSON.stringify(api.logs)).not.toContain(answer.secret.slice(12));
  });

  it('authenticates its holder without a proxy, with its own rights', async () => {
    const { secret } = await make(['SUBMIT_ALERTS']);
    const known = { name: 'token:ci', email: null, role: 'RESPONDER', groups: [], teams: null, via: 'TOKEN' };
    expect((await viewer(bearer(secret))).data).toEqual({ viewer: known });
    // The token decides: identity headers in the same request are ignored.
    expect((await viewer({ ...bearer(secret), ...ADMIN })).data).toEqual({ viewer: known });
    await api.query('mutation { submitAlert(input: { data: "x" }) { __typename } }', {}, bearer(secret));
    expect(authors.pop()).toBe('token:ci');
  });

  it('that is unknown is refused, and no other header authenticates its holder', async () => {
    const expired = await make(['READ']);
    await api.pool.query(`update api_tokens set expires_at = now() - interval '1 ms' where id = $1`, [
      uuidOf(expired.id),
    ]);
    const { secret } = await make(['READ']);
    const wrong = [makeToken(), 'tarsy_x', 'tarsy_', `${secret}x`, secret.slice(0, -1), expired.secret];
    for (const given of wrong) {
      expect(await viewer(bearer(given))).toMatchObject(REFUSED);
      expect(await viewer({ ...bearer(given), ...ADMIN })).toMatchObject(REFUSED);
    }
    expect(await viewer({ authorization: `Basic ${secret}` })).toMatchObject(REFUSED);
    expect(await viewer({ 'x-api-key': secret })).toMatchObject(REFUSED);
  });

  it('is refused temporarily while the database is unavailable', async () => {
    const away = openPool('postgres://127.0.0.1:1/none', { application: 'test', logger: api.logger });
    const transaction = createTransaction(away, { publish: async () => {} });
    const tokens = createTokens({ db: away, transaction, teams: null, logger: api.logger });
    const cut = await openApi({}, { auth: { ...NO_AUTH, mode: 'proxy' }, tokens });
    expect(await viewer(bearer(makeToken()), cut)).toMatchObject({
      status: 503,
      errors: [{ extensions: { code: 'AUTH_UNAVAILABLE' } }],
    });
    // Refused without the database, by the form of the token.
    expect(await viewer(bearer('tarsy_mistyped'), cut)).toMatchObject(REFUSED);
    await cut.close();
    const endedAccess = createEndedAccess({ db: away, signInMs: 0, logger: api.logger });
    const blind = await openApi({}, { auth: { ...NO_AUTH, mode: 'proxy' }, endedAccess });
    expect(await viewer(ADMIN, blind)).toMatchObject({ status: 503 });
    await blind.close();
    await endedAccess.close();
    await away.end();
  });

  it('is an internal error if a retry cannot help', async () => {
    const broken = await openApi({}, { auth: { ...NO_AUTH, mode: 'proxy' } });
    await broken.pool.query('drop table api_tokens');
    expect(await viewer(bearer(makeToken()), broken)).toMatchObject({
      status: 500,
      errors: [{ extensions: { code: 'INTERNAL' } }],
    });
    await broken.close();
  });

  it('is not read from the address', async () => {
    const { secret } = await make(['READ']);
    for (const name of ['token', 'access_token', 'authorization']) {
      const asked = new URLSearchParams({ query: '{ viewer { name } }', [name]: secret });
      expect((await fetch(`${api.url}/graphql?${asked}`)).status).toBe(401);
      const socket = new WebSocket(`${api.wsUrl}?${asked}`, 'graphql-transport-ws');
      socket.on('error', () => {});
      const [, { statusCode }] = await once(socket, 'unexpected-response');
      expect(statusCode).toBe(401);
      socket.terminate();
    }
  });

  it('of another system is ignored, because proxies pass on their own', async () => {
    expect((await viewer({ ...bearer('eyJhbGciOi.x.y'), ...ADMIN })).data).toMatchObject({
      viewer: { name: 'ada', via: 'PROXY' },
    });
  });

  it('has its last use recorded, at most once a minute', async () => {
    const { id, secret } = await make(['READ']);
    const lastUse = async () => {
      const { rows } = await api.pool.query('select last_used_at as at from api_tokens where id = $1', [
        uuidOf(id),
      ]);
      return (rows[0].at as Date | null)?.getTime() ?? null;
    };
    await viewer(bearer(secret));
    await expect.poll(lastUse).not.toBeNull();
    const usedAgo = async (seconds: number) => {
      await api.pool.query(
        'update api_tokens set last_used_at = now() - make_interval(secs => $2) where id = $1',
        [uuidOf(id), seconds],
      );
      const before = await lastUse();
      await viewer(bearer(secret));
      return before;
    };
    const recent = await usedAgo(50);
    const old = await usedAgo(61); // a record of the previous use would have been stored before this one
    expect(old).toBeLessThan(recent!);
    await expect.poll(lastUse).toBeGreaterThan(recent!);
  });

  it('shows its purpose, rights and expiry, or is not created', async () => {
    const wrong: [object, string][] = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'a\u202eb' }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ team: 'payments' }, 'team'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ];
    for (const [more, field] of wrong)
      expect(await create(['READ'], more)).toMatchObject({ __typename: 'ValidationError', field });
  });

  it('can create only tokens with no more rights', async () => {
    const { secret } = await make(['ADMIN']);
    expect(await create(['ADMIN', 'READ'], {}, bearer(secret))).toMatchObject({
      __typename: 'CreateApiTokenSuccess',
      apiToken: { createdBy: 'token:ci' },
    });
    expect(await create(['READ', 'APPROVE'], {}, bearer(secret))).toMatchObject({
      __typename: 'ForbiddenError',
      message: 'A token cannot grant scopes that it lacks: APPROVE.',
    });
  });

  it('is listed, valid ones first', async () => {
    const { id } = await make(['READ'], { name: 'gone' });
    await api.query(REVOKE, { id }, ADMIN);
    await make(['READ'], { name: 'newest' });
    const { data } = await api.query<{
      apiTokens: { id: string; name: string; revokedAt: string | null; expiresAt: string | null }[];
    }>('{ apiTokens { id name revokedAt expiresAt } }', {}, ADMIN);
    const holds = data.apiTokens.map(
      ({ revokedAt, expiresAt }) => revokedAt === null && !(expiresAt && new Date(expiresAt) < new Date()),
    );
    expect(holds.indexOf(false)).toBeGreaterThan(holds.lastIndexOf(true));
    expect(data.apiTokens[0]?.name).toBe('newest');
  });
});

describe('a revoked token', () => {
  it('authenticates no request, and is revoked once', async () => {
    const { id, secret } = await make(['READ']);
    const revoke = async () => (await api.query<{ revokeApiToken: object }>(REVOKE, { id }, ADMIN)).data;
    expect(await revoke()).toMatchObject({ revokeApiToken: { __typename: 'RevokeApiTokenSuccess' } });
    for (const asked of [api, other]) expect(await viewer(bearer(secret), asked)).toMatchObject(REFUSED);
    expect(await revoke()).toMatchObject({ revokeApiToken: { code: 'CONFLICT' } });
    const nothing = { id: globalId('ApiToken', '00000000-0000-7000-8000-000000000000') };
    expect((await api.query(REVOKE, nothing, ADMIN)).data).toMatchObject({
      revokeApiToken: { code: 'NOT_FOUND' },
    });
  });

  it('ends its open connections at once, in every process, and no others', async () => {
    const { id, secret } = await make(['READ']);
    const kept = await make(['READ']);
    const sockets = await Promise.all([api, other].map((asked) => openSocket(asked, secret)));
    const streams = await Promise.all([api, other].map((asked) => openStream(asked, secret)));
    const left = await openSocket(api, kept.secret);
    const closed = Promise.all([
      ...sockets.map(async (socket) => (await once(socket, 'close'))[0] as number),
      ...streams.map(([ended]) => ended),
    ]);
    await api.query(REVOKE, { id }, ADMIN);
    expect(await closed).toEqual([4401, 4401, 'ended', 'ended']);
    expect(left.readyState).toBe(WebSocket.OPEN);
    left.terminate();
  });
});

it('a token that expires ends the connections opened with it', async () => {
  const { id, secret } = await make(['READ'], { expiresAt: '2100-01-01T00:00:00Z' });
  const socket = await openSocket(api, secret);
  const closed = once(socket, 'close');
  await api.pool.query('update api_tokens set expires_at = now() where id = $1', [uuidOf(id)]);
  const [code] = await closed;
  expect(code).toBe(4401);
  expect(await viewer(bearer(secret))).toMatchObject(REFUSED);
});

function uuidOf(id: string): string {
  return Buffer.from(id, 'base64').toString().split(':')[1]!;
}

async function openSocket({ wsUrl }: Api, secret: string): Promise<WebSocket> {
  const socket = new WebSocket(wsUrl, 'graphql-transport-ws', { headers: bearer(secret) });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}

/** Resolves when the stream is open, with a list of one promise that resolves when the stream ends. */
async function openStream({ url }: Api, secret: string): Promise<Promise<'ended'>[]> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...bearer(secret) },
    body: JSON.stringify({ query: 'subscription { sessionsChanged { session { id } } }' }),
  });
  const reader = response.body!.getReader();
  await reader.read();
  const ended = (async () => {
    while (!(await reader.read().catch(() => ({ done: true }))).done);
    return 'ended' as const;
  })();
  return [ended];
}
