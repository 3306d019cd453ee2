import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

/** Reviews a session and waits until its memories are stored. */
async function review(id: string, action: string, rating: string): Promise<void> {
  const input = { sessionIds: [id], action, rating };
  const { reviewSessions } = await api.query<{ reviewSessions: { __typename: string }[] }>(
    'mutation ($input: ReviewSessionsInput!) { reviewSessions(input: $input) { __typename } }',
    { input },
  );
  expect(reviewSessions).toMatchObject([{ __typename: 'ReviewSessionSuccess' }]);
  const learning = `select 1 from graphile_worker.jobs where key like 'learn:%'`;
  await expect.poll(async () => (await pool.query(learning)).rowCount, { timeout: 20_000 }).toBe(0);
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
