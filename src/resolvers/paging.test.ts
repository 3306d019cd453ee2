import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Api, globalId, insertSession, openApi } from '../../test/helpers/http-api.ts';
import { randomFrom } from '../../test/helpers/random.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.pool.query('delete from alert_sessions'));
afterAll(() => api.close());

/** Numbers of sessions before paging begins, and of rounds for each sort order. */
const SESSIONS = 40;
const ROUNDS = 4;

const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: SessionFilter, $orderBy: SessionOrder) {
  sessions(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
interface Page {
  nodes: { id: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}
type Below = (limit: number) => number;

async function page(variables: object): Promise<Page> {
  const { data, errors } = await api.query<{ sessions: Page }>(PAGE, { ...variables });
  expect(errors).toBeUndefined();
  return data.sessions;
}

const orders = ['CREATED_AT', 'STATUS', 'ALERT_TYPE', 'AUTHOR', 'DURATION'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => ({ field, direction })),
);

/** Inserts a session whose sort keys equal those of many others, so that only the id orders them. */
async function insertEqual(below: Below): Promise<string> {
  const created_at = new Date(Date.UTC(2026, 0, 1, 12, 0, below(3)));
  const ended = below(2) === 1;
  const id = await insertSession(api.pool, {
    // A random id, so that a new session can come anywhere in the list.
    id: uuidv7({ msecs: Date.UTC(2026, 0, 1) + below(1_000_000) }),
    created_at,
    alert_type: ['a', 'b'][below(2)],
    author: ['ana', 'Bob', 'ömer'][below(3)],
    status: ended ? ['COMPLETED', 'FAILED'][below(2)] : 'IN_PROGRESS',
    started_at: ended ? created_at : null,
    completed_at: ended ? new Date(created_at.getTime() + below(3) * 1000) : null,
  });
  return globalId('Session', id);
}

/** Returns all ids that a client sees while it reads page after page and other sessions are inserted. */
async function pageWhileOthersInsert(below: Below, backward: boolean, rest: object): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const size = 1 + below(12);
    const asked: Promise<Page> = page({
      ...rest,
      ...(backward ? { last: size, before: cursor } : { first: size, after: cursor }),
    });
    // Inserts while the page is read. Stops at 150 seen sessions, so that the paging ends.
    const inserted = Array.from({ length: seen.length < 150 ? below(4) : 0 }, () => insertEqual(below));
    const [{ nodes, pageInfo }] = await Promise.all([asked, ...inserted]);
    const ids = nodes.map(({ id }) => id);
    if (backward) seen.unshift(...ids);
    else seen.push(...ids);
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return seen;
    cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
  }
}

test.each(orders)(
  'lists each session exactly once by $field $direction while others are inserted',
  async (orderBy) => {
    const random = randomFrom(orders.indexOf(orderBy) + 1);
    const below = (limit: number) => Math.floor(random() * limit);
    for (let round = 0; round < ROUNDS; round++) {
      await api.pool.query('delete from alert_sessions');
      await Promise.all(Array.from({ length: SESSIONS }, () => insertEqual(below)));
      const filter = round % 2 ? { search: 'disk almost' } : {};
      const before = (await page({ first: 100, orderBy, filter })).nodes.map(({ id }) => id);
      expect(before).toHaveLength(SESSIONS);
      for (const backward of [false, true]) {
        const seen = await pageWhileOthersInsert(below, backward, { orderBy, filter });
        expect(new Set(seen).size).toBe(seen.length);
        const known = new Set(before);
        expect(seen.filter((id) => known.has(id))).toEqual(before);
      }
    }
  },
);
