import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeOldAudit } from '../../src/audit.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { alertBody, intakeConfig, openTestPool, SOURCE_TOKEN } from '../helpers/deliveries.ts';

let app: TestApp;
let pool: ReturnType<typeof openTestPool>;
beforeEach(async () => {
  app = await startTestApp({ auth: { mode: 'proxy' }, intake: intakeConfig() });
  app.llm.otherwise({ text: 'The disk is full.' });
  pool = openTestPool(app.database.url);
});
afterEach(async () => {
  await pool.end();
  await app.stop();
});

interface Kept {
  actor: string;
  action: string;
  targetId: string | null;
  detail: unknown;
  via: string;
  address: string | null;
}

const AUDIT = `query ($actor: [String!], $action: [String!], $targetId: ID, $first: Int, $after: String, $last: Int,
  $before: String, $from: DateTime, $to: DateTime) {
  auditEvents(actor: $actor, action: $action, targetId: $targetId, first: $first, after: $after, last: $last,
    before: $before, from: $from, to: $to) {
    totalCount nodes { actor action targetId detail via address } edges { cursor } } }`;

const ana = () => apiClient(app.url, { 'x-forwarded-user': 'ana' });

async function audit(variables: Record<string, unknown> = {}) {
  const { auditEvents } = await ana().query<{
    auditEvents: { totalCount: number; nodes: Kept[]; edges: { cursor: string }[] };
  }>(AUDIT, variables);
  return auditEvents;
}

/** Runs a mutation. Returns the id that the answer holds at the given path of field names. */
async function change(document: string, variables: Record<string, unknown>, path: string): Promise<string> {
  let value: unknown = await ana().query(document, variables);
  for (const name of path.split('.')) value = (value as Record<string, unknown>)[name];
  return value as string;
}

