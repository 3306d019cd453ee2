import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { emptyTables, openTestPool } from '../helpers/deliveries.ts';
import { insertSession } from '../helpers/http-api.ts';

let app: TestApp;
let pool: pg.Pool;

beforeAll(async () => {
  app = await startTestApp({ role: 'api', auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] } });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyTables(pool, 'alert_sessions, audit_events'));

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each test looks at another answer
  data: any;
  errors?: { message: string; extensions: { code: string } }[];
}

async function ask(who: string, query: string, variables: Record<string, unknown> = {}): Promise<Answer> {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-user': who },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

const FIELDS = `review { status assignee rating actionTaken feedback reviewedAt activity { actor action note } }`;
const REVIEW = `mutation ($input: ReviewSessionsInput!) { reviewSessions(input: $input) { __typename
  ... on ReviewSessionSuccess { session { ${FIELDS} } } ... on Error { code message } ... on ValidationError { field } } }`;

async function review(who: string, sessionIds: string[], change: Record<string, unknown>) {
  return (await ask(who, REVIEW, { input: { sessionIds, ...change } })).data.reviewSessions;
}

const ended = (status = 'COMPLETED') =>
  insertSession(pool, { status, started_at: new Date(), completed_at: new Date() });
const reviewOf = async (id: string) =>
  (await ask('ana', `query ($id: ID!) { session(id: $id) { ${FIELDS} } }`, { id })).data.session.review;

test('a review passes through several people, and every action is recorded', async () => {
  const id = await ended();
  expect(await reviewOf(id)).toEqual({
    status: 'NEEDS_REVIEW',
    assignee: null,
    rating: null,
    actionTaken: null,
    feedback: null,
    reviewedAt: null,
    activity: [],
  });

  expect((await review('ana', [id], { action: 'CLAIM' }))[0].session.review).toMatchObject({
    status: 'IN_PROGRESS',
    assignee: 'ana',
  });
  // A second claim by the same viewer changes nothing, not even the feedback.
  const again = await review('ana', [id], { action: 'CLAIM', feedback: 'of nobody' });
  expect(again).toMatchObject([
    { __typename: 'ReviewSessionSuccess', session: { review: { feedback: null } } },
  ]);
  for (const action of ['CLAIM', 'ACKNOWLEDGE'])
    expect(await review('ben', [id], { action })).toMatchObject([
      { code: 'CONFLICT', message: expect.stringContaining('ana is the reviewer') },
    ]);
  expect((await review('ben', [id], { action: 'UNCLAIM' }))[0].session.review.status).toBe('NEEDS_REVIEW');
  expect(await review('ben', [id], { action: 'UNCLAIM' })).toMatchObject([{ code: 'CONFLICT' }]);
  expect(await review('ben', [id], { action: 'REOPEN' })).toMatchObject([{ code: 'CONFLICT' }]);
  expect(await review('ben', [id], { action: 'UPDATE_FEEDBACK', feedback: 'x' })).toMatchObject([
    { code: 'CONFLICT' },
  ]);

  const done = { action: 'COMPLETE', rating: 'ACCURATE', actionTaken: 'Restarted it', feedback: 'Right' };
  expect((await review('cleo', [id], done))[0].session.review).toMatchObject({
    status: 'REVIEWED',
    assignee: 'cleo',
    rating: 'ACCURATE',
    actionTaken: 'Restarted it',
    reviewedAt: expect.any(String),
  });
  expect(await review('ana', [id], { action: 'CLAIM' })).toMatchObject([{ code: 'CONFLICT' }]);
  const other = { action: 'UPDATE_FEEDBACK', rating: 'INACCURATE' };
  expect((await review('ana', [id], other))[0].session.review).toMatchObject({
    rating: 'INACCURATE',
    feedback: 'Right',
    assignee: 'cleo',
  });
  const more = { action: 'UPDATE_FEEDBACK', feedback: 'Right' };
  expect((await review('ana', [id], more))[0].session.review.rating).toBe('INACCURATE');
  expect((await review('ana', [id], { action: 'REOPEN' }))[0].session.review).toMatchObject({
    status: 'NEEDS_REVIEW',
    rating: null,
    reviewedAt: null,
    feedback: 'Right',
  });

  expect((await reviewOf(id)).activity).toEqual([
    { actor: 'ana', action: 'CLAIM', note: null },
    { actor: 'ben', action: 'UNCLAIM', note: null },
    { actor: 'cleo', action: 'CLAIM', note: null },
    { actor: 'cleo', action: 'COMPLETE', note: 'ACCURATE: Right' },
    { actor: 'ana', action: 'UPDATE_FEEDBACK', note: 'INACCURATE' },
    { actor: 'ana', action: 'UPDATE_FEEDBACK', note: 'Right' },
    { actor: 'ana', action: 'REOPEN', note: null },
  ]);
  const { rows } = await pool.query(
    `select actor, detail ->> 'action' as action from audit_events order by id`,
  );
  expect(rows.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'ana CLAIM',
    'ben UNCLAIM',
    'cleo COMPLETE',
    'ana UPDATE_FEEDBACK',
    'ana UPDATE_FEEDBACK',
    'ana REOPEN',
  ]);
});

