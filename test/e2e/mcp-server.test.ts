import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { connectMcp, createToken, type McpTestClient } from '../helpers/mcp-client.ts';
import { claimedFact } from '../helpers/report.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 60_000 });

/** TARSy as an MCP server, used by the clients of both generations of the SDK. */
let app: TestApp;
let root: ApiClient;
const open: McpTestClient[] = [];
beforeAll(async () => {
  app = await startTestApp({
    auth: { mode: 'proxy' },
    access: {
      roles: { viewer: { users: ['*'] }, admin: { users: ['root'] } },
      teams: { payments: { users: ['ana'] }, search: { users: ['bo'] } },
    },
    defaults: { report: { enabled: true } },
    tools: { allow_changes: false },
  });
  app.llm.otherwise(answer);
  root = apiClient(app.url, { 'x-forwarded-user': 'root' });
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => app.stop());

async function connect(
  scopes: readonly string[],
  options: Parameters<typeof connectMcp>[1] & { team?: string } = {},
) {
  const { team = null, ...more } = options;
  const client = await connectMcp(app.url, { ...more, token: await createToken(root, scopes, team) });
  open.push(client);
  return client;
}

const ALL = ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW'];
const REPORT = {
  text: JSON.stringify({
    ...{ verdict: 'ACTION_REQUIRED', headline: 'The disk is full.', confidence: 0.9, entities: ['db-1'] },
    claims: [
      {
        ...{ kind: 'CAUSE', text: 'Line 7 is there.' },
        citations: [{ source: 'T1', quote: 'line 6\nline 7\nline 8' }],
        facts: [claimedFact('line', 'line', '7')],
      },
    ],
  }),
};
const LOOK = toolCall('tools.count_lines', { n: 20 }, 'look');
const CHANGE = toolCall('tools.note', { text: 'clean up' }, 'change');

/** Answers from the conversation. The word "gate" in the alert names a gate, "change" asks for a change. */
function answer({ purpose, tools, messages }: GenerateRequest): Step | readonly Step[] {
  const said = messages.map(({ content }) => content).join('\n');
  if (purpose === 'report') return REPORT;
  if (tools.length === 0) return { text: 'In short: full.' };
  if (messages.at(-1)!.content.includes('Since when?')) return { text: 'Since noon.' };
  if (messages.at(-1)!.role === 'tool') return { text: 'The disk is full [T1].' };
  const gate = /gate-\w+/.exec(said)?.[0];
  const call = said.includes('disk to change') ? CHANGE : LOOK;
  return gate === undefined ? call : [{ gate }, call];
}

async function investigated(client: McpTestClient): Promise<string> {
  const { value } = await client.call('submit_alert', { text: 'disk of db-1 at 91 %' });
  await client.call('get_investigation', { id: value.id, wait_seconds: 30 });
  return value.id;
}

test.each(['auto', 'legacy'] as const)(
  'a client (%s) submits an alert, waits for the end and reads the proof',
  async (mode) => {
    const client = await connect(ALL, { mode });
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['submit_alert', 'get_investigation', 'search_investigations', 'ask_investigation'],
      ...['get_output', 'list_alert_groups', 'add_hint', 'conclude'],
    ]);
    const { value: submitted } = await client.call('submit_alert', { text: 'disk of db-1 at 91 %' });
    const progress: string[] = [];
    const { value } = await client.call(
      'get_investigation',
      { id: submitted.id, wait_seconds: 30 },
      (message) => progress.push(message),
    );
    expect(value).toMatchObject({
      id: submitted.id,
      status: 'COMPLETED',
      report: { verdict: 'ACTION_REQUIRED', claims: [{ kind: 'CAUSE', status: 'SUPPORTED' }] },
      url: expect.stringContaining(`/sessions/${submitted.id}`),
    });
    const { value: output } = await client.call('get_output', { id: submitted.id, source: 'T1' });
    expect(output).toMatchObject({ server: 'tools', tool: 'count_lines', next: null });
    expect(output.text).toContain('line 7');
  },
);

test('a call that waits tells the client how far the investigation is', async () => {
  const client = await connect(ALL);
  const { value } = await client.call('submit_alert', { text: 'disk at gate-first' });
  const progress: string[] = [];
  const waiting = client.call('get_investigation', { id: value.id, wait_seconds: 60 }, (message) =>
    progress.push(message),
  );
  await vi.waitFor(() => expect(progress).toContain('Stage investigation'), { timeout: 30_000 });
  app.llm.open('gate-first');
  expect((await waiting).value.status).toBe('COMPLETED');
});

