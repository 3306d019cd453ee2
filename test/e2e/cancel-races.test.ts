import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

/**
 * Number of alerts that are submitted and cancelled one after the other, and number of those at the same
 * time.
 */
const PAIRS = Number(process.env.CANCEL_PAIRS ?? 60);
const STORM = 60;

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({ queue: { max_concurrent_sessions: 3 } });
  app.llm.otherwise(() => ({ text: 'Nothing to see.' }));
  api = apiClient(app.url);
});
afterAll(() => app.stop());

const cancel = (id: string) =>
  api.query<{ cancelSession: { __typename: string; code?: string } }>(
    'mutation ($id: ID!) { cancelSession(id: $id) { __typename ... on Error { code } } }',
    { id },
  );

/**
 * Submits an alert and cancels its session at once. Returns the outcome: cancelled, or too late. An internal
 * error rejects.
 */
async function submitAndCancel(text: string): Promise<string> {
  const id = await api.submit(text);
  const { cancelSession } = await cancel(id);
  expect(['CancelSessionSuccess', 'ConflictError']).toContain(cancelSession.__typename);
  return id;
}

const untilEnded = (ids: readonly string[]) =>
  Promise.all(ids.map((id) => api.waitFor(id, ({ status }) => ENDED.has(status))));

test('alerts cancelled right after submission all end', async () => {
  const ids: string[] = [];
  for (let n = 0; n < PAIRS; n += 1) ids.push(await submitAndCancel(`Pair ${n}`));
  await untilEnded(ids);
}, 120_000);

test('all sessions end after a storm of alerts and cancels', async () => {
  const ids = await Promise.all(Array.from({ length: STORM }, (_, n) => submitAndCancel(`Storm ${n}`)));
  await untilEnded(ids);
}, 120_000);
