import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';
import { randomFrom } from '../../test/helpers/random.ts';
import { indexDueSessions } from '../engine/store/search-index.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterEach(() => api.pool.query('delete from alert_sessions'));
afterAll(() => api.close());

const SEARCH = `query ($first: Int, $after: String, $filter: SessionFilter, $orderBy: SessionOrder) {
  sessions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount } }`;
interface Found {
  sessions: {
    nodes: { id: string }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
    totalCount: number;
  };
}

async function find(search: string, more: Record<string, unknown> = {}): Promise<Found['sessions']> {
  const answer = await api.query<Found>(SEARCH, { filter: { search }, ...more });
  expect(answer.errors).toBeUndefined();
  return answer.data.sessions;
}
const found = async (search: string) => (await find(search)).nodes.map(({ id }) => id).sort();
const only = (...ids: string[]) => ids.map((id) => globalId('Session', id)).sort();

const item = (session: string, content: string, row: Record<string, unknown> = {}) =>
  insertRow(api.pool, 'timeline_events', {
    session_id: session,
    sequence_number: 1,
    type: 'LLM_RESPONSE',
    status: 'COMPLETED',
    content,
    ...row,
  });
const end = (session: string, status = 'COMPLETED', analysis: string | null = null) =>
  api.pool.query('update alert_sessions set status = $2, final_analysis = $3 where id = $1', [
    session,
    status,
    analysis,
  ]);

describe('a search finds', () => {
  it('every character of a word, in any case', async () => {
    const session = await insertSession(api.pool, {
      alert_data: 'Usage of Pod/PAYMENTS-api_7d9f is 100%_full \\ here',
    });
    await insertSession(api.pool, { alert_data: 'Usage is 100 and full', deleted_at: new Date() });
    await insertSession(api.pool, { alert_data: 'nothing of this' });
    for (const search of ['usage IS', '100%_f', 'full \\ h', 'ments-API_7', 'yment', 'd/pay', 'sage'])
      expect(await found(search), search).toEqual(only(session));
    for (const search of ['1%f', '100_%f', 'usageis', "'; drop table alert_sessions; --"])
      expect(await found(search), search).toEqual([]);
  });

  it('words in any order and form, anywhere in the session', async () => {
    const session = await insertSession(api.pool, {
      status: 'IN_PROGRESS',
      alert_data: 'The probe failed on node-17',
    });
    await item(session, 'connections were refused, repeatedly');
    await end(session, 'FAILED', 'Restarting helps.');
    await insertSession(api.pool, { alert_data: 'The probe failed on node-18, restarting' });
    for (const search of [
      'node-17 probe',
      'refused restarting node-17',
      'failing connection',
      'refuse restarts',
    ])
      expect(await found(search), search).toEqual(only(session));
    expect(await found('node-18 refused')).toEqual([]);
  });

  it('a quoted phrase whose words are adjacent', async () => {
    const session = await insertSession(api.pool, {
      alert_data: '{"msg":"Connection refused by 10.0.12.7"}',
    });
    await insertSession(api.pool, { alert_data: 'It refused the connection of 12.10.0.7' });
    for (const search of ['"connection refused"', '"refused by 10.0.12"', '"refuse by" connection'])
      expect(await found(search), search).toEqual(only(session));
    expect(await found('connection refused')).toHaveLength(2);
  });

  it('short words at the start of a word', async () => {
    const session = await insertSession(api.pool, { alert_data: 'no io on the disk' });
    await insertSession(api.pool, { alert_data: 'radio on the disk' });
    expect(await found('disk io')).toEqual(only(session));
    expect(await found('disk i n')).toEqual(only(session));
    expect(await found('on the')).toHaveLength(2);
  });

  it('nothing for punctuation alone, and ignores it beside words', async () => {
    const session = await insertSession(api.pool, { alert_data: 'disk & memory' });
    await insertSession(api.pool, { status: 'IN_PROGRESS', alert_data: 'runs' });
    expect(await found('%_%')).toEqual([]);
    expect(await found('& | !')).toEqual([]);
    expect(await found(' \n ')).toEqual([]);
    expect(await found('disk & | memory')).toEqual(only(session));
  });
});

describe('a timeline is searched', () => {
  it('while it grows, except for events that still stream', async () => {
    const running = await insertSession(api.pool, { status: 'IN_PROGRESS' });
    const streaming = await insertSession(api.pool, { status: 'IN_PROGRESS' });
    const handedBack = await insertSession(api.pool, { last_timeline_sequence: 1 });
    await item(running, 'the Needle_is here');
    await item(streaming, 'the needle_is here', { status: 'STREAMING' });
    await item(handedBack, 'the needle_is here');
    expect(await found('needle_is')).toEqual(only(running, handedBack));
    expect(await found('almost needle_is')).toEqual(only(running, handedBack));
    expect(await found('almost "needle_is here" am')).toEqual([]);
  });

  it.each(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'])('once it has ended as %s', async (status) => {
    const session = await insertSession(api.pool, { status: 'IN_PROGRESS' });
    await item(session, 'needle');
    await end(session, status);
    expect(await found('needle')).toEqual(only(session));
  });

  it('including a question and its answer, while the answer streams and afterwards', async () => {
    const session = await insertSession(api.pool, { status: 'COMPLETED' });
    const stage = await insertRow(api.pool, 'stages', {
      session_id: session,
      name: 'chat',
      index: 1,
      type: 'CHAT',
    });
    await item(session, 'why so hayrick', { stage_id: stage });
    expect(await found('hayrick')).toEqual(only(session));
    await api.pool.query(`update stages set status = 'COMPLETED' where id = $1`, [stage]);
    expect(await found('hayrick')).toEqual(only(session));
  });
});

