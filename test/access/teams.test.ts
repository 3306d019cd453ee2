import { type GraphQLObjectType, isLeafType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/access/tokens.ts';
import { valuesOf } from '../../src/config/enums.ts';
import { budgetsSchema } from '../../src/config/schema/costs.ts';
import type { Engine, SharedStream } from '../../src/engine/api/engine.ts';
import { SESSION_FACET_MEANINGS } from '../../src/schema/args.ts';
import { schema } from '../../src/schema/index.ts';
import { answerBytes } from '../helpers/answers.ts';
import { deepDocumentFor, documentFor, UNKNOWN_ID } from '../helpers/documents.ts';
import { type Api, globalId, insertSession, NO_AUTH, openApi } from '../helpers/http-api.ts';
import { deleteTeamObjects, insertTeamObjects, markOf } from '../helpers/team-objects.ts';

const NOBODY = { users: [], groups: [] };
const ROLES = {
  VIEWER: { ...NOBODY, users: ['*'] },
  RESPONDER: { ...NOBODY, users: ['rex', 'tom'] },
  ADMIN: { ...NOBODY, users: ['ada'] },
};
const TEAMS = { alpha: { users: ['rex'], groups: ['alphas'] }, beta: { users: [], groups: ['betas'] } };

/** Viewers who see no object of team beta. */
const OTHERS: Record<string, Record<string, string>> = {
  'a viewer of another team': { 'x-forwarded-user': 'vera', 'x-forwarded-groups': 'alphas' },
  'a responder of another team': { 'x-forwarded-user': 'rex' },
  'a responder of no team': { 'x-forwarded-user': 'tom' },
};
const ADMIN = { 'x-forwarded-user': 'ada' };
const MEMBER = { 'x-forwarded-user': 'bea', 'x-forwarded-groups': 'betas' };
const IN_BOTH = { 'x-forwarded-user': 'zoe', 'x-forwarded-groups': 'betas,alphas' };

const silent: SharedStream<never> = {
  topic: 'silent',
  listen: () => () => {},
  // biome-ignore lint/correctness/useYield: it has nothing to say
  async *replay() {
    return 0;
  },
};

/** One budget of each kind that teams use separately. */
const BUDGETS = budgetsSchema.parse({
  'by-team': { scope: 'team', limit_usd: 9 },
  'by-type': { scope: 'alert_type', limit_usd: 9 },
  'by-source': { scope: 'source', limit_usd: 9 },
});

/** Fails if a session reaches the engine, because no viewer who reviews here may see one. */
const reviewed: Engine['reviewSessions'] = async ([id]) => {
  if (id !== undefined) throw new Error(`reviewed ${id}`);
  return [];
};

/** Fails if a session reaches the engine, because no viewer who cancels here may see one. */
const cancelled: Engine['cancelSessions'] = async ([id]) => {
  if (id !== undefined) throw new Error(`cancelled ${id}`);
  return [];
};

let api: Api;
const objects: Record<'alpha' | 'beta' | 'nobody', Record<string, string>> = {
  alpha: {},
  beta: {},
  nobody: {},
};
beforeAll(async () => {
  api = await openApi(
    {
      subscribeSessions: () => silent,
      subscribeSession: () => silent,
      subscribeApprovals: () => silent,
      listRunbooks: async () => [],
      reviewSessions: reviewed,
      cancelSessions: cancelled,
    },
    {
      auth: { ...NO_AUTH, mode: 'proxy' },
      access: { roles: ROLES, teams: TEAMS, approvers: [] },
      budgets: Object.fromEntries(
        Object.entries(BUDGETS).map(([name, budget]) => [name, { name, ...budget }]),
      ),
    },
  );
  for (const name of ['alpha', 'beta', 'nobody'] as const) await insertObjects(name);
  const by = { name: 'ada', via: 'PROXY', address: null };
  for (const [what, team, scopes] of [
    ['a token of another team', 'alpha', ['READ', 'CHAT', 'REVIEW']],
    ['a token of no team', null, ['READ']],
  ] as const) {
    const { secret } = await createToken(api.pool, { name: what, scopes, team, expiresAt: null }, by);
    OTHERS[what] = { authorization: `Bearer ${secret}` };
  }
});
afterAll(() => api.close());

/** Inserts the objects of a team, or of no team. Objects of team beta need those of team alpha. */
async function insertObjects(name: keyof typeof objects): Promise<void> {
  const team = name === 'nobody' ? null : name;
  objects[name] = await insertTeamObjects(api.pool, team);
  for (const status of ['PENDING', 'IN_PROGRESS'])
    await insertSession(api.pool, { team, status, alert_data: markOf(team), author: markOf(team) });
  if (name !== 'beta') return;
  // Data from before teams existed: a session of one team in the group of another.
  const group = uuidOf(objects.alpha.AlertGroup!);
  await insertSession(api.pool, { team, group_id: group, status: 'COMPLETED', alert_data: markOf(team) });
}

function uuidOf(id: string): string {
  return Buffer.from(id, 'base64').toString().split(':')[1]!;
}

const ask = (document: string, headers: Record<string, string>) => answerBytes(api.url, document, headers);

const ROOTS = {
  query: schema.getQueryType(),
  mutation: schema.getMutationType(),
  subscription: schema.getSubscriptionType(),
};
const FIELDS = Object.entries(ROOTS).flatMap(([kind, type]) =>
  Object.values((type as GraphQLObjectType).getFields()).map((field) => ({ kind, field })),
);

/** Every query that needs no id: each field of Query with all its fields and filters. */
const QUESTIONS = [
  ...FIELDS.filter(
    ({ kind, field }) =>
      kind === 'query' && !field.args.some(({ type }) => `${type}` === 'ID!' || `${type}` === '[ID!]!'),
  ).map(({ kind, field }) => deepDocumentFor(kind, field)),
  ...['alpha', 'beta', 'nobody'].flatMap((team) => [
    `{ sessions(filter: { search: "belongs-to-${team}" }) { totalCount nodes { id } } }`,
    `{ sessions(first: 1, filter: { author: ["belongs-to-${team}"] }) { totalCount pageInfo { hasNextPage } nodes { id } } }`,
    `{ sessions(filter: { team: ["${team}"] }) { totalCount nodes { id team } } }`,
    `{ alertGroups(filter: { search: "belongs-to-${team}" }) { totalCount nodes { id } } }`,
    `{ alertGroups(filter: { team: ["${team}"] }) { totalCount nodes { id decisions { totalCount } } } }`,
  ]),
  ...['MODEL', 'ALERT_TYPE', 'CHAIN', 'TEAM', 'SOURCE', 'DAY'].map(
    (by) =>
      `{ usage(from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z", by: ${by}) { total { sessions calls } rows { key sessions } top { id } } }`,
  ),
  ...valuesOf(SESSION_FACET_MEANINGS).map(
    (by) =>
      `{ found: sessionCounts(by: ${by}, filter: { team: ["beta"] }) { values { value count } counted whole }
         searched: sessionCounts(by: ${by}, filter: { search: "belongs-to-beta" }) { values { value count } counted } }`,
  ),
  ...['CREATED_AT', 'STATUS', 'ALERT_TYPE', 'AUTHOR', 'DURATION'].map(
    (field) =>
      `{ sessions(last: 2, orderBy: { field: ${field}, direction: ASC }) { pageInfo { hasPreviousPage startCursor } nodes { id } } }`,
  ),
];

/** Fields that show something of every team to a viewer who sees all teams. */
const SHOWING = [
  'sessions',
  'activeSessions',
  'sessionFilterOptions',
  'alertGroups',
  'intakeDecisions',
  'silences',
  'trackRecords',
  'pendingApprovals',
];

describe('an object of a team', () => {
  it.each(SHOWING)('is shown by %s to its members and admins', async (name) => {
    const { kind, field } = FIELDS.find((each) => each.field.name === name)!;
    const document = deepDocumentFor(kind, field);
    const marks = async (headers: Record<string, string>) => {
      const answer = await ask(document, headers);
      return ['alpha', 'beta', null].filter((team) => answer.includes(markOf(team)));
    };
    expect(await marks(ADMIN)).toEqual(['alpha', 'beta', null]);
    expect(await marks(IN_BOTH)).toEqual(['alpha', 'beta', null]);
    expect(await marks(MEMBER)).toEqual(['beta', null]);
    expect(await marks(OTHERS['a viewer of another team']!)).toEqual(['alpha', null]);
    expect(await marks(OTHERS['a token of another team']!)).toEqual(['alpha', null]);
    expect(await marks(OTHERS['a responder of no team']!)).toEqual([null]);
    expect(await marks(OTHERS['a token of no team']!)).toEqual([null]);
  });

  // saved-views.test.ts looks into the views of teams.
  const types = schema
    .getPossibleTypes(schema.getType('Node') as never)
    .map(({ name }) => name)
    .filter((name) => name !== 'SavedView');
  const ofTeams = types.filter((type) => !['ApiToken', 'AuditEvent'].includes(type));
  it.each(ofTeams)('a %s, is found by its id by its members and admins, or by admins alone', async (type) => {
    const id = objects.beta[type];
    if (id === undefined) throw new Error(`There is no ${type} of a team.`);
    for (const headers of type === 'NotificationDelivery' ? [ADMIN] : [ADMIN, MEMBER, IN_BOTH])
      expect(await ask(`{ node(id: "${id}") { id } nodes(ids: ["${id}"]) { id } }`, headers)).toBe(
        JSON.stringify({ data: { node: { id }, nodes: [{ id }] } }),
      );
  });
});

/** Returns every query that names an object, for this id. */
const aboutOne = (id: string): string[] =>
  FIELDS.flatMap(({ kind, field }) => {
    const document = documentFor(kind, field);
    if (!document.includes(UNKNOWN_ID) || isLeafType(field.type as never)) return [];
    return [document.replaceAll(UNKNOWN_ID, id)];
  });

describe.each(Object.keys(OTHERS))('%s', (who) => {
  it('is answered like a missing object, whatever others ask', async () => {
    for (const [type, id] of Object.entries(objects.beta)) {
      const nothing = aboutOne(globalId(type, UNKNOWN_ID));
      for (const [index, document] of aboutOne(id).entries()) {
        const answers = [await ask(document, OTHERS[who]!), await ask(nothing[index]!, OTHERS[who]!)];
        expect({ document, answer: answers[0] }).toEqual({ document, answer: answers[1] });
      }
    }
  });
});

it('takes the same time as a missing session', async () => {
  const headers = OTHERS['a viewer of another team']!;
  const about = { hidden: objects.beta.Session!, none: globalId('Session', UNKNOWN_ID) };
  const median = (all: number[]) => all.sort((a, b) => a - b)[all.length / 2]!;
  const difference = async () => {
    const times: Record<string, number[]> = { hidden: [], none: [] };
    for (let round = 0; round < 150; round += 1)
      for (const [what, id] of Object.entries(about)) {
        const begun = performance.now();
        await ask(`{ session(id: "${id}") { id } }`, headers);
        times[what]!.push(performance.now() - begun);
      }
    const [hidden, none] = [median(times.hidden!), median(times.none!)];
    return Math.abs(hidden - none) / Math.max(none, 1.7);
  };
  // Other load of the machine may disturb a measurement, but not each.
  await expect.poll(difference, { timeout: 40_000 }).toBeLessThan(0.3);
});

/**
 * Replaces queue positions and the message that contains one, because they count the waiting sessions of
 * every team.
 */
const withoutPlaces = (answer: string) =>
  answer
    .replace(/"queuePosition":\d+/g, '"queuePosition":0')
    .replace(
      /"(?:The session gets the next free slot|Waiting for a free slot behind [^"]*)\.[^"]*"/g,
      '"It waits for a slot."',
    );

it('is answered as if nothing of other teams had ever existed', async () => {
  const answersOf = async (headers: Record<string, string>) => {
    const answers = new Map<string, string>();
    for (const document of QUESTIONS) answers.set(document, withoutPlaces(await ask(document, headers)));
    return answers;
  };
  const everybody = Object.entries({ ...OTHERS, admin: ADMIN });
  const before = new Map<string, Map<string, string>>();
  for (const [who, headers] of everybody) before.set(who, await answersOf(headers));
  await deleteTeamObjects(api.pool, 'beta');
  const changed: Record<string, string[]> = {};
  for (const [who, headers] of everybody) {
    const answers = await answersOf(headers);
    changed[who] = QUESTIONS.filter((document) => answers.get(document) !== before.get(who)!.get(document));
  }
  await insertObjects('beta'); // for the other tests
  const { admin, ...others } = changed;
  for (const documents of Object.values(others)) expect(documents).toEqual([]);
  expect(admin!.length).toBeGreaterThan(10);
  const refused = [...before.get('admin')!.values()].filter((answer) => answer.includes('"errors"'));
  expect(refused).toEqual([]); // no query was refused for its cost
});
