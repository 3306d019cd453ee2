import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

/** Time limit for starting applications with tool servers on a busy machine. */
const SLOW = { timeout: 90_000 };

let app: TestApp;
let api: ApiClient;
let pool: pg.Pool;
beforeEach(async () => {
  app = await startTestApp({ budgets: { monthly: { per: 'month', limit_tokens: 40_000 } } });
  api = apiClient(app.url);
  pool = new pg.Pool({ connectionString: app.database.url, max: 2 });
});
afterEach(async () => {
  await pool.end();
  await app.stop();
});

const counted = (text: string, input: number) => [{ text }, { usage: { input, output: 0 } }];
const LESSON = 'payments-api loses its database when the pool of the reporting job is too large.';
const LESSONS = JSON.stringify({ lessons: [{ category: 'SEMANTIC', content: LESSON }] });

async function investigate(): Promise<string> {
  app.llm.script(counted('The pool was too large.', 600), counted('The pool.', 400));
  const id = await api.submit('payments-api: connections refused by db-03');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  return id;
}

async function rate(id: string, action: string, rating: string): Promise<void> {
  const input = { sessionIds: [id], action, rating };
  const { reviewSessions } = await api.query<{ reviewSessions: { __typename: string }[] }>(
    'mutation ($input: ReviewSessionsInput!) { reviewSessions(input: $input) { __typename } }',
    { input },
  );
  expect(reviewSessions).toMatchObject([{ __typename: 'ReviewSessionSuccess' }]);
}

/** Resolves when no session waits for the extraction of its memories. */
async function learned(): Promise<void> {
  const learning = `select 1 from graphile_worker.jobs where key like 'learn:%'`;
  await expect.poll(async () => (await pool.query(learning)).rowCount, { timeout: 20_000 }).toBe(0);
}

/** Reviews a session and waits until its memories are stored. */
async function review(id: string, action: string, rating: string): Promise<void> {
  await rate(id, action, rating);
  await learned();
}

const memories = async () => (await pool.query('select id, content from memories')).rows;
const used = async () => (await pool.query('select used_tokens from budget_uses')).rows[0].used_tokens;
const askedToTeach = () => app.llm.requests.filter(({ purpose }) => purpose === 'memory').length;

test('learning counts in budgets, and an exhausted budget stops it without a model call', SLOW, async () => {
  const [first, second] = [await investigate(), await investigate()];
  app.llm.script(counted(LESSONS, 50_000));
  await review(first, 'COMPLETE', 'ACCURATE');
  expect(await memories()).toMatchObject([{ content: LESSON }]);
  expect(Number(await used())).toBe(52_000);
  await review(second, 'COMPLETE', 'ACCURATE');
  expect(await memories()).toHaveLength(2);
  expect(askedToTeach()).toBe(1);
});

test('a deleted memory is not learned again, whatever happens to the review', SLOW, async () => {
  const id = await investigate();
  app.llm.script(counted(LESSONS, 100));
  await review(id, 'COMPLETE', 'PARTIALLY_ACCURATE');
  const [{ id: memory }] = await memories();
  await api.query('mutation ($id: ID!) { deleteMemory(id: $id) { __typename } }', { id: memory });
  expect(await memories()).toEqual([]);
  await review(id, 'UPDATE_FEEDBACK', 'ACCURATE');
  expect(await memories()).toEqual([]);
  expect(askedToTeach()).toBe(1);
});

test('a session without memories is not processed again', SLOW, async () => {
  const id = await investigate();
  app.llm.script(counted('{"lessons": []}', 100));
  await review(id, 'COMPLETE', 'PARTIALLY_ACCURATE');
  await review(id, 'UPDATE_FEEDBACK', 'ACCURATE');
  expect(await memories()).toEqual([]);
  expect(askedToTeach()).toBe(1);
});

test('learns nothing from a session that is rated wrong while its lessons are extracted', SLOW, async () => {
  const id = await investigate();
  app.llm.script([{ gate: 'teach' }, ...counted(LESSONS, 100)]);
  await rate(id, 'COMPLETE', 'ACCURATE');
  await app.llm.reached('teach');
  await rate(id, 'UPDATE_FEEDBACK', 'INACCURATE');
  app.llm.open('teach');
  await learned();
  expect([await memories(), askedToTeach()]).toEqual([[], 1]);
});

test('two workers that extract the lessons of one session at once store those of one', SLOW, async () => {
  const worker = await startTestApp({ role: 'worker', database: app.database, llmAddress: app.llm.address });
  onTestFinished(() => worker.stop());
  const id = await investigate();
  for (const [gate, content] of [
    ['first', LESSON],
    ['second', 'Certificates of the gateway end on the first Monday of a quarter.'],
  ] as const) {
    const lessons = JSON.stringify({ lessons: [{ category: 'SEMANTIC', content }] });
    app.llm.script([{ gate }, ...counted(lessons, 100)]);
  }
  await rate(id, 'COMPLETE', 'PARTIALLY_ACCURATE');
  await app.llm.reached('first');
  await rate(id, 'UPDATE_FEEDBACK', 'ACCURATE');
  await app.llm.reached('second');
  for (const gate of ['first', 'second']) app.llm.open(gate);
  await learned();
  expect([(await memories()).length, askedToTeach()]).toEqual([1, 2]);
});

test('stores the summary once the last attempt fails', SLOW, async () => {
  const id = await investigate();
  app.llm.script([{ text: 'no JSON' }], [{ text: 'no JSON' }]);
  await rate(id, 'COMPLETE', 'ACCURATE');
  const failures = `select attempts from graphile_worker._private_jobs where last_error is not null`;
  await expect
    .poll(async () => (await pool.query(failures)).rows, { timeout: 20_000 })
    .toEqual([{ attempts: 1 }]);
  expect(await memories()).toEqual([]);
  await pool.query(
    'update graphile_worker._private_jobs set attempts = max_attempts - 1, run_at = now() where last_error is not null',
  );
  await learned();
  expect(await memories()).toEqual([
    { id: expect.any(String), content: expect.stringContaining('The pool.') },
  ]);
});
