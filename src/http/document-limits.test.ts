import { getIntrospectionQuery } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { nested } from '../../test/helpers/raw-http.ts';
import { feedEngine } from '../../test/helpers/session-feed.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi({ subscribeSessions: () => feedEngine.subscribeSessions!() });
});
afterAll(() => api.close());

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Document in which each fragment spreads the next one twice, so that the last one counts 2^levels times. */
const BOMB = (levels: number, last: string) =>
  `{ sessions(first: 1) { nodes { ...f0 } } } ${many(
    levels,
    (n) => `fragment f${n} on Session { currentStage { session { ...f${n + 1} } } ...f${n + 1} }`,
  )} fragment f${levels} on Session { ${last} }`;

/** Document with a chain of fragments, which makes deep fields without nested brackets. */
const CHAIN = (links: number) =>
  `{ sessions(first: 1) { nodes { ...f0 } } } ${many(
    links,
    (n) => `fragment f${n} on Session { currentStage { session { ...f${n + 1} } } }`,
  )} fragment f${links} on Session { id }`;

const TOO_LARGE = 'DOCUMENT_TOO_LARGE';
const TOO_COSTLY = 'DOCUMENT_TOO_COSTLY';

const CANCEL = (n: number) => `a${n}: cancelSession(id: "x") { __typename }`;

const REFUSED: [string, string, string][] = [
  ['aliases', `{ ${many(101, (n) => `a${n}: __typename`)} }`, TOO_LARGE],
  [
    'aliases in all',
    `{ ${many(3, (n) => `a${n}: sessions { ${many(40, (m) => `b${m}: totalCount`)} }`)} }`,
    TOO_LARGE,
  ],
  ['directives', `{ alertTypes { name ${many(51, () => '@include(if: true)')} } }`, TOO_LARGE],
  ['fields in one selection', `{ alertTypes { ${many(101, () => 'name')} } }`, TOO_LARGE],
  ['mutations', `mutation { ${many(11, CANCEL)} }`, TOO_LARGE],
  [
    'mutations in fragments',
    `mutation { ...a ...b } fragment a on Mutation { ${many(6, CANCEL)} } fragment b on Mutation { ${many(5, (n) => CANCEL(n + 6))} }`,
    TOO_LARGE,
  ],
  ['operations', many(21, (n) => `query q${n} { __typename }`), TOO_LARGE],
  ['tokens', `{ ${many(80, () => `alertTypes { ${many(60, () => 'name')} }`)} }`, TOO_LARGE],
  ['brackets', nested('{a', 31, '}'), TOO_LARGE],
  ['nested fields', CHAIN(20), TOO_LARGE],
  ['fragments within each other', CHAIN(300), TOO_LARGE],
  ['a bomb of fragments', BOMB(60, 'id'), TOO_LARGE],
  [
    'traces of a whole page',
    `{ sessions(first: 100) { nodes { trace { stages { executions { llmInteractions { conversation { id } } } } } } } }`,
    TOO_COSTLY,
  ],
  [
    'timelines of timelines',
    `{ sessions { nodes { timeline { stage { session { timeline { id } } } } } } }`,
    TOO_COSTLY,
  ],
  [
    'searches',
    `{ ${many(4, (n) => `a${n}: sessions(first: 1, filter: { search: "disk" }) { totalCount }`)} }`,
    TOO_COSTLY,
  ],
  [
    'whole alerts',
    `{ sessions(first: 100) { nodes { ${many(15, (n) => `a${n}: alertData`)} } } }`,
    TOO_COSTLY,
  ],
  [
    'lists of nodes',
    `{ nodes(ids: [${many(100, () => '"a"')}]) { ... on Session { timeline { stage { executions { messages { id } } } } } } }`,
    TOO_COSTLY,
  ],
];

