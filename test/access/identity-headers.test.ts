import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { mayApprove } from '../../src/access/approvers.ts';
import { createToken } from '../../src/access/tokens.ts';
import type { SharedStream } from '../../src/engine/api/engine.ts';
import { type Api, NO_AUTH, openApi } from '../helpers/http-api.ts';
import { get, graphql, type RawRequest, sendUnchanged } from '../helpers/raw-http.ts';
import { openSubscriber } from '../helpers/subscriber.ts';
import { insertTeamObjects } from '../helpers/team-objects.ts';

type Headers = NonNullable<RawRequest['headers']>;

const NOBODY = { users: [], groups: [] };
const ACCESS = {
  roles: {
    VIEWER: { ...NOBODY, users: ['*'] },
    RESPONDER: { ...NOBODY, groups: ['oncall'] },
    ADMIN: { ...NOBODY, groups: ['admins'] },
  },
  teams: null,
  approvers: [
    { users: ['vera', 'token:bot'], groups: ['dba'], tools: ['*.*'] },
    { users: ['rex'], groups: [], tools: ['*.*'] },
  ],
};

const silent: SharedStream<never> = {
  topic: 'silent',
  listen: () => () => {},
  // biome-ignore lint/correctness/useYield: it has nothing to say
  async *replay() {
    return 0;
  },
};

let api: Api;
let bot: Headers;
let approval: string;
beforeAll(async () => {
  api = await openApi(
    {
      subscribeSessions: () => silent,
      mayApprove: (call, viewer) => mayApprove(viewer, call, ACCESS),
    },
    { auth: { ...NO_AUTH, mode: 'proxy' }, access: ACCESS },
  );
  const by = { name: 'ada', via: 'PROXY', address: null };
  const token = { name: 'bot', scopes: ['READ', 'APPROVE'] as const, team: null, expiresAt: null };
  bot = { authorization: `Bearer ${(await createToken(api.pool, token, by)).secret}` };
  approval = (await insertTeamObjects(api.pool, null)).Approval!;
});
afterAll(() => api.close());

const WHO = '{ viewer { name role } }';
const SUBSCRIBE = 'subscription { sessionsChanged { __typename } }';
const EVENTS = { accept: 'text/event-stream' };

/** The doors of the server that need an identity, as requests. */
const DOORS: Record<string, RawRequest> = {
  'GraphQL by POST': graphql(WHO),
  'GraphQL by GET': get({ query: WHO }),
  'an event stream by GET': { ...get({ query: SUBSCRIBE }), headers: EVENTS },
  'an event stream by POST': { ...graphql(SUBSCRIBE), headers: { ...graphql('').headers, ...EVENTS } },
  'a page of the dashboard': { path: '/sessions' },
  'the sign-in’s paths': { path: '/auth/callback?code=c&state=s' },
  'the metrics': { path: '/metrics' },
};

/** Identity headers that come twice, the first from the client, the second added by the proxy. */
const TWICE: Record<string, Headers> = {
  groups: { 'x-forwarded-user': 'vera', 'x-forwarded-groups': ['admins', 'readers'] },
  'equal groups': { 'x-forwarded-user': 'vera', 'x-forwarded-groups': ['readers', 'readers'] },
  'groups in another case': { 'x-forwarded-user': 'vera', 'X-Forwarded-GROUPS': ['admins', 'readers'] },
  'empty groups and groups': { 'x-forwarded-user': 'vera', 'x-forwarded-groups': ['', 'readers'] },
  users: { 'x-forwarded-user': ['root', 'vera'], 'x-forwarded-groups': 'readers' },
  addresses: { 'x-forwarded-user': 'vera', 'x-forwarded-email': ['root@example.com', 'vera@example.com'] },
};

const send = (request: RawRequest, headers: Headers) =>
  sendUnchanged(api.port, { ...request, headers: { ...request.headers, ...headers } });

