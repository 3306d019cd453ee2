import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';

/** Number of sessions of each team, and of no team: submitted by users, and started by deliveries. */
const SUBMITTED = 30;
const DELIVERED = 20;
const TEAMS = ['alpha', 'beta', 'gamma', null] as const;

let app: TestApp;
beforeAll(async () => {
  const named = (team: string) => ({ name: team, match: [`of="${team}"`], team });
  app = await startTestApp({
    auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
    access: {
      roles: { viewer: { users: ['*'] }, admin: { users: ['ada'] } },
      teams: { alpha: { groups: ['alphas'] }, beta: { users: ['bea'] }, gamma: { users: ['gus'] } },
    },
    intake: intakeConfig({ rules: ['alpha', 'beta', 'gamma'].map(named), storm: { groups: 10_000 } }),
    queue: { max_concurrent_sessions: 20, max_pending: 1000, alerts_per_minute: 10_000 },
    agents: { TestAgent: { mcp_servers: [] } },
  });
  app.llm.otherwise({ text: 'Nothing is wrong.' });
});
afterAll(() => app.stop());

interface Told {
  id: string;
  team: string | null;
  status?: string;
}

/** Follows a live list until `done` returns true. Returns the received items in order. */
async function followed(
  user: string,
  root: 'sessionsChanged' | 'alertGroupsChanged',
  done: (told: Told[]) => boolean,
): Promise<Told[]> {
  const groups = user === 'vera' ? { 'x-forwarded-groups': 'alphas' } : {};
  const client = apiClient(app.url, { 'x-forwarded-user': user, ...groups });
  const [type, fields] = root === 'sessionsChanged' ? ['session', 'id team status'] : ['group', 'id team'];
  const told: Told[] = [];
  for await (const item of client.subscribe<Record<string, Record<string, Told>>>(
    `subscription { ${root} { ${type} { ${fields} } } }`,
  )) {
    told.push(item[root]![type!]!);
    if (done(told)) return told;
  }
  throw new Error('the subscription ended first');
}

const admin = () => apiClient(app.url, { 'x-forwarded-user': 'ada' });

/** Resolves once the server has this many subscriptions. Events before are not sent. */
async function untilSubscribed(count: number): Promise<void> {
  const known = async () => {
    const { body } = await fetch(`${app.url}/metrics`, { headers: { 'x-forwarded-user': 'ada' } });
    const text = await new Response(body).text();
    return Number(/^tarsy_subscriptions_active (\d+)/m.exec(text)?.[1] ?? 0);
  };
  while ((await known()) < count);
}

const whoseEvents = `subscription ($id: ID!) { sessionEvents(sessionId: $id) { __typename ... on SessionStatusChanged { session { id team status } } } }`;

/** Returns the whole stream of one session, as a user receives it. */
async function streamOf(user: string, id: string): Promise<string[]> {
  const groups = user === 'vera' ? { 'x-forwarded-groups': 'alphas' } : {};
  const client = apiClient(app.url, { 'x-forwarded-user': user, ...groups });
  const types: string[] = [];
  for await (const { sessionEvents } of client.subscribe<{
    sessionEvents: { __typename: string; session?: Told };
  }>(whoseEvents, { id })) {
    if (!/CaughtUp|StreamChunk/.test(sessionEvents.__typename)) types.push(sessionEvents.__typename);
    if (ENDED.has(sessionEvents.session?.status ?? '')) return types;
  }
  throw new Error('the subscription ended first');
}

test('a member of one team receives only events of that team and of no team', {
  timeout: 300_000,
}, async () => {
  const count = (SUBMITTED + DELIVERED) * TEAMS.length;
  const endedOf = (teams: number) => (told: Told[]) =>
    new Set(told.filter(({ status }) => ENDED.has(status!)).map(({ id }) => id)).size ===
    (SUBMITTED + DELIVERED) * teams;
  const groupsOf = (teams: number) => (told: Told[]) =>
    new Set(told.map(({ id }) => id)).size === DELIVERED * teams;
  const following = Promise.all([
    followed('vera', 'sessionsChanged', endedOf(2)),
    followed('ada', 'sessionsChanged', endedOf(4)),
    followed('vera', 'alertGroupsChanged', groupsOf(2)),
    followed('ada', 'alertGroupsChanged', groupsOf(4)),
  ]);
  await untilSubscribed(4);
  const ids = new Map<string, string | null>();
  const streams: Promise<{ team: string | null; vera: string[] | string; ada: string[] }>[] = [];
  for (let n = 0; n < SUBMITTED; n += 1)
    for (const team of TEAMS) {
      const id = await admin().submit(`alert ${n}`, team === null ? {} : { team });
      ids.set(id, team);
      if (n % 10 !== 0) continue;
      const vera = streamOf('vera', id).catch((error: Error) => error.message);
      streams.push(Promise.all([vera, streamOf('ada', id)]).then(([a, b]) => ({ team, vera: a, ada: b })));
    }
  for (let n = 0; n < DELIVERED; n += 1)
    for (const team of TEAMS) {
      const mark = `${team} ${n}`;
      const { outcome } = await sendDelivery(
        app.url,
        alertBody({ fingerprint: mark, group: mark, labels: { of: team ?? 'none' } }),
      );
      expect(outcome).toBe('INVESTIGATED');
    }
  const [seen, all, groups, allGroups] = await following;
  expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  expect(new Set(seen.map(({ team }) => team))).toEqual(new Set(['alpha', null]));
  expect(new Set(groups.map(({ team }) => team))).toEqual(new Set(['alpha', null]));
  const ofThem = ({ team }: Told) => team === 'alpha' || team === null;
  // A viewer with fewer sessions has seen all of them sooner. The other viewer may receive an end again
  // meanwhile.
  expect(seen).toEqual(all.filter(ofThem).slice(0, seen.length));
  expect(new Set(groups.map(({ id }) => id))).toEqual(new Set(allGroups.filter(ofThem).map(({ id }) => id)));
  for (const { team, vera, ada } of await Promise.all(streams)) {
    if (team === 'alpha' || team === null) expect(vera).toEqual(ada);
    else expect(vera).toContain('There is no session with this id.');
  }
});