test('each of several sessions has its own result, in the requested order', async () => {
  const [failed, running, cancelled] = [
    await ended('FAILED'),
    await ended('IN_PROGRESS'),
    await ended('CANCELLED'),
  ];
  const hidden = await ended();
  await pool.query('update alert_sessions set deleted_at = now() where id = $1', [hidden]);
  const results = await review('ana', [running, 'nothing', failed, cancelled, failed, hidden], {
    action: 'ACKNOWLEDGE',
  });
  expect(results).toMatchObject([
    { code: 'CONFLICT', message: expect.stringContaining('not ended') },
    { code: 'NOT_FOUND' },
    { session: { review: { status: 'REVIEWED', rating: null } } },
    { code: 'CONFLICT', message: expect.stringContaining('cancelled') },
    { code: 'CONFLICT', message: expect.stringContaining('ana has finished this review') },
    { code: 'NOT_FOUND' },
  ]);
  expect([await reviewOf(running), await reviewOf(cancelled)]).toEqual([null, null]);
});

test('refuses invalid actions before anything is changed', async () => {
  const id = await ended();
  for (const [change, field] of [
    [{ action: 'COMPLETE' }, 'rating'],
    [{ action: 'CLAIM', rating: 'ACCURATE' }, 'rating'],
    [{ action: 'ACKNOWLEDGE', feedback: 'x'.repeat(10_001) }, 'feedback'],
    [{ action: 'ACKNOWLEDGE', actionTaken: 'a\0b' }, 'actionTaken'],
    [{ action: 'UPDATE_FEEDBACK' }, null],
  ] as const)
    expect(await review('ana', [id], change)).toMatchObject([{ code: 'VALIDATION', field }]);
  const many = await ask('ana', REVIEW, { input: { sessionIds: Array(51).fill(id), action: 'CLAIM' } });
  expect(many.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  expect((await reviewOf(id)).activity).toEqual([]);
});

test('masks secrets in review texts', async () => {
  const id = await ended();
  await review('ana', [id], { action: 'ACKNOWLEDGE', feedback: 'I used password: Syn7hetic!password' });
  const { rows } = await pool.query('select to_jsonb(s)::text as text from alert_sessions s');
  const log = await pool.query('select payload::text as text from session_events');
  const activity = await pool.query('select note as text from review_activities');
  for (const { text } of [...rows, ...log.rows, ...activity.rows])
    expect(text ?? '').not.toContain('Syn7hetic');
  expect((await reviewOf(id)).feedback).toContain('password');
});

test('fifty users who claim the same fifty sessions at once: each session has one owner, and only the owner is notified', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, () => ended()));
  const people = Array.from({ length: 50 }, (_, n) => `person-${n}`);
  const won = new Map<string, string[]>(ids.map((id) => [id, []]));
  await Promise.all(
    people.map(async (who, n) => {
      const order = [...ids.slice(n), ...ids.slice(0, n)];
      const results = await review(who, order, { action: 'CLAIM' });
      for (const [index, { __typename: type }] of results.entries())
        if (type === 'ReviewSessionSuccess') won.get(order[index]!)!.push(who);
    }),
  );
  const { rows } = await pool.query(
    `select s.id, s.assignee, array_agg(a.actor) as actors from alert_sessions s join review_activities a on a.session_id = s.id
     group by s.id`,
  );
  expect(rows).toHaveLength(50);
  for (const { id, assignee, actors } of rows)
    expect([actors, won.get(id)]).toEqual([[assignee], [assignee]]);
}, 60_000);

test('users who rate many sessions at once do not deadlock on each other’s memories', async () => {
  const MANY = 30;
  const sessions = async () => Promise.all(Array.from({ length: MANY }, () => ended()));
  const [anas, bos] = [(await sessions()).sort(), (await sessions()).sort()];
  const memories = await pool.query<{ id: string }>(
    `insert into memories (id, content, category, alert_type, confidence, document)
     select gen_random_uuid(), 'lesson ' || n, 'SEMANTIC', 'a', 0.5, '' from generate_series(1, ${MANY}) n returning id`,
  );
  const ids = memories.rows.map(({ id }) => id);
  await pool.query(
    `insert into memory_sessions (memory_id, session_id, role)
     select * from unnest($1::uuid[], $2::uuid[]), (values ('SOURCE')) r`,
    [
      [...ids, ...ids],
      [...anas, ...bos.toReversed()],
    ],
  );
  const rate = (who: string, of: string[]) => review(who, of, { action: 'COMPLETE', rating: 'INACCURATE' });
  const results = await Promise.all([rate('ana', anas), rate('bo', bos)]);
  for (const { __typename } of results.flat()) expect(__typename).toBe('ReviewSessionSuccess');
  const { rows } = await pool.query<{ confidence: number }>('select distinct confidence from memories');
  expect(rows).toEqual([{ confidence: expect.closeTo(0.5 / 3) }]);
});

