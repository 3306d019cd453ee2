import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { type OpenStream, openStreams } from '../helpers/open-streams.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

/** The time (ms) within which everything that a user opened must have ended. */
const LIMIT_MS = 60_000;

/** Two API processes behind a proxy, and a session that stays open because no worker runs. */
let cluster: Cluster;
let urls: string[];
let root: ApiClient;
let provision: string;
let sessionId: string;
const open: OpenStream[] = [];
beforeAll(async () => {
  cluster = await startCluster({
    auth: { mode: 'proxy' },
    access: { roles: { viewer: { users: ['*'] }, admin: { users: ['root', 'ana'] } } },
  });
  urls = [cluster.apiUrl, (await cluster.startApi()).url!];
  root = apiClient(cluster.apiUrl, as('root'));
  provision = (await createToken(root, ['PROVISION'], true)).secret;
  sessionId = await root.submit('disk full');
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => cluster.stop());

const as = (name: string) => ({ 'x-forwarded-user': name, 'x-forwarded-email': `${name}@example.com` });
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

interface Made {
  secret: string;
  apiToken: { id: string; owner: string | null; suspendedAt: string | null };
}

async function createToken(by: ApiClient, scopes: readonly string[], service: boolean): Promise<Made> {
  const { createApiToken } = await by.query<{ createApiToken: Made }>(
    `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) {
       ... on CreateApiTokenSuccess { secret apiToken { id owner suspendedAt } } ... on Error { message } } }`,
    { input: { name: `${scopes.join('-')}-${service}`, scopes, service } },
  );
  return createApiToken;
}

interface ScimAnswer {
  status: number;
  body: { id: string; active: boolean; Resources: { id: string; userName: string }[]; detail: string };
}

async function scim(method: string, path: string, body?: object, secret = provision): Promise<ScimAnswer> {
  const response = await fetch(`${cluster.apiUrl}/scim/v2${path}`, {
    method,
    headers: { ...bearer(secret), 'content-type': 'application/scim+json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const setActive = (id: string, active: boolean | string) =>
  scim('PATCH', `/Users/${id}`, {
    schemas: [PATCH],
    Operations: [{ op: 'Replace', path: 'active', value: active }],
  });

async function known(name: string): Promise<string> {
  const userName = `${name}@example.com`;
  const { body } = await scim('POST', '/Users', { userName, active: true, emails: [{ value: userName }] });
  return body.id;
}

/** Returns the HTTP status of a request in each process. */
const statuses = (headers: Readonly<Record<string, string>>) =>
  Promise.all(
    urls.map(async (url) => (await fetch(`${url}/graphql?query={viewer{name}}`, { headers })).status),
  );

async function openEverywhere(headers: Readonly<Record<string, string>>): Promise<OpenStream[]> {
  const streams = (await Promise.all(urls.map((url) => openStreams(url, headers, sessionId)))).flat();
  open.push(...streams);
  return streams;
}

const allEnded = async (streams: readonly OpenStream[]) => {
  const begun = performance.now();
  await Promise.all(streams.map(({ ended }) => ended));
  return performance.now() - begun;
};

describe('a user whom the identity provider deactivates', () => {
  test('loses sign-ins, tokens and open connections in every process, until reactivated; others keep theirs', async () => {
    const ana = apiClient(cluster.apiUrl, as('ana'));
    const personal = await createToken(ana, ['READ', 'ADMIN'], false);
    const service = await createToken(ana, ['READ'], true);
    const derived = await createToken(apiClient(cluster.apiUrl, bearer(personal.secret)), ['READ'], false);
    expect([personal, derived, service].map(({ apiToken }) => apiToken.owner)).toEqual(['ana', 'ana', null]);
    const id = await known('ana');
    const ended = [...(await openEverywhere(as('ana'))), ...(await openEverywhere(bearer(personal.secret)))];
    const kept = [...(await openEverywhere(as('bo'))), ...(await openEverywhere(bearer(service.secret)))];

    expect((await setActive(id, 'False')).body).toMatchObject({ active: false });
    expect(await allEnded(ended)).toBeLessThan(LIMIT_MS);
    for (const secret of [personal.secret, derived.secret])
      expect(await statuses(bearer(secret))).toEqual([401, 401]);
    expect(await statuses(as('ana'))).toEqual([401, 401]);
    expect(await statuses({ ...as('other'), 'x-forwarded-email': 'Ana@Example.com' })).toEqual([401, 401]);
    expect(await statuses(as('bo'))).toEqual([200, 200]);
    expect(await statuses(bearer(service.secret))).toEqual([200, 200]);
    expect(kept.map(({ kind, isOpen }) => (isOpen() ? 'open' : kind))).toEqual(kept.map(() => 'open'));

    urls[1] = (await cluster.startApi()).url!; // a process that starts later knows it, too
    expect(await statuses(as('ana'))).toEqual([401, 401]);
    const { apiTokens } = await root.query<{ apiTokens: Made['apiToken'][] }>(
      '{ apiTokens { id owner suspendedAt } }',
    );
    expect(apiTokens.find((token) => token.id === personal.apiToken.id)).toMatchObject({
      owner: 'ana',
      suspendedAt: expect.any(String),
    });

    await setActive(id, true);
    await expect.poll(() => statuses(as('ana')), { timeout: 20_000 }).toEqual([200, 200]);
    await expect.poll(() => statuses(bearer(personal.secret)), { timeout: 20_000 }).toEqual([200, 200]);
    const { auditEvents } = await root.query<{ auditEvents: { nodes: object[] } }>(
      '{ auditEvents(first: 2, action: ["user.end", "user.restore"]) { nodes { action actor detail } } }',
    );
    const detail = { user: 'ana@example.com' };
    const actor = 'token:PROVISION-true';
    expect(auditEvents.nodes).toEqual([
      { action: 'user.restore', actor, detail },
      { action: 'user.end', actor, detail },
    ]);
  });

  test('stays without access when the provider deletes them, until it creates them again', async () => {
    const id = await known('dan');
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    await expect.poll(() => statuses(as('dan')), { timeout: 20_000 }).toEqual([401, 401]);
    await known('dan');
    await expect.poll(() => statuses(as('dan')), { timeout: 20_000 }).toEqual([200, 200]);
  });
});

test('a user with access is not refused because of an ended entry with the same address', async () => {
  const emails = [{ value: 'hal@example.com' }];
  await scim('POST', '/Users', { userName: 'hal-before', active: false, emails });
  await expect.poll(() => statuses(as('hal')), { timeout: 20_000 }).toEqual([401, 401]);
  await scim('POST', '/Users', { userName: 'hal-now', active: true, emails });
  await expect.poll(() => statuses(as('hal')), { timeout: 20_000 }).toEqual([200, 200]);
});

describe('a group that a user leaves', () => {
  test('ends the connections of that user alone, because they still have the role of the group', async () => {
    const [eve, fay] = [await known('eve'), await known('fay')];
    const group = { displayName: 'oncall', members: [{ value: eve }, { value: fay }] };
    const { body } = await scim('POST', '/Groups', group);
    const ended = await openEverywhere(as('eve'));
    const kept = await openEverywhere(as('fay'));
    const Operations = [{ op: 'Remove', path: `members[value eq "${eve}"]` }];
    expect((await scim('PATCH', `/Groups/${body.id}`, { schemas: [PATCH], Operations })).status).toBe(200);
    expect(await allEnded(ended)).toBeLessThan(LIMIT_MS);
    expect(kept.every(({ isOpen }) => isOpen())).toBe(true);
    expect(await statuses(as('eve'))).toEqual([200, 200]); // the proxy tells the groups of now
  });
});

describe('the directory', () => {
  test('is found by name, refuses a second entry of a name, and needs the scope PROVISION', async () => {
    const id = await known('gil');
    const filter = encodeURIComponent('userName eq "GIL@example.com"');
    const found = await scim('GET', `/Users?filter=${filter}&startIndex=1&count=100`);
    expect(found.body).toMatchObject({
      ...{ totalResults: 1, startIndex: 1, itemsPerPage: 1 },
      Resources: [{ id, userName: 'gil@example.com', active: true }],
    });
    expect(await scim('POST', '/Users', { userName: 'Gil@example.com' })).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    });
    expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true } });
    expect((await scim('GET', '/Users?filter=x')).status).toBe(400);
    expect((await scim('PUT', `/Users/${id}`, { userName: '' })).status).toBe(400);
    await scim('PUT', `/Users/${id}`, { userName: 'gil@example.com', active: false });
    const renamed = await scim('PUT', `/Users/${id}`, { userName: 'gil.b@example.com' });
    expect(renamed.body).toMatchObject({ userName: 'gil.b@example.com', active: false });
    const Operations = [{ op: 'remove', path: 'active' }];
    expect((await scim('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations })).body.active).toBe(false);
    const admin = await createToken(root, ['ADMIN'], true);
    expect((await scim('GET', '/Users', undefined, admin.secret)).status).toBe(403);
    const page = await fetch(`${cluster.apiUrl}/scim/v2/Users`, { headers: as('root') });
    expect(page.status).toBe(403);
    expect((await fetch(`${cluster.apiUrl}/scim/v2/Users`)).status).toBe(401);
  });
});
