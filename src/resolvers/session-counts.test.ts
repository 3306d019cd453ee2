import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';
import type { SessionFacet } from '../schema/args.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
// Thousands of sessions that still wait for the index would keep those of the next test waiting.
afterEach(() => api.pool.query('delete from alert_sessions; delete from session_search_due'));
afterAll(() => api.close());

const DOCUMENT = `query ($by: SessionFacet!, $filter: SessionFilter) {
  sessionCounts(by: $by, filter: $filter) { values { value count } counted whole } }`;

interface Counts {
  values: { value: string; count: number }[];
  counted: number;
  whole: boolean;
}

async function counts(by: SessionFacet, filter: object | null = null): Promise<Counts> {
  const { data, errors } = await api.query<{ sessionCounts: Counts }>(DOCUMENT, { by, filter });
  expect(errors).toBeUndefined();
  return data.sessionCounts;
}
const pairs = async (by: SessionFacet, filter: object | null = null) =>
  (await counts(by, filter)).values.map(({ value, count }) => `${value} ${count}`);

/** Inserts two disk alerts of one team (one of them reviewed), an alert of another author, and a deleted alert. */
async function insertSome(): Promise<void> {
  const disk = { alert_type: 'disk', chain_id: 'deep', team: 'storage', severity: 'CRITICAL' };
  const verdict = { verdict: 'ACTION_REQUIRED', confidence: 0.9 };
  const review = { review_status: 'REVIEWED', rating: 'ACCURATE' };
  await insertSession(api.pool, { ...disk, ...verdict, ...review, status: 'COMPLETED' });
  await insertSession(api.pool, { ...disk, status: 'FAILED', alert_data: 'needle in a haystack' });
  await insertSession(api.pool, { alert_type: 'dns', author: 'zoe', severity: 'INFO', status: 'CANCELLED' });
  await insertSession(api.pool, { ...disk, deleted_at: new Date() });
}

describe('session counts', () => {
  it('list the values of a facet, most frequent first', async () => {
    await insertSome();
    expect(await counts('ALERT_TYPE')).toEqual({
      values: [
        { value: 'disk', count: 2 },
        { value: 'dns', count: 1 },
      ],
      counted: 3,
      whole: true,
    });
    expect(await pairs('STATUS')).toEqual(['CANCELLED 1', 'COMPLETED 1', 'FAILED 1']);
    expect(await pairs('SEVERITY')).toEqual(['CRITICAL 2', 'INFO 1']);
    expect(await pairs('VERDICT')).toEqual(['ACTION_REQUIRED 1']);
    expect(await pairs('TEAM')).toEqual(['storage 2']);
    expect(await pairs('CHAIN')).toEqual(['deep 2', 'host-chain 1']);
    expect(await pairs('AUTHOR')).toEqual(['ana 2', 'zoe 1']);
    expect(await pairs('REVIEW_STATUS')).toEqual(['NEEDS_REVIEW 1', 'REVIEWED 1']);
    expect(await pairs('RATING')).toEqual(['ACCURATE 1']);
  });

  it('count a session once for each of its labels', async () => {
    for (const labels of [['disk', 'cache'], ['disk'], []]) await insertSession(api.pool, { labels });
    expect(await counts('LABEL')).toEqual({
      values: [
        { value: 'disk', count: 2 },
        { value: 'cache', count: 1 },
      ],
      counted: 3,
      whole: true,
    });
  });

  it('apply the filter without its condition on the facet itself', async () => {
    await insertSome();
    const filter = { alertType: ['dns'], status: ['FAILED', 'CANCELLED'] };
    expect(await pairs('ALERT_TYPE', filter)).toEqual(['disk 1', 'dns 1']);
    expect(await pairs('STATUS', filter)).toEqual(['CANCELLED 1']);
    expect(await pairs('TEAM', { team: ['nobody'] })).toEqual(['storage 2']);
    expect(await pairs('STATUS', { team: ['nobody'] })).toEqual([]);
    expect(await pairs('REVIEW_STATUS', { reviewStatus: ['REVIEWED'], rating: ['ACCURATE'] })).toEqual([
      'REVIEWED 1',
    ]);
    expect(await counts('STATUS', { search: 'needle hay' })).toMatchObject({
      values: [{ value: 'FAILED', count: 1 }],
      counted: 1,
    });
    const { errors } = await api.query(DOCUMENT, { by: 'STATUS', filter: { search: 'no' } });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('cover the newest sessions if there are too many, and say so', async () => {
    await insertSession(api.pool, { author: 'oldest', created_at: new Date('2020-01-01T00:00:00Z') });
    await api.pool.query(`insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, created_at)
      select gen_random_uuid(), 'disk', 'x', 'deep', 'COMPLETED', 'user ' || n % 300, now() from generate_series(1, 20000) n`);
    expect(await counts('ALERT_TYPE')).toEqual({
      values: [{ value: 'disk', count: 20_000 }],
      counted: 20_000,
      whole: false,
    });
    const authors = await counts('AUTHOR');
    expect(authors.values.length).toBeLessThanOrEqual(200);
    expect(await counts('STATUS', { author: ['oldest'] })).toMatchObject({ counted: 1, whole: true });
  });
});

interface Listed {
  sessions: { edges: { node: { id: string } }[]; totalCount: number };
}
const LIST =
  'query ($filter: SessionFilter) { sessions(filter: $filter) { edges { node { id } } totalCount } }';

describe('the number of all sessions', () => {
  it('is read without a page, if only it is selected', async () => {
    await insertSome();
    api.statements.length = 0;
    const { data } = await api.query<Listed>('{ sessions { totalCount } }');
    expect(data.sessions.totalCount).toBe(3);
    expect(api.statements).toHaveLength(1);
  });

  it('leaves replays out, or counts only them, as the list does', async () => {
    const ids = await Promise.all(['a', 'b', 'b'].map((author) => insertSession(api.pool, { author })));
    const facts = { name: 'n', alert_type: 'x', document: '{}', hash: 'h', world: 'OPEN', expectation: '{}' };
    const counts = { max_unrecorded_calls: 0, recorded_calls: 0, created_by: 'ana' };
    const caseId = await insertRow(api.pool, 'cases', { ...facts, ...counts });
    const model = { provider: 'p', model: 'm', config_hash: 'h', created_by: 'ana' };
    for (const id of ids.slice(0, 2))
      await insertRow(api.pool, 'replays', { case_id: caseId, session_id: id, ...model });
    const found = async (filter: Record<string, unknown>) => {
      const { data } = await api.query<Listed>(LIST, { filter });
      const { edges, totalCount } = data.sessions;
      expect(totalCount).toBe(edges.length);
      return edges.map(({ node }) => node.id);
    };
    const [first, second, other] = ids.map((id) => globalId('Session', id));
    expect(await found({})).toEqual([other]);
    expect(await found({ isReplay: true })).toEqual(expect.arrayContaining([first, second]));
    expect(await found({ isReplay: true, author: ['b'] })).toEqual([second]);
    expect(await found({ author: ['a'] })).toEqual([]);
  });
});