it('records every change with its author, and no refused one', async () => {
  const session = await ana().submit('disk full');
  await ana().waitFor(session, ({ status }) => ENDED.has(status));
  const keyed = await ana().submit('disk full', { idempotencyKey: 'k1' });
  // Changes nothing, because the idempotency key was used before.
  expect(await ana().submit('disk full', { idempotencyKey: 'k1' })).toBe(keyed);
  await ana().query(
    'mutation ($id: ID!) { sendChatMessage(input: { sessionId: $id, content: "Why?" }) { __typename } }',
    { id: session },
  );
  const silence = await change(
    `mutation { createSilence(input: { matchers: ["a=b"], comment: "c", endsAt: "2100-01-01T00:00:00Z" }) {
       ... on CreateSilenceSuccess { silence { id } } } }`,
    {},
    'createSilence.silence.id',
  );
  const end = 'mutation ($id: ID!) { endSilence(id: $id) { __typename } }';
  await ana().query(end, { id: silence });
  await ana().query(end, { id: silence }); // refused because the silence has ended
  // Refused because the alert has no text.
  await ana().query('mutation { submitAlert(input: { data: " " }) { __typename } }');
  const delivered = await fetch(`${app.url}/webhooks/prod`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SOURCE_TOKEN}` },
    body: JSON.stringify(alertBody()),
  });
  const { decisions } = (await delivered.json()) as { decisions: { group: string; session: string }[] };
  await ana().waitFor(decisions[0]!.session, ({ status }) => ENDED.has(status));
  const group = Buffer.from(`AlertGroup:${decisions[0]!.group}`).toString('base64');
  const again = await change(
    `mutation ($id: ID!) { investigateAlertGroup(id: $id) {
       ... on InvestigateAlertGroupSuccess { session { id } } } }`,
    { id: group },
    'investigateAlertGroup.session.id',
  );
  const token = await change(
    `mutation { createApiToken(input: { name: "ci", scopes: [READ] }) {
       ... on CreateApiTokenSuccess { apiToken { id } } } }`,
    {},
    'createApiToken.apiToken.id',
  );
  await ana().query('mutation ($id: ID!) { revokeApiToken(id: $id) { __typename } }', { id: token });

  const { nodes, totalCount } = await audit();
  const keyOf = (id: string) => Buffer.from(id, 'base64').toString().split(':')[1];
  expect(nodes.map(({ action, targetId, detail }) => [action, targetId, detail]).reverse()).toEqual([
    ['session.submit', session, null],
    ['session.submit', keyed, null],
    ['session.ask', session, null],
    ['silence.create', silence, { matchers: ['a=b'], until: '2100-01-01T00:00:00.000Z' }],
    ['silence.end', silence, null],
    ['alert_group.investigate', group, { session: keyOf(again) }],
    ['token.create', token, expect.objectContaining({ name: 'ci', scopes: ['READ'], expires_at: null })],
    ['token.revoke', token, expect.objectContaining({ name: 'ci' })],
  ]);
  expect(totalCount).toBe(8);
  for (const { actor, via, address } of nodes)
    expect({ actor, via, address }).toEqual({ actor: 'ana', via: 'PROXY', address: '127.0.0.1' });

  const actions = async (variables: Record<string, unknown>) =>
    (await audit(variables)).nodes.map(({ action }) => action);
  expect(await actions({ targetId: silence })).toEqual(['silence.end', 'silence.create']);
  expect(await actions({ targetId: keyOf(silence) })).toEqual(['silence.end', 'silence.create']);
  expect(await actions({ targetId: 'nothing' })).toEqual([]);
  expect(await actions({ action: ['token.revoke', 'session.ask'] })).toEqual(['token.revoke', 'session.ask']);
  expect(await actions({ actor: ['bo'] })).toEqual([]);
  const first = await audit({ first: 3 });
  expect(await actions({ first: 1, after: first.edges[2]!.cursor })).toEqual(['silence.end']);

  const { auditActions } = await ana().query<{ auditActions: string[] }>('{ auditActions }');
  const done = new Set(nodes.map(({ action }) => action));
  expect([...done].filter((action) => !auditActions.includes(action))).toEqual([]);
});

it('is immutable, and is deleted when it is old', async () => {
  const count = async () => (await pool.query('select count(*)::int as n from audit_events')).rows[0].n;
  const before = await count();
  await pool.query(`insert into audit_events (id, at, actor, action, via)
    values (gen_random_uuid(), now() - interval '731 days', 'old', 'session.submit', 'NONE'),
           (gen_random_uuid(), now() - interval '729 days', 'new', 'session.submit', 'NONE')`);
  await expect(pool.query(`update audit_events set actor = 'mallory'`)).rejects.toThrow('never updated');
  await removeOldAudit(pool, 730); // the server's own clean-up may run before
  expect(await count()).toBe(before + 1);
  expect((await audit({ actor: ['old', 'new'] })).nodes).toMatchObject([{ actor: 'new' }]);
});

it('records no failed change', async () => {
  const before = await audit();
  await pool.query('alter table silences rename to silences_away');
  await expect(
    ana().query(
      `mutation { createSilence(input: { matchers: ["a=b"], comment: "c", endsAt: "2100-01-01T00:00:00Z" }) { __typename } }`,
    ),
  ).rejects.toThrow('INTERNAL');
  await pool.query('alter table silences_away rename to silences');
  expect((await audit()).totalCount).toBe(before.totalCount);
  await pool.query('alter table audit_events rename to audit_events_away');
  await expect(
    ana().query(
      `mutation { createSilence(input: { matchers: ["x=y"], comment: "c", endsAt: "2100-01-01T00:00:00Z" }) { __typename } }`,
    ),
  ).rejects.toThrow('INTERNAL');
  await pool.query('alter table audit_events_away rename to audit_events');
  const { rows } = await pool.query(`select 1 from silences where 'x=y' = any(matchers)`);
  expect(rows).toEqual([]); // a change whose audit event cannot be stored is undone
});

it('reads a time range in both directions', async () => {
  for (const [actor, at] of Object.entries({ a: '2026-01-01', b: '2026-01-02', c: '2026-01-03' }))
    await pool.query(
      `insert into audit_events (id, at, actor, action, via) values (gen_random_uuid(), $1, $2, 'x', 'PROXY')`,
      [`${at}T00:00:00Z`, actor],
    );
  const from = '2026-01-02T00:00:00Z';
  const to = '2026-01-03T00:00:00Z';
  const actors = async (variables: Record<string, unknown>) =>
    (await audit({ action: ['x'], ...variables })).nodes.map(({ actor }) => actor);
  expect(await actors({ from, to })).toEqual(['b']);
  expect(await actors({ from })).toEqual(['c', 'b']);
  expect(await actors({ to })).toEqual(['b', 'a']);
  expect(await actors({ last: 2 })).toEqual(['b', 'a']);
  const { edges } = await audit({ action: ['x'], last: 1 });
  expect(await actors({ last: 1, before: edges[0]!.cursor })).toEqual(['b']);
});