/** Returns the status of a WebSocket's upgrade with the code of its refusal. */
function upgrade(headers: Headers): Promise<string> {
  const socket = new WebSocket(api.wsUrl, 'graphql-transport-ws', {
    headers: headers as Record<string, string>,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.on('unexpected-response', async (_request, response) => {
    const body = Buffer.concat(await response.toArray()).toString();
    resolve(`${response.statusCode} ${/"code":"(\w+)"/.exec(body)?.[1]}`);
  });
  socket.on('open', () => resolve('101'));
  socket.on('error', reject);
  return promise.finally(() => socket.terminate());
}

describe.each(Object.entries(TWICE))('%s that come twice', (_what, headers) => {
  it.each(Object.entries(DOORS))('are refused at %s', async (_door, request) => {
    const { status, body } = await send(request, headers);
    expect(status).toBe(401);
    const [error] = JSON.parse(body).errors;
    expect(error.extensions.code).toBe('UNAUTHENTICATED');
    expect(error.message).toMatch(/^Not authenticated: x-forwarded-\w+ is present more than once\.$/);
  });

  it('are refused at the upgrade of a WebSocket', async () => {
    expect(await upgrade(headers)).toBe('401 UNAUTHENTICATED');
  });
});

it('opens a WebSocket and grants the role of groups that come once', async () => {
  const once = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'readers, admins' };
  expect(JSON.parse((await send(graphql(WHO), once)).body).data.viewer).toEqual({
    name: 'ada',
    role: 'ADMIN',
  });
  expect(await upgrade(once)).toBe('101');
});

describe('the name of a token', () => {
  it.each(['token:bot', 'TOKEN:bot', 'Token: bot', 'to\u212aen:bot'])(
    'is not taken from a proxy: %s',
    async (name) => {
      const utf8 = Buffer.from(name).toString('latin1');
      for (const headers of [{ 'x-forwarded-user': utf8 }, { 'x-forwarded-email': utf8 }] as Headers[]) {
        expect((await send(graphql(WHO), headers)).status).toBe(401);
        expect(await upgrade(headers)).toBe('401 UNAUTHENTICATED');
      }
    },
  );

  it('is not taken as an address beside the name of a user', async () => {
    const rex = { 'x-forwarded-user': 'rex', 'x-forwarded-groups': 'oncall' };
    expect(await mayDecide(rex)).toBe(true);
    expect((await send(graphql(WHO), { ...rex, 'x-forwarded-email': 'token:bot@ci' })).status).toBe(401);
  });
});

const mayDecide = async (headers: Headers): Promise<boolean> => {
  const query = 'query ($id: ID!) { node(id: $id) { ... on Approval { mayDecide } } }';
  return JSON.parse((await send(graphql(query, { id: approval }), headers)).body).data.node.mayDecide;
};
const DECIDE = `mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { __typename } }`;

describe('an approver', () => {
  it.each<[string, () => Headers, boolean]>([
    ['a token that is named', () => bot, true],
    ['a responder who is named', () => ({ 'x-forwarded-user': 'rex', 'x-forwarded-groups': 'oncall' }), true],
    [
      'a responder of a group that is named',
      () => ({ 'x-forwarded-user': 'o', 'x-forwarded-groups': 'oncall,dba' }),
      true,
    ],
    [
      'a responder who is not named',
      () => ({ 'x-forwarded-user': 'o', 'x-forwarded-groups': 'oncall' }),
      false,
    ],
    [
      'an admin who is not named',
      () => ({ 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'admins' }),
      false,
    ],
    ['a viewer who is named', () => ({ 'x-forwarded-user': 'vera' }), false],
    [
      'a viewer of a group that is named',
      () => ({ 'x-forwarded-user': 'v', 'x-forwarded-groups': 'dba' }),
      false,
    ],
  ])('needs both the role and an entry: %s', async (_who, headers, may) => {
    expect(await mayDecide(headers())).toBe(may);
  });

  it('cannot decide as a viewer, whom entries of access.approvers give no right', async () => {
    const input = { id: approval, argumentsHash: 'h', approve: true };
    for (const headers of [
      { 'x-forwarded-user': 'vera' },
      { 'x-forwarded-user': 'v', 'x-forwarded-groups': 'dba' },
    ]) {
      const { body } = await send(graphql(DECIDE, { input }), headers);
      expect(JSON.parse(body).data.decideApproval).toEqual({ __typename: 'ForbiddenError' });
    }
  });
});

it('counts the streams of a user apart from those of a token whose id is their name', async () => {
  const limited = await openApi(
    { subscribeSessions: () => silent },
    {
      ...{ auth: { ...NO_AUTH, mode: 'proxy' }, access: ACCESS },
      streamLimits: { connectionsPerClient: 1, operationsPerConnection: 1 },
    },
  );
  const by = { name: 'ada', via: 'PROXY', address: null };
  const made = { name: 'reader', scopes: ['READ'] as const, team: null, expiresAt: null };
  const { token, secret } = await createToken(limited.pool, made, by);
  const ofUser = await openSubscriber(limited.wsUrl, { 'x-forwarded-user': token.id });
  const ofToken = await openSubscriber(limited.wsUrl, { authorization: `Bearer ${secret}` });
  expect([ofUser.socket.readyState, ofToken.socket.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  for (const { socket } of [ofUser, ofToken]) socket.terminate();
  await limited.close();
});