test('a question is answered, hints are refused once the investigation has ended, and lists find it', async () => {
  const client = await connect(ALL);
  const id = await investigated(client);
  const { value } = await client.call('ask_investigation', { id, text: 'Since when?', wait_seconds: 30 });
  expect(value).toMatchObject({ status: 'COMPLETED', answer: 'Since noon.' });
  const hint = await client.call('add_hint', { id, text: 'Look at the logs.' });
  expect(hint).toMatchObject({ isError: true, text: expect.stringMatching(/^\w+: /) });
  const found = await client.call('search_investigations', {
    search: 'db-1',
    verdict: ['ACTION_REQUIRED'],
    first: 1,
  });
  expect(found.value.investigations).toHaveLength(1);
  expect(found.value.total).toBeGreaterThan(0);
  expect((await client.call('list_alert_groups')).value).toEqual({ total: 0, groups: [], next: null });
});

test('a subscriber hears of the change of a report, and one of another team does not', async () => {
  const uriOf = (id: string) => `tarsy://investigations/${id}`;
  const own = await connect(ALL, { team: 'payments' });
  const other = await connect(ALL, { team: 'search' });
  const { value } = await own.call('submit_alert', { text: 'disk at gate-second' });
  const heard: string[] = [];
  for (const [name, { client }] of Object.entries({ own, other })) {
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void heard.push(`${name} ${params.uri}`),
    );
    await client.listen({ resourceSubscriptions: [uriOf(value.id)] });
  }
  app.llm.open('gate-second');
  await vi.waitFor(() => expect(heard).toContain(`own ${uriOf(value.id)}`), { timeout: 30_000 });
  await root.waitFor(value.id, ({ status }) => ENDED.has(status));
  expect(heard.filter((line) => line.startsWith('other'))).toEqual([]);
});

test('what a token may not see is answered like what does not exist', async () => {
  const owner = await connect(ALL, { team: 'payments' });
  const id = await investigated(owner);
  const stranger = await connect(ALL, { team: 'search' });
  const absent = '01990000-0000-7000-8000-000000000000';
  const calls = [
    ['get_investigation', {}],
    ['get_output', { source: 'T1' }],
    ['ask_investigation', { text: 'Why?' }],
    ['add_hint', { text: 'Look.' }],
    ['conclude', {}],
  ] as const;
  for (const [name, given] of calls) {
    const hidden = await stranger.call(name, { id, ...given });
    expect(hidden, name).toMatchObject({ isError: true });
    expect(hidden.text, name).toBe((await stranger.call(name, { id: absent, ...given })).text);
  }
  const found = await stranger.call('search_investigations', { search: 'db-1' });
  expect(JSON.stringify(found.value)).not.toContain(id);
  const read = (uuid: string) =>
    stranger.client
      .readResource({ uri: `tarsy://investigations/${uuid}` })
      .catch((error: Error) => error.message);
  expect(await read(id)).toBe(await read(absent));
  const { resources } = await stranger.client.listResources();
  expect(resources.map(({ uri }) => uri)).not.toContain(`tarsy://investigations/${id}`);
});

test('a token without the scope of an action may not do it, and no token is refused', async () => {
  const reader = await connect(['READ']);
  expect((await reader.call('submit_alert', { text: 'disk' })).text).toMatch(/^FORBIDDEN: /);
  const sender = await connect(['SUBMIT_ALERTS']);
  expect((await sender.call('search_investigations')).text).toMatch(/^FORBIDDEN: /);
  await expect(connectMcp(app.url, { token: 'tarsy_nonsense' })).rejects.toThrow();
  const bare = await fetch(`${app.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{}',
  });
  expect(bare.status).toBe(401);
});

test.each([
  ['approve', 'EXECUTED'],
  ['deny', 'DENIED'],
])('the user of a client may %s a call that waits', async (decision, status) => {
  const questions: string[] = [];
  const client = await connect([...ALL, 'APPROVE'], {
    answer: (question) => {
      questions.push(question);
      return { decision };
    },
  });
  const { value } = await client.call('submit_alert', { text: 'disk to change' });
  const ended = await client.call('get_investigation', { id: value.id, wait_seconds: 60 });
  expect(questions).toEqual([expect.stringContaining('tools.note')]);
  expect(questions[0]).toContain('clean up');
  expect(ended.value.approvals).toMatchObject([{ status }]);
});

test('a client whose token may not approve is not asked', async () => {
  const client = await connect(ALL, { answer: () => ({ decision: 'approve' }) });
  const { value } = await client.call('submit_alert', { text: 'disk to change' });
  await vi.waitFor(
    async () => {
      const now = await client.call('get_investigation', { id: value.id, wait_seconds: 0 });
      expect(now.value.approvals).toMatchObject([{ status: 'PENDING', mayDecide: false }]);
    },
    { timeout: 30_000 },
  );
  await root.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id: value.id });
  await root.waitFor(value.id, ({ status }) => ENDED.has(status));
});