describe('a document with too many', () => {
  it.each(REFUSED)('%s is refused', async (_what, query, code) => {
    for (const _time of ['first', 'second']) {
      const { status, errors } = await api.query(query);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
      expect(status).toBe(400);
    }
  });

  it('is refused over WebSocket too, and the socket keeps working', async () => {
    const client = createClient({ url: api.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
    for (const [, query, code] of REFUSED) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      client.subscribe({ query }, { next: (value) => resolve(value.errors), error: resolve, complete() {} });
      expect(await promise).toMatchObject([{ extensions: { code } }]);
    }
    await client.dispose();
  });

  it('objects behind a subscription is refused', async () => {
    const client = createClient({ url: api.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
    const results = client.iterate({
      query: `subscription { sessionsChanged { session { timeline { stage { session { timeline { stage { executions { id } } } } } } } } }`,
    });
    const { value } = await results.next();
    await client.dispose();
    expect(value?.errors).toMatchObject([{ extensions: { code: TOO_COSTLY } }]);
  });
});

it.each([
  ['as many aliases as may be', `{ ${many(100, (n) => `a${n}: __typename`)} }`],
  [
    'a trace with all that it has',
    '{ session(id: "x") { trace { stages { executions { llmInteractions { conversation { id } } mcpInteractions { id } } } } } }',
  ],
  [
    'small pages of much',
    '{ sessions(first: 2) { nodes { trace { stages { executions { llmInteractions { conversation { id } } } } } } } }',
  ],
  [
    'three searches',
    `{ ${many(3, (n) => `a${n}: sessions(first: 1, filter: { search: "disk" }) { totalCount }`)} }`,
  ],
  ['fragments spread often', BOMB(8, 'id')],
  ['ten mutations', `mutation { ${many(10, CANCEL)} }`],
])('%s is answered', async (_what, query) => {
  const { status, errors } = await api.query(query);
  expect([status, errors]).toEqual([200, undefined]);
});

it('counts a page by the size in its variable', async () => {
  const query = (type: string) =>
    `query ($n: ${type}) { sessions(first: $n) { nodes { trace { stages { executions { llmInteractions { conversation { id } } } } } } } }`;
  expect((await api.query(query('Int'), { n: 2 })).errors).toBeUndefined();
  for (const [type, variables] of [
    ['Int', { n: 50 }],
    ['Int', { n: 1e9 }],
    ['Int', {}],
    ['Int = 50', {}],
  ] as const) {
    expect((await api.query(query(type), variables)).errors).toMatchObject([
      { extensions: { code: TOO_COSTLY } },
    ]);
  }
});

it('counts a search by the values of its variables', async () => {
  const query = `query ($f: SessionFilter, $s: String) {
    ${many(4, (n) => `a${n}: sessions(first: 1, filter: $f) { totalCount }`)}
    ${many(4, (n) => `b${n}: sessions(first: 1, filter: { search: $s }) { totalCount }`)} }`;
  expect((await api.query(query)).errors).toBeUndefined();
  for (const variables of [{ f: { search: 'disk' } }, { s: 'disk' }]) {
    const { errors } = await api.query(query, variables);
    expect(errors).toMatchObject([{ extensions: { code: TOO_COSTLY } }]);
  }
});

describe('introspection', () => {
  it('is refused unless it is enabled', async () => {
    const { errors } = await api.query('{ __schema { queryType { name } } }');
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect((await api.query('{ alertTypes { __typename } }')).errors).toBeUndefined();
  });

  it('is answered whole when it is enabled, with a limited depth', async () => {
    const open = await openApi({}, { api: { introspection: true, graphiql: false } });
    const { data } = await open.query<{ __schema: { types: unknown[] } }>(getIntrospectionQuery());
    const { errors } = await open.query(
      `{ __schema { types ${nested('{ fields { type ', 5)} { name } ${'} }'.repeat(5)} } }`,
    );
    await open.close();
    expect(data.__schema.types.length).toBeGreaterThan(50);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });
});
