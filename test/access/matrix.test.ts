import type { GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/access/tokens.ts';
import type { AuthConfig } from '../../src/config/types.ts';
import type { AlertSessionRow } from '../../src/db/entities/index.ts';
import { TOKEN_SCOPES } from '../../src/db/enums.ts';
import type { SharedStream } from '../../src/engine/api/engine.ts';
import { schema } from '../../src/schema/index.ts';
import { answerBytes } from '../helpers/answers.ts';
import { documentFor, UNKNOWN_ID } from '../helpers/documents.ts';
import { type Api, globalId, NO_AUTH, openApi } from '../helpers/http-api.ts';
import { insertTeamObjects } from '../helpers/team-objects.ts';

const PROXY: AuthConfig = { ...NO_AUTH, mode: 'proxy' };
const NOBODY = { users: [], groups: [] };
const ROLES = {
  VIEWER: { ...NOBODY, groups: ['readers'] },
  RESPONDER: { ...NOBODY, users: ['rex'] },
  ADMIN: { ...NOBODY, users: ['ada@example.com'] },
};

/** Viewers by name, with their headers and rights. */
const VIEWERS: Record<string, { headers: Record<string, string>; rights: readonly string[] }> = {
  nobody: { headers: { 'x-forwarded-user': 'nora' }, rights: [] },
  VIEWER: { headers: { 'x-forwarded-user': 'vera', 'x-forwarded-groups': 'readers' }, rights: ['READ'] },
  RESPONDER: {
    headers: { 'x-forwarded-user': 'rex' },
    rights: ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE'],
  },
  ADMIN: {
    headers: { 'x-forwarded-user': 'ada', 'x-forwarded-email': 'Ada@example.com' },
    rights: ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE', 'ADMIN'],
  },
};

for (const scope of TOKEN_SCOPES) {
  const all = VIEWERS.ADMIN!.rights.filter((right) => right !== 'APPROVE');
  const rights = scope === 'ADMIN' ? all : [scope];
  VIEWERS[`a token of scope ${scope}`] = { headers: {}, rights }; // the header is set once the token exists
}

/** By root field, the rights that open it, each on its own; `null` if every viewer may use the field. */
const NEEDED: Record<string, readonly string[] | null> = {
  viewer: null,
  apiTokens: ['ADMIN'],
  auditActions: ['ADMIN'],
  auditEvents: ['ADMIN'],
  configuration: ['ADMIN'],
  createApiToken: ['ADMIN'],
  revokeApiToken: ['ADMIN'],
  updateMemory: ['ADMIN'],
  deleteMemory: ['ADMIN'],
  addHint: ['CHAT'],
  concludeSession: ['REVIEW'],
  saveView: ['READ'],
  deleteView: ['READ'],
  cancelSession: ['REVIEW', 'CHAT'],
  cancelSessions: ['REVIEW'],
  runSchedule: ['SUBMIT_ALERTS'],
  runSessionNow: ['REVIEW'],
  notificationChannels: ['ADMIN'],
  notificationDeliveries: ['ADMIN'],
  redeliverNotification: ['ADMIN'],
  testNotificationChannel: ['ADMIN'],
  createCase: ['REVIEW'],
  importCase: ['REVIEW'],
  deleteCase: ['REVIEW'],
  replayCase: ['REVIEW'],
  createSilence: ['REVIEW'],
  endSilence: ['REVIEW'],
  investigateAlertGroup: ['REVIEW'],
  reviewSessions: ['REVIEW'],
  scoreSession: ['REVIEW'],
  decideApproval: ['APPROVE'],
  sendChatMessage: ['CHAT'],
  submitAlert: ['SUBMIT_ALERTS'],
};

/** Object types that viewers without this right may not read. */
const NEEDED_FOR_TYPE: Record<string, string> = {
  ApiToken: 'ADMIN',
  AuditEvent: 'ADMIN',
  NotificationDelivery: 'ADMIN',
};

/** Returns the rights for a root field. Mutations have no default, so each must be listed in NEEDED. */
function neededFor(kind: string, name: string): readonly string[] | null {
  if (name in NEEDED) return NEEDED[name]!;
  if (kind === 'mutation') throw new Error(`Who may ${name}?`);
  return ['READ'];
}

const silent: SharedStream<never> = {
  topic: 'silent',
  listen: () => () => {},
  // biome-ignore lint/correctness/useYield: it has nothing to say
  async *replay() {
    return 0;
  },
};

let api: Api;
/** Global ids of one object of each type. */
const objects: Record<string, string> = {};
/** Global ids of objects of a team to which no viewer belongs. */
const objectsOfOthers: Record<string, string> = {};
beforeAll(async () => {
  api = await openApi(
    {
      subscribeSessions: () => silent,
      subscribeSystemState: () => silent,
      subscribeSession: () => silent,
      subscribeApprovals: () => silent,
      submitAlert: async () => ({ ...(await storedSession()), notes: [] }),
    },
    {
      auth: PROXY,
      access: { approvers: [], roles: ROLES, teams: { others: { users: ['otto'], groups: [] } } },
    },
  );
  Object.assign(objects, await insertTeamObjects(api.pool, null));
  Object.assign(objectsOfOthers, await insertTeamObjects(api.pool, 'others'));
  const by = { name: 'ada', via: 'PROXY', address: null };
  for (const scope of TOKEN_SCOPES) {
    const made = { name: scope, scopes: [scope], team: null, expiresAt: null };
    const { token, secret } = await createToken(api.pool, made, by);
    VIEWERS[`a token of scope ${scope}`]!.headers.authorization = `Bearer ${secret}`;
    objects.ApiToken = globalId('ApiToken', token.id);
  }
  const { rows } = await api.pool.query<{ id: string }>('select id from audit_events limit 1');
  objects.AuditEvent = globalId('AuditEvent', rows[0]!.id);
});
afterAll(() => api.close());

async function storedSession(): Promise<AlertSessionRow> {
  const id = Buffer.from(objects.Session!, 'base64').toString().split(':')[1];
  const { rows } = await api.pool.query('select id, status from alert_sessions where id = $1', [id]);
  return rows[0] as AlertSessionRow;
}

const ROOTS = {
  query: schema.getQueryType(),
  mutation: schema.getMutationType(),
  subscription: schema.getSubscriptionType(),
};
const FIELDS = Object.entries(ROOTS).flatMap(([kind, type]) =>
  Object.values((type as GraphQLObjectType).getFields()).map((field) => ({ kind, field })),
);

const ask = (document: string, headers: Record<string, string>) => answerBytes(api.url, document, headers);

const isRefused = (answer: string): boolean => /"(FORBIDDEN|ForbiddenError)"/.test(answer);

describe.each(Object.entries(VIEWERS))('%s', (_name, { headers, rights }) => {
  it.each(FIELDS.map(({ kind, field }) => [kind, field.name, documentFor(kind, field)] as const))(
    'may or may not ask the %s %s',
    async (kind, name, document) => {
      const needed = neededFor(kind, name);
      const may = needed === null ? rights.length > 0 : needed.some((right) => rights.includes(right));
      const answer = await ask(document, headers);
      expect({ answer, refused: isRefused(answer) }).toEqual({ answer, refused: !may });
    },
  );

  // Private views have an owner; saved-views.test.ts looks into them.
  const types = schema
    .getPossibleTypes(schema.getType('Node') as never)
    .map(({ name }) => name)
    .filter((name) => name !== 'SavedView');
  it.each(types)('may or may not read a %s', async (type) => {
    const id = objects[type];
    if (id === undefined) throw new Error(`There is no ${type} to look into.`);
    const read = async (wanted: string) =>
      (await ask(`{ node(id: "${wanted}") { __typename id } }`, headers)).replaceAll(wanted, 'ID');
    const answer = await read(id);
    const needed = NEEDED_FOR_TYPE[type] ?? 'READ';
    const ofOthers = needed === 'READ' ? objectsOfOthers[type] : undefined;
    if (needed === 'READ' && ofOthers === undefined) throw new Error(`Which team has a ${type}?`);
    const found = JSON.stringify({ data: { node: { __typename: type, id: 'ID' } } });
    // An object that the viewer may not see is answered like a missing one.
    const none = await read(globalId(type, UNKNOWN_ID));
    expect(none).not.toBe(found);
    expect(answer).toBe(rights.includes(needed) ? found : none);
    if (ofOthers !== undefined) expect(await read(ofOthers)).toBe(rights.includes('ADMIN') ? found : none);
  });
});

it.each(Object.entries(VIEWERS))('%s may or may not see the metrics', async (_name, { headers, rights }) => {
  const { status } = await fetch(`${api.url}/metrics`, { headers });
  expect(status).toBe(rights.includes('READ') ? 200 : 403);
});

it('lets a program read the state of its own submission, and no more', async () => {
  const submit = (fields: string) =>
    ask(
      `mutation { submitAlert(input: { data: "x" }) { ... on SubmitAlertSuccess { session { ${fields} } } } }`,
      VIEWERS['a token of scope SUBMIT_ALERTS']!.headers,
    );
  expect(await submit('id status queuePosition')).not.toContain('FORBIDDEN');
  for (const field of ['alertData', 'finalAnalysis', 'author', 'group { id }', 'timeline { content }'])
    expect(await submit(`id ${field}`)).toContain('FORBIDDEN');
});

it('covers every type and field', () => {
  expect(FIELDS.length).toBeGreaterThan(25);
});
