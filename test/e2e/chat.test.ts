import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let api: ApiClient;
let session: string;

beforeAll(async () => {
  app = await startTestApp();
  api = apiClient(app.url);
});
afterAll(() => app.stop());

beforeEach(async () => {
  app.llm.script({ text: 'The disk is full.' }, { text: 'Summary.' });
  session = await api.submit('Disk trouble');
  await api.waitFor(session, ({ status }) => ENDED.has(status));
});

type Answer = {
  sendChatMessage: {
    __typename: string;
    code?: string;
    message?: string | { id: string };
    chat?: { id: string };
    stage?: { id: string; type: string; status: string; index: number };
  };
};

const ask = async (content: string, sessionId = session) =>
  (
    await api.query<Answer>(
      `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) { __typename
         ... on SendChatMessageSuccess { chat { id } asked: chatMessage { id author content } stage { id type status index } }
         ... on Error { code message } } }`,
      { input: { sessionId, content } },
    )
  ).sendChatMessage;

/** Returns why a question would be refused, as a page reads it in advance; null if a question is possible. */
const refusal = async (id: string) =>
  (
    await api.query<{ session: { chatRefusal: { code: string; message: string } | null } }>(
      `query ($id: ID!) { session(id: $id) { chatRefusal { code message } } }`,
      { id },
    )
  ).session.chatRefusal;

/** Returns the final status of the answering stage. */
async function answered(stageId: string): Promise<string> {
  const items = api.subscribe<{ sessionEvents: { stage?: { id: string; status: string } } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on StageStatusChanged { stage { id status } } } }`,
    { id: session },
  );
  for await (const { sessionEvents } of items) {
    const { stage } = sessionEvents;
    if (stage?.id === stageId && ENDED.has(stage.status)) return stage.status;
  }
  throw new Error('the subscription ended first');
}

/** Returns the chat events that subscribers receive. */
async function toldOfChat(): Promise<string[]> {
  const items = api.subscribe<{ sessionEvents: { __typename: string; message?: { content: string } } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { __typename ... on ChatMessageAdded { message { content } } } }`,
    { id: session },
  );
  const told: string[] = [];
  for await (const { sessionEvents } of items) {
    const { __typename: type, message } = sessionEvents;
    if (type === 'CaughtUp') break;
    if (type.startsWith('Chat')) told.push(message?.content ?? type);
  }
  return told;
}

test('answers a question with tools, and the next question includes it', async () => {
  app.llm.script([{ text: 'Looking.' }, toolCall('tools.echo', { text: 'var' })], { text: 'It is /var.' });
  const first = await ask('Which directory?');
  expect(first).toMatchObject({
    __typename: 'SendChatMessageSuccess',
    stage: { type: 'CHAT', status: 'PENDING', index: 2 },
  });
  expect(await answered(first.stage!.id)).toBe('COMPLETED');

  app.llm.script({ text: 'Yes, since yesterday.' });
  const second = await ask('Since when?');
  expect(second.chat).toEqual(first.chat);
  expect(await answered(second.stage!.id)).toBe('COMPLETED');

  expect(app.llm.requests.at(-1)).toMatchObject({
    purpose: 'chat_response',
    task: {
      alert: 'Disk trouble',
      question: 'Since when?',
      works: [
        { agent: 'TestAgent', analysis: 'The disk is full.' },
        { stage: '', agent: '' },
        { stage: expect.stringContaining('2. '), agent: '', question: 'Which directory?' },
        { analysis: 'It is /var.', outputs: [{ tool: 'tools.echo', content: 'echo: var' }] },
      ],
    },
  });
  const asked = app.llm.requests.at(-1)!.messages[1]!.content;
  for (const known of [
    'Disk trouble',
    'The disk is full.',
    'Summary.',
    'Which directory?',
    'It is /var.',
    'Since when?',
  ]) {
    expect(asked).toContain(known);
  }
  const { session: stored } = await api.query<{ session: Record<string, unknown> & { timeline: unknown[] } }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis
       chat { messages { content author stage { status } } }
       timeline(types: [USER_QUESTION, FINAL_ANALYSIS]) { type content } } }`,
    { id: session },
  );
  expect(stored).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'The disk is full.',
    chat: {
      messages: [
        { content: 'Which directory?', author: 'api-client', stage: { status: 'COMPLETED' } },
        { content: 'Since when?', author: 'api-client', stage: { status: 'COMPLETED' } },
      ],
    },
  });
  expect(stored.timeline).toEqual([
    { type: 'FINAL_ANALYSIS', content: 'The disk is full.' },
    { type: 'USER_QUESTION', content: 'Which directory?' },
    { type: 'FINAL_ANALYSIS', content: 'It is /var.' },
    { type: 'USER_QUESTION', content: 'Since when?' },
    { type: 'FINAL_ANALYSIS', content: 'Yes, since yesterday.' },
  ]);
  expect(await toldOfChat()).toEqual(['ChatCreated', 'Which directory?', 'Since when?']);
  app.llm.assertNoUnusedScripts();
});

test('answers one question at a time, and cancelling the answer allows the next one', async () => {
  app.llm.script([{ text: 'Well, ' }, { hang: true }]);
  const before = app.llm.requests.length;
  const first = await ask('Why?');
  const call = await app.llm.call(before);
  expect(await ask('And now?')).toMatchObject({ __typename: 'ConflictError', code: 'CONFLICT' });

  await api.query(`mutation ($id: ID!) { cancelSession(id: $id) { __typename ... on Error { message } } }`, {
    id: session,
  });
  await call.ended;
  expect(await answered(first.stage!.id)).toBe('CANCELLED');
  app.llm.script({ text: 'Because.' });
  const second = await ask('Why, again?');
  expect(await answered(second.stage!.id)).toBe('COMPLETED');
});

test('a question that cannot be answered fails alone', async () => {
  app.llm.script({ error: { code: 'invalid_api_key', message: 'no key' } });
  const asked = await ask('Why?');
  expect(await answered(asked.stage!.id)).toBe('FAILED');
  app.llm.script({ text: 'Because.' });
  expect(await answered((await ask('Why now?')).stage!.id)).toBe('COMPLETED');
});

test.each([
  ['nothing', '', 'ValidationError', 'VALIDATION'],
  ['white space', '  \n', 'ValidationError', 'VALIDATION'],
  ['a NUL', 'a\0b', 'ValidationError', 'VALIDATION'],
  ['too long a text', 'x'.repeat(100_001), 'ValidationError', 'VALIDATION'],
])('refuses a question of %s', async (_, content, type, code) => {
  expect(await ask(content)).toMatchObject({ __typename: type, code });
});

test('only ended sessions that were not cancelled accept questions', async () => {
  const unknown = '0198e000-0000-7000-8000-000000000000';
  expect(await ask('Why?', unknown)).toMatchObject({ code: 'NOT_FOUND' });
  app.llm.script([{ text: 'Hm' }, { hang: true }]);
  const before = app.llm.requests.length;
  const running = await api.submit('Running');
  await app.llm.call(before);
  expect(await ask('Why?', running)).toMatchObject({ code: 'CONFLICT' });
  expect(await refusal(running)).toMatchObject({ message: expect.stringContaining('not ended') });
  expect(await refusal(session)).toBeNull();
  await api.query(`mutation ($id: ID!) { cancelSession(id: $id) { __typename } }`, { id: running });
  await api.waitFor(running, ({ status }) => ENDED.has(status));
  expect(await ask('Why?', running)).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('cancelled'),
  });
  expect(await refusal(running)).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('cancelled'),
  });
});
