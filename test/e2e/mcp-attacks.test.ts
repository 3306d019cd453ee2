import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { connectMcp, createToken, type McpTestClient } from '../helpers/mcp-client.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Clients of TARSy's MCP endpoint that ask for more than they may have. */
let app: TestApp;
let root: ApiClient;
const open: McpTestClient[] = [];
beforeAll(async () => {
  app = await startTestApp({
    auth: { mode: 'proxy' },
    access: { roles: { admin: { users: ['root'] } } },
    system: { streams: { connections_per_client: 3 } },
  });
  app.llm.otherwise(({ messages }) => {
    const gate = /gate-\w+/.exec(messages.map(({ content }) => content).join('\n'))?.[0];
    return gate === undefined ? { text: 'Full.' } : [{ gate }, { text: 'Full.' }];
  });
  root = apiClient(app.url, { 'x-forwarded-user': 'root' });
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => app.stop());

async function connect(...scopes: string[]) {
  const client = await connectMcp(app.url, { token: await createToken(root, scopes) });
  open.push(client);
  return client;
}

const uriOf = (id: string) => `tarsy://investigations/${id}`;

test('a subscriber without the right to read hears nothing', async () => {
  const reader = await connect('READ', 'SUBMIT_ALERTS');
  const sender = await connect('SUBMIT_ALERTS');
  const { value } = await reader.call('submit_alert', { text: 'disk at gate-quiet' });
  const heard: string[] = [];
  for (const [name, { client }] of Object.entries({ reader, sender })) {
    client.setNotificationHandler('notifications/resources/updated', () => void heard.push(name));
    await client.listen({ resourceSubscriptions: [uriOf(value.id)] });
  }
  app.llm.open('gate-quiet');
  await vi.waitFor(() => expect(heard).toContain('reader'), { timeout: 30_000 });
  await root.waitFor(value.id, ({ status }) => ENDED.has(status));
  expect(heard).not.toContain('sender');
});

test('an id that is no question is answered with a code', async () => {
  const client = await connect('READ', 'SUBMIT_ALERTS', 'CHAT');
  const { value } = await client.call('submit_alert', { text: 'disk of db-1' });
  const absent = '01990000-0000-7000-8000-000000000000';
  const session = Buffer.from(`Session:${value.id}`).toString('base64');
  for (const question of [
    absent,
    'nonsense',
    value.id,
    session,
    Buffer.from(`ChatMessage:${absent}`).toString('base64'),
  ]) {
    const asked = await client.call('ask_investigation', { id: value.id, question, wait_seconds: 0 });
    expect([question, asked.isError, asked.text]).toEqual([
      question,
      true,
      expect.stringMatching(/^(?:NOT_FOUND|BAD_USER_INPUT): /),
    ]);
  }
});

test('calls that wait count as connections of their client', async () => {
  const client = await connect('READ', 'SUBMIT_ALERTS');
  const other = await connect('READ', 'SUBMIT_ALERTS', 'CHAT');
  const { value } = await client.call('submit_alert', { text: 'disk at gate-busy' });
  const waits = Array.from({ length: 5 }, () =>
    client.call('get_investigation', { id: value.id, wait_seconds: 60 }).then(
      ({ value: found }) => found.status,
      (error: Error) => error.message,
    ),
  );
  const refused = await Promise.any(waits);
  expect(refused).toMatch(/429|TOO_MANY_CONNECTIONS/);
  expect((await other.call('get_investigation', { id: value.id })).value.id).toBe(value.id);
  app.llm.open('gate-busy');
  const ends = await Promise.all(waits);
  expect(ends.filter((end) => end === 'COMPLETED')).toHaveLength(3);
});

test('a token with the scope of an action alone learns that the action was done', async () => {
  const sender = await connect('SUBMIT_ALERTS');
  const submitted = await sender.call('submit_alert', { text: 'disk at gate-scopes' });
  expect(submitted).toMatchObject({
    isError: false,
    value: { id: expect.any(String), status: expect.any(String) },
  });
  const { id } = submitted.value;
  await app.llm.reached('gate-scopes'); // an investigation that has not begun cannot conclude
  const hint = await (await connect('CHAT')).call('add_hint', { id, text: 'Look at the logs.' });
  expect([hint.isError, hint.text]).toEqual([false, expect.stringContaining('"hint"')]);
  expect((await (await connect('REVIEW')).call('conclude', { id })).isError).toBe(false);
  app.llm.open('gate-scopes');
  await root.waitFor(id, ({ status }) => ENDED.has(status));
});

test('a token that may not read the answer asks no question', async () => {
  const reader = await connect('READ', 'SUBMIT_ALERTS');
  const { value } = await reader.call('submit_alert', { text: 'disk of db-1' });
  await root.waitFor(value.id, ({ status }) => ENDED.has(status));
  const asked = await (await connect('CHAT')).call('ask_investigation', { id: value.id, text: 'Why?' });
  expect([asked.isError, asked.text]).toEqual([true, expect.stringMatching(/^FORBIDDEN: /)]);
  const { session } = await root.query<{ session: { chat: { messages: unknown[] } | null } }>(
    'query ($id: ID!) { session(id: $id) { chat { messages { id } } } }',
    { id: value.id },
  );
  expect(session.chat?.messages ?? []).toEqual([]);
});