it('a search waits for a document that another process is building', async () => {
  const session = await insertSession(api.pool, { alert_data: 'a mulberry' });
  const other = await api.pool.connect();
  try {
    await other.query('begin; select tarsy_index_due(10000)');
    const begun = (await api.pool.query<{ at: string }>('select clock_timestamp()::text as at')).rows[0]!.at;
    const search = found('mulberry');
    const looking = `select 1 from pg_stat_activity where datname = current_database() and query_start > $1
      and query like 'select 1 from session_search_due%'`;
    const looks = async () => (await api.pool.query(looking, [begun])).rowCount;
    await expect.poll(looks, { interval: 5 }).toBeGreaterThan(0);
    await other.query('commit');
    expect(await search).toEqual(only(session));
  } finally {
    other.release(true);
  }
});

describe('a term that many sessions contain', () => {
  it('is paged like a rare term, in every order', async () => {
    await api.pool.query(
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, created_at)
       select gen_random_uuid(), 'host', case when n % 7 = 0 then 'other' else 'common disk' end, 'c', 'a' || n % 5,
         timestamptz '2026-01-01' + n / 3 * interval '1 second' from generate_series(1, 1500) n`,
    );
    await indexDueSessions(api.pool, 60_000);
    const running = await insertSession(api.pool, {
      status: 'IN_PROGRESS',
      alert_data: 'x',
      created_at: '2026-01-01',
    });
    await item(running, 'a disk that is common');
    for (const [field, columns] of [
      ['CREATED_AT', ''],
      ['AUTHOR', 'author desc,'],
    ] as const) {
      const { rows } = await api.pool.query<{ id: string }>(
        `select id from alert_sessions where alert_data <> 'other' order by ${columns} created_at desc, id desc`,
      );
      const ids: string[] = [];
      for (let after: string | null = null; ; ) {
        const { nodes, pageInfo, totalCount } = await find('disk common', {
          first: 100,
          after,
          orderBy: { field, direction: 'DESC' },
        });
        expect(totalCount).toBe(rows.length);
        expect(pageInfo.hasPreviousPage).toBe(after !== null);
        ids.push(...nodes.map(({ id }) => id));
        after = pageInfo.endCursor;
        if (!pageInfo.hasNextPage) break;
      }
      expect(ids).toEqual(rows.map(({ id }) => globalId('Session', id)));
    }
  });
});

describe('every kind of term', () => {
  it.each(['common', 'comm', '"common disk"', 'co di', 'common "common disk" d', '1.5', '& common'])(
    '%j finds the same in many sessions as in few',
    async (search) => {
      await insertSession(api.pool, { alert_data: 'other' });
      await api.pool.query(
        `insert into alert_sessions (id, alert_type, alert_data, chain_id, author)
         select gen_random_uuid(), 'host', 'A common disk: 1.5 GB', 'c', 'a' from generate_series(1, 20)`,
      );
      expect((await find(search)).totalCount).toBe(20);
      await api.pool.query(
        `insert into alert_sessions (id, alert_type, alert_data, chain_id, author)
         select gen_random_uuid(), 'host', 'A common disk: 1.5 GB', 'c', 'a' from generate_series(1, 1000)`,
      );
      await indexDueSessions(api.pool, 60_000);
      const { nodes, totalCount } = await find(search);
      expect(nodes).toHaveLength(25);
      expect(totalCount).toBe(1020);
    },
  );
});

describe('hostile text', () => {
  it('can be searched for without an error', async () => {
    await insertSession(api.pool, {});
    const random = randomFrom(20261122);
    const below = (limit: number) => Math.floor(random() * limit);
    const pieces = [
      '"',
      "'",
      '\\',
      '%',
      '_',
      '&',
      '|',
      '!',
      '<->',
      '(',
      ')',
      ':*',
      ' ',
      '\n',
      'a',
      'or',
      '-disk',
      'é',
      '😀',
      '\ud800',
      '\u200b',
      ':',
      '$1',
      '?',
    ];
    for (let n = 0; n < 300; n++) {
      const search = Array.from({ length: 3 + below(12) }, () => pieces[below(pieces.length)]).join('');
      const { status, errors } = await api.query(SEARCH, { filter: { search } });
      expect({ status, errors, search }).toEqual({ status: 200, errors: undefined, search });
    }
    const long = await api.query(SEARCH, { filter: { search: 'disk '.repeat(20_000) } });
    expect(long.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it.each([
    [
      'with more distinct words than a document can hold',
      Array.from({ length: 150_000 }, (_, n) => `w${n}`).join(' '),
    ],
    ['that looks like endless host names', 'a_'.repeat(500_000)],
    ['that looks like endless addresses', 'a.b@-/'.repeat(170_000)],
    ['of one word', 'x'.repeat(1_000_000)],
  ])('%s is stored and found', async (_what, text) => {
    const session = await insertSession(api.pool, { alert_data: `${text} needle-9` });
    expect(await found('needle-9')).toEqual(only(session));
  });
});
