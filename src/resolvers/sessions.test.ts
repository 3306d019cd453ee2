import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';
import { backfillHeadlines } from '../engine/sessions/backfill.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.pool.query('delete from alert_sessions'));
afterAll(() => api.close());

interface Page {
  sessions: {
    edges: { cursor: string; node: { id: string } }[];
    pageInfo: {
      hasNextPage: boolean;
      hasPreviousPage: boolean;
      startCursor: string | null;
      endCursor: string | null;
    };
    totalCount: number;
  };
}
const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: SessionFilter, $orderBy: SessionOrder) {
  sessions(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  }
}`;

async function page(variables: Record<string, unknown>): Promise<Page['sessions']> {
  const { data, errors } = await api.query<Page>(PAGE, variables);
  expect(errors).toBeUndefined();
  return data.sessions;
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
const STATUSES = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED'];

/** Inserts sessions with many ties: few creation times, types, authors, statuses and durations. */
async function insertMany(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const finished = n % 4 >= 2;
    await insertSession(api.pool, {
      created_at: at(n % 3),
      status: STATUSES[n % 4],
      alert_type: `type ${n % 2}`,
      author: ['ana', 'Bob', 'ömer'][n % 3],
      started_at: finished ? at(10) : null,
      completed_at: finished ? at(10 + (n % 5)) : null,
    });
  }
}

/** Reads all pages in one direction. Checks that the page flags tell whether sessions lie on each side. */
async function walk(size: number, backward: boolean, rest: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const { edges, pageInfo, totalCount } = await page({
      ...rest,
      ...(backward ? { last: size, before: cursor } : { first: size, after: cursor }),
    });
    expect(pageInfo.startCursor).toBe(edges.at(0)?.cursor ?? null);
    expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
    const found = edges.map((edge) => edge.node.id);
    if (backward) ids.unshift(...found);
    else ids.push(...found);
    const [ahead, behind] = backward
      ? [pageInfo.hasPreviousPage, pageInfo.hasNextPage]
      : [pageInfo.hasNextPage, pageInfo.hasPreviousPage];
    expect(behind).toBe(cursor !== null);
    expect(ahead).toBe(ids.length < totalCount);
    if (!ahead) return ids;
    cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
  }
}

describe('headlines of alerts', () => {
  const ASKED = `query ($filter: SessionFilter) { sessions(filter: $filter) { totalCount nodes { id title severity entities } } }`;
  const found = async (filter: Record<string, unknown> = {}) =>
    (await api.query<Page & { sessions: { nodes: unknown[] } }>(ASKED, { filter })).data.sessions;

  it('are stored with new sessions, and derived from the text of older ones', async () => {
    await insertSession(api.pool, { title: 'Disk full', severity: 'ERROR', entities: ['host db-03'] });
    const older = await insertSession(api.pool, {
      alert_data: '{"alertname": "DiskFull", "severity": "critical", "host": "db-03"}',
    });
    const told = [
      {
        id: globalId('Session', older),
        title: 'DiskFull: host db-03',
        severity: 'CRITICAL',
        entities: ['host db-03'],
      },
      { title: 'Disk full', severity: 'ERROR', entities: ['host db-03'] },
    ];
    expect((await found()).nodes).toMatchObject(told);
    expect(await found({ severity: ['CRITICAL'] })).toMatchObject({ totalCount: 0 });
    expect(await backfillHeadlines(api.pool, 1)).toBe(1);
    expect(await backfillHeadlines(api.pool)).toBe(0);
    expect((await found()).nodes).toMatchObject(told);
    expect(await found({ severity: ['CRITICAL'] })).toMatchObject({ totalCount: 1, nodes: [told[0]] });
    expect(await found({ severity: ['CRITICAL', 'ERROR'] })).toMatchObject({ totalCount: 2 });
  });

  it('sessions match the filters for group and source, storms included', async () => {
    const group = (source: string, more = {}) =>
      insertRow(api.pool, 'alert_groups', {
        ...{ source, group_key: crypto.randomUUID(), title: 'x', severity: 'INFO', state: 'FIRING' },
        ...{ alert_type: 'host', last_received_at: at(0), opened_at: at(0), ...more },
      });
    const storm = await insertSession(api.pool, { author: 'prod' });
    const [own, joined, other] = [
      await group('prod'),
      await group('prod', { session_id: storm }),
      await group('test'),
    ];
    const session = await insertSession(api.pool, { group_id: own });
    await insertSession(api.pool, { group_id: other });
    await insertSession(api.pool, { author: 'prod' }); // a user who has the name of the source
    const ids = async (filter: object) =>
      (await found(filter as Record<string, unknown>)).nodes
        .map((node) => (node as { id: string }).id)
        .sort();
    const of = (...sessions: string[]) => sessions.map((id) => globalId('Session', id)).sort();
    expect(await ids({ groupId: globalId('AlertGroup', own) })).toEqual(of(session));
    expect(await ids({ groupId: joined })).toEqual(of(storm));
    expect(await ids({ groupId: 'nonsense' })).toEqual([]);
    expect(await ids({ source: ['prod'] })).toEqual(of(session, storm));
    expect(await ids({ source: ['prod', 'test'] })).toHaveLength(3);
  });
});

describe('pages', () => {
  const orders = ['CREATED_AT', 'STATUS', 'ALERT_TYPE', 'AUTHOR', 'DURATION'].flatMap((field) =>
    ['ASC', 'DESC'].map((direction) => ({ field, direction })),
  );

  it.each(orders)(
    'of every size contain each session once in both directions by $field $direction',
    async (orderBy) => {
      await insertMany(13);
      const whole = await walk(100, false, { orderBy });
      expect(new Set(whole).size).toBe(13);
      for (const size of [1, 4, 12, 13]) {
        expect(await walk(size, false, { orderBy })).toEqual(whole);
        expect(await walk(size, true, { orderBy })).toEqual(whole);
      }
      const opposite = { ...orderBy, direction: orderBy.direction === 'ASC' ? 'DESC' : 'ASC' };
      expect(await walk(100, false, { orderBy: opposite })).toEqual(whole.toReversed());
    },
  );

  it('have the newest 25 sessions by default', async () => {
    for (let n = 0; n < 26; n++) await insertSession(api.pool, { created_at: at(n) });
    const { rows } = await api.pool.query<{ id: string }>(
      'select id from alert_sessions order by created_at desc',
    );
    const { edges, totalCount } = await page({});
    expect(edges.map((edge) => edge.node.id)).toEqual(
      rows.slice(0, 25).map(({ id }) => globalId('Session', id)),
    );
    expect(totalCount).toBe(26);
  });

  it('neither skip nor repeat a session while others are inserted', async () => {
    await insertMany(20);
    const before = await walk(100, false, {});
    const seen: string[] = [];
    let after: string | null = null;
    let inserted = 0;
    for (;;) {
      const { edges, pageInfo }: Page['sessions'] = await page({ first: 3, after });
      seen.push(...edges.map((edge) => edge.node.id));
      // Inserts some sessions before the cursor and some after it, with ties among the creation times.
      for (const second of [0, 1, 2, 30])
        await insertSession(api.pool, { created_at: at(second) }).then(() => inserted++);
      if (!pageInfo.hasNextPage || inserted > 200) break;
      after = pageInfo.endCursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.includes(id))).toEqual(before);
  });

  it('between two cursors report whether sessions lie outside', async () => {
    for (let n = 0; n < 6; n++) await insertSession(api.pool, { created_at: at(n) });
    const { edges } = await page({});
    const [after, before] = [edges[0]!.cursor, edges[4]!.cursor];
    const between = edges.slice(1, 4);
    expect(await page({ first: 5, after, before })).toMatchObject({
      edges: between,
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    expect((await page({ last: 2, after, before })).edges).toEqual(between.slice(1));
    expect(await page({ first: 5, after: edges[5]!.cursor })).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    });
    expect(await page({ last: 5, before: edges[0]!.cursor })).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
  });

  it('without sessions count the session of their cursor as outside', async () => {
    await insertSession(api.pool);
    const [only] = (await page({})).edges;
    expect(await page({ first: 5, after: only!.cursor })).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(await page({ last: 5, before: only!.cursor })).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
  });

  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const moment = '2026-01-01T12:00:00.000Z';
  it.each([
    ['both directions', { first: 1, last: 1 }],
    ['an empty page', { first: 0 }],
    ['a negative size', { last: -1 }],
    ['more than 100', { first: 101 }],
    ['text that is no cursor', { after: 'x' }],
    [
      'a cursor of another order',
      { after: forged(['v1', 'AUTHOR', 'a', moment, '00000000-0000-7000-8000-000000000000']) },
    ],
    ['a forged cursor with an invalid id', { before: forged(['v1', 'CREATED_AT', moment, "' or 1=1"]) }],
    [
      'a forged cursor with an invalid time',
      {
        before: forged([
          'v1',
          'CREATED_AT',
          '2026-99-01T12:00:00.000Z',
          '00000000-0000-7000-8000-000000000000',
        ]),
      },
    ],
    [
      'a cursor with an additional part',
      { before: forged(['v1', 'CREATED_AT', moment, '00000000-0000-7000-8000-000000000000', 1]) },
    ],
    [
      'a forged cursor with NUL',
      {
        orderBy: { field: 'AUTHOR', direction: 'ASC' },
        after: forged(['v1', 'AUTHOR', '\0', moment, '00000000-0000-7000-8000-000000000000']),
      },
    ],
    ['a search of two characters', { filter: { search: 'ab' } }],
    ['a search of two characters and a half', { filter: { search: '😀a' } }],
    ['a search that is too long', { filter: { search: 'a'.repeat(501) } }],
    ['a search with NUL', { filter: { search: 'ab\0c' } }],
    ['an author with NUL', { filter: { author: ['\0'] } }],
  ])('are refused with BAD_USER_INPUT for %s', async (_what, variables) => {
    const { errors, status } = await api.query(PAGE, variables);
    expect(status).toBeLessThan(500);
    expect(errors?.map((error) => error.extensions.code)).toEqual(['BAD_USER_INPUT']);
  });
});

describe('filters', () => {
  const idsOf = async (filter: Record<string, unknown>) =>
    (await page({ filter })).edges.map((edge) => edge.node.id);

  it('combine all conditions; a list matches any of its values', async () => {
    const a = await insertSession(api.pool, {
      status: 'FAILED',
      alert_type: 'x',
      author: 'ana',
      created_at: at(1),
    });
    const b = await insertSession(api.pool, {
      status: 'COMPLETED',
      alert_type: 'x',
      author: 'bob',
      created_at: at(2),
    });
    await insertSession(api.pool, {
      status: 'PENDING',
      alert_type: 'y',
      chain_id: 'other',
      created_at: at(3),
    });
    const [first, second] = [a, b].map((id) => globalId('Session', id));
    expect(await idsOf({ status: ['FAILED', 'COMPLETED'] })).toEqual([second, first]);
    expect(await idsOf({ alertType: ['x'], author: ['ana'] })).toEqual([first]);
    expect(await idsOf({ chainId: ['host-chain'], createdAfter: at(2) })).toEqual([second]);
    expect(await idsOf({ createdBefore: '2026-01-01T13:00:02+01:00' })).toEqual([first]);
    expect(await idsOf({ alertType: ['none'] })).toEqual([]);
    expect(await idsOf({ status: [], author: null })).toHaveLength(3);
    const { totalCount } = await page({ first: 1, filter: { status: ['FAILED', 'COMPLETED'] } });
    expect(totalCount).toBe(2);
  });
});