test('a rating teaches once, however often the feedback beside it changes', async () => {
  const id = await ended();
  const learning = async () =>
    (await pool.query('select 1 from graphile_worker.jobs where key = $1', [`learn:${id}`])).rowCount;
  await review('ana', [id], { action: 'COMPLETE', rating: 'ACCURATE' });
  expect(await learning()).toBe(1);
  await pool.query(`select graphile_worker.remove_job($1)`, [`learn:${id}`]);
  await review('ana', [id], { action: 'UPDATE_FEEDBACK', feedback: 'It was the disk.' });
  await review('ana', [id], { action: 'UPDATE_FEEDBACK', rating: 'ACCURATE' });
  expect(await learning()).toBe(0);
  await review('ana', [id], { action: 'UPDATE_FEEDBACK', rating: 'PARTIALLY_ACCURATE' });
  expect(await learning()).toBe(1);
});

test('a session that is deleted while its review waits is not reviewed', async () => {
  const id = await ended();
  const deleter = await pool.connect();
  await deleter.query('begin; update alert_sessions set deleted_at = now()');
  const claimed = review('ana', [id], { action: 'CLAIM' });
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await deleter.query(waiting)).rowCount).toBeGreaterThan(0);
  await deleter.query('commit');
  deleter.release();
  expect(await claimed).toMatchObject([{ code: 'NOT_FOUND' }]);
  const { rows } = await pool.query('select review_status as status, assignee from alert_sessions');
  expect(rows).toEqual([{ status: null, assignee: null }]);
});

test('counts reviews and pending sessions for operators', async () => {
  const samples = async () =>
    (await (await fetch(`${app.url}/metrics`, { headers: { 'x-forwarded-user': 'ana' } })).text())
      .split('\n')
      .filter((line) => /^tarsy_(reviews_total|sessions_to_review)/.test(line));
  const of = (lines: string[], name: string) =>
    Number(
      lines
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  const [first, second] = [
    await ended(),
    await ended('FAILED'),
    await ended('CANCELLED'),
    await ended('PENDING'),
  ];
  const before = await samples();
  expect(of(before, 'tarsy_sessions_to_review')).toBe(2);
  await review('ana', [first, second, first], { action: 'CLAIM' });
  await review('ana', [first], { action: 'COMPLETE', rating: 'ACCURATE' });
  await review('ben', [first], { action: 'CLAIM' });
  const after = await samples();
  const more = (name: string) => of(after, name) - of(before, name);
  expect(more('tarsy_reviews_total{action="claim",rating="none"}')).toBe(2);
  expect(more('tarsy_reviews_total{action="complete",rating="accurate"}')).toBe(1);
});

test('filters lists by review', async () => {
  const [open, claimed, rated, running] = [
    await ended(),
    await ended(),
    await ended('FAILED'),
    await ended('PENDING'),
  ];
  await review('ana', [claimed], { action: 'CLAIM' });
  await review('ben', [rated], { action: 'COMPLETE', rating: 'INACCURATE' });
  const LIST = `query ($filter: SessionFilter) { sessions(filter: $filter) { totalCount edges { node { id } } } }`;
  const found = async (filter: Record<string, unknown>) => {
    const { sessions } = (await ask('ana', LIST, { filter })).data;
    const ids = sessions.edges.map(({ node }: { node: { id: string } }) =>
      Buffer.from(node.id, 'base64').toString().replace('Session:', ''),
    );
    expect(sessions.totalCount).toBe(ids.length);
    return ids.sort();
  };
  expect(await found({ reviewStatus: ['NEEDS_REVIEW'] })).toEqual([open]);
  expect(await found({ reviewStatus: ['IN_PROGRESS', 'NEEDS_REVIEW'] })).toEqual([open, claimed].sort());
  expect(await found({ reviewStatus: ['REVIEWED'] })).toEqual([rated]);
  expect(await found({ rating: ['INACCURATE'], assignee: ['ben', 'ana'] })).toEqual([rated]);
  expect(await found({ assignee: ['ana'] })).toEqual([claimed]);
  expect(await found({ reviewStatus: [] })).toEqual([open, claimed, rated, running].sort());
});
