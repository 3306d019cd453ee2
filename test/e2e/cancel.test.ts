import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  app = await startTestApp({ queue: { max_concurrent_sessions: 1 } });
  api = apiClient(app.url);
});
afterAll(() => app.stop());

interface CancelAnswer {
  cancelSession: { __typename: string; code?: string; session?: { status: string } };
}

const cancel = (id: string) =>
  api.query<CancelAnswer>(
    `mutation ($id: ID!) { cancelSession(id: $id) {
       __typename ... on CancelSessionSuccess { session { status } } ... on Error { code } } }`,
    { id },
  );

const readTree = (id: string) =>
  api.query<{
    session: { stages: { status: string; executions: { status: string }[] }[]; timeline: unknown[] };
  }>(
    `query ($id: ID!) { session(id: $id) {
       stages { status executions { status } } timeline { type status content } } }`,
    { id },
  );

test('cancels a running session in the middle of a response, on every level', async () => {
  app.llm.script([{ thinking: 'Thinking about ' }, { hang: true }]);
  const before = app.llm.requests.length;
  const id = await api.submit('Cancel me');
  const call = await app.llm.call(before);
  // The session may end before the API reads it for its answer.
  const told = { status: expect.stringMatching(/^CANCELL(ING|ED)$/) };
  expect(await cancel(id)).toMatchObject({ cancelSession: { session: told } });
  await call.ended;
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'CANCELLED',
    finalAnalysis: null,
  });
  const { session } = await readTree(id);
  expect(session.stages).toEqual([{ status: 'CANCELLED', executions: [{ status: 'CANCELLED' }] }]);
  for (const item of session.timeline) expect(item).toMatchObject({ status: 'CANCELLED' });
  expect((await cancel(id)).cancelSession).toMatchObject({ __typename: 'ConflictError', code: 'CONFLICT' });
});

test('a cancel whose notification is lost reaches the run with its heartbeat', async () => {
  app.llm.script([{ thinking: 'Thinking about ' }, { hang: true }]);
  const before = app.llm.requests.length;
  const id = await api.submit('Cancel me quietly');
  const call = await app.llm.call(before);
  const key = Buffer.from(id, 'base64').toString().split(':')[1];
  const sql = new pg.Pool({ connectionString: app.database.url, max: 1 });
  await sql.query(`update alert_sessions set status = 'CANCELLING' where id = $1`, [key]);
  await sql.end();
  await call.ended;
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'CANCELLED' });
});

test('cancels a running tool call', async () => {
  app.llm.script([{ text: 'Waiting.' }, toolCall('tools.hang')]);
  const id = await api.submit('Cancel my tool');
  const items = api.subscribe<{ sessionEvents: { timelineEvent?: { type: string } } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on TimelineEventCreated { timelineEvent { type } } } }`,
    { id },
  );
  for await (const { sessionEvents } of items)
    if (sessionEvents.timelineEvent?.type === 'LLM_TOOL_CALL') break;
  await cancel(id);
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'CANCELLED' });
  const { session } = await readTree(id);
  expect(session.timeline).toEqual([
    { type: 'LLM_RESPONSE', status: 'COMPLETED', content: 'Waiting.' },
    { type: 'LLM_TOOL_CALL', status: 'CANCELLED', content: '' },
  ]);
});

test('cancels a queued session in place, and the next one gets its slot', async () => {
  app.llm.script([{ gate: 'first' }, { text: 'Done one.' }], { text: 'Summary one.' });
  const running = await api.submit('First');
  await app.llm.reached('first');
  const [waiting, last] = [await api.submit('Second'), await api.submit('Third')];
  const { session } = await api.query<{ session: { status: string; queuePosition: number } }>(
    `query ($id: ID!) { session(id: $id) { status queuePosition } }`,
    { id: last },
  );
  expect(session).toEqual({ status: 'PENDING', queuePosition: 2 });
  expect(await cancel(waiting)).toMatchObject({ cancelSession: { session: { status: 'CANCELLED' } } });

  app.llm.script({ text: 'Done three.' }, { text: 'Summary three.' });
  app.llm.open('first');
  expect(await api.waitFor(running, ({ status }) => ENDED.has(status))).toMatchObject({
    finalAnalysis: 'Done one.',
  });
  expect(await api.waitFor(last, ({ status }) => ENDED.has(status))).toMatchObject({
    finalAnalysis: 'Done three.',
  });
  expect((await readTree(waiting)).session).toEqual({ stages: [], timeline: [] });
  app.llm.assertNoUnusedScripts();
});

test('reports an unknown session as not found', async () => {
  const unknown = '0198e000-0000-7000-8000-000000000000';
  expect((await cancel(unknown)).cancelSession).toMatchObject({
    __typename: 'NotFoundError',
    code: 'NOT_FOUND',
  });
});
