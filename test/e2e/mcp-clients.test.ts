import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { alertBody } from '../helpers/deliveries.ts';
import { WIRE_CLIENTS, type WireClient } from '../helpers/mcp/other-clients.ts';
import { connectMcp, createToken, type McpTestClient } from '../helpers/mcp-client.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

/** The scope that each tool needs, as docs/how-to/integrate/editors.md lists it, and input that names an investigation. */
const TOOLS: Readonly<Record<string, { scope: string; given: Record<string, unknown>; byId: boolean }>> = {
  submit_alert: { scope: 'SUBMIT_ALERTS', given: { text: 'disk of db-2' }, byId: false },
  get_investigation: { scope: 'READ', given: {}, byId: true },
  search_investigations: { scope: 'READ', given: { search: 'db-1' }, byId: false },
  ask_investigation: { scope: 'CHAT', given: { text: 'Why?', wait_seconds: 0 }, byId: true },
  get_output: { scope: 'READ', given: { source: 'T1' }, byId: true },
  list_alert_groups: { scope: 'READ', given: {}, byId: false },
  add_hint: { scope: 'CHAT', given: { text: 'Look.' }, byId: true },
  conclude: { scope: 'REVIEW', given: {}, byId: true },
};
const ALL = ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW'];
const ABSENT = '01990000-0000-7000-8000-000000000000';

let app: TestApp;
let root: ApiClient;
/** An ended investigation and an alert group of the team payments. */
let id: string;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  app = await startTestApp({
    auth: { mode: 'proxy' },
    access: {
      roles: { viewer: { users: ['*'] }, admin: { users: ['root'] } },
      teams: { payments: { users: ['ana'] }, search: { users: ['bo'] } },
    },
    intake: { sources: { prod: { type: 'generic', api_tokens: true } } },
  });
  app.llm.otherwise(answer);
  root = apiClient(app.url, { 'x-forwarded-user': 'root' });
  const sender = await createToken(root, ALL, 'payments');
  const owner = await connectMcp(app.url, { token: sender });
  open.push(owner);
  const { value } = await owner.call('submit_alert', { text: 'disk of db-1 at 91 %' });
  id = value.id;
  await owner.call('get_investigation', { id, wait_seconds: 60 });
  const delivery = await fetch(`${app.url}/webhooks/prod`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${sender}` },
    body: JSON.stringify(alertBody({ severity: 'info' })),
  });
  expect(delivery.status).toBe(202);
  await vi.waitFor(async () => expect((await owner.call('list_alert_groups')).value.total).toBe(1), {
    timeout: 30_000,
  });
});
afterAll(async () => {
  for (const client of open) await client.close();
  await app.stop();
});

/** Looks once, then concludes. The word "gate" in an alert names the gate that the first answer waits for. */
function answer({ tools, messages }: GenerateRequest): Step | readonly Step[] {
  const said = messages.map(({ content }) => content).join('\n');
  if (tools.length === 0) return { text: 'In short: full.' };
  if (messages.at(-1)!.content.includes('Since when?')) return { text: 'Since noon.' };
  if (messages.at(-1)!.role === 'tool') return { text: 'The disk is full.' };
  const gate = /gate-\w+/.exec(said)?.[0];
  const look = toolCall('tools.count_lines', { n: 20 }, 'look');
  return gate === undefined ? look : [{ gate }, look];
}

describe('each client uses every tool and resource', () => {
  test.each(Object.entries(WIRE_CLIENTS))('%s', async (name, connect) => {
    const client: WireClient = await connect(`${app.url}/mcp`, await createToken(root, ALL, 'payments'));
    open.push(client);
    const used = new Set<string>();
    const call = async (tool: string, given: Record<string, unknown> = {}) => {
      used.add(tool);
      const result = await client.request('tools/call', { name: tool, arguments: given });
      expect([result.error, result.isError ?? false], `${tool}: ${result.content?.[0]?.text}`).toEqual([
        undefined,
        false,
      ]);
      return result.structuredContent as Record<string, string>;
    };
    const { tools } = await client.request('tools/list', {});
    const gate = `gate-${Object.keys(WIRE_CLIENTS).indexOf(name)}`;
    const submitted = await call('submit_alert', { text: `disk at ${gate}` });
    await call('add_hint', { id: submitted.id, text: 'Look at the logs.' });
    await app.llm.reached(gate);
    await call('conclude', { id: submitted.id });
    app.llm.open(gate);
    const ended = await call('get_investigation', { id: submitted.id, wait_seconds: 60 });
    expect(ended.status).toBe('COMPLETED');
    const asked = await call('ask_investigation', { id, text: 'Since when?', wait_seconds: 60 });
    expect(asked.answer).toBe('Since noon.');
    expect((await call('get_output', { id, source: 'T1' })).text).toContain('line 7');
    expect(JSON.stringify(await call('search_investigations', { search: 'db-1' }))).toContain(id);
    expect(Number((await call('list_alert_groups')).total)).toBe(1);
    expect([...used].sort()).toEqual(tools!.map((tool) => tool.name).sort());
    const uri = `tarsy://investigations/${id}`;
    const { resources } = await client.request('resources/list', {});
    expect(resources!.map((resource) => resource.uri)).toContain(uri);
    const { contents } = await client.request('resources/read', { uri });
    expect(contents).toMatchObject([
      { mimeType: 'text/markdown', text: expect.stringContaining('The disk is full.') },
    ]);
  });
});

test('only clients of revisions with streams for it are told that they can subscribe', async () => {
  const plain = await WIRE_CLIENTS['plain HTTP requests']!(
    `${app.url}/mcp`,
    await createToken(root, ALL, 'payments'),
  );
  const { capabilities } = await plain.request('initialize', {
    ...{ protocolVersion: '2025-11-25', capabilities: {} },
    clientInfo: { name: 'test', version: '1' },
  });
  expect(capabilities?.resources?.subscribe ?? false).toBe(false);
  const newer = await connected(ALL, 'payments');
  expect(newer.client.getServerCapabilities()?.resources?.subscribe).toBe(true);
});

async function connected(scopes: readonly string[], team: string): Promise<McpTestClient> {
  const client = await connectMcp(app.url, { token: await createToken(root, scopes, team) });
  open.push(client);
  return client;
}

/** Returns the answers of a client about an investigation, by its report and in the list of reports. */
async function resourceAnswers({ client }: McpTestClient, of: string): Promise<string[]> {
  const read = await client
    .readResource({ uri: `tarsy://investigations/${of}` })
    .then((found) => JSON.stringify(found))
    .catch((error: Error) => error.message);
  const listed = await client
    .listResources()
    .then(({ resources }) => JSON.stringify(resources))
    .catch((error: Error) => error.message);
  return [read, listed];
}

test('the table lists every tool', async () => {
  const { client } = await connected(ALL, 'payments');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(TOOLS).sort());
});

test.each(Object.entries(TOOLS))(
  '%s needs its scope, and shows another team nothing',
  async (name, { scope, given, byId }) => {
    const without = await connected(
      ALL.filter((other) => other !== scope),
      'payments',
    );
    const refused = await without.call(name, byId ? { id, ...given } : given);
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^FORBIDDEN: /) });
    if (name === 'submit_alert') return; // shows nothing of others
    const stranger = await connected(ALL, 'search');
    if (byId) {
      const hidden = await stranger.call(name, { id, ...given });
      expect(hidden).toMatchObject({ isError: true });
      expect(hidden.text).toBe((await stranger.call(name, { id: ABSENT, ...given })).text);
    } else {
      const { isError, value } = await stranger.call(name, given);
      expect([isError, value.total]).toEqual([false, 0]);
    }
  },
);

test('a report of another team is answered like one that does not exist, and without READ nothing is read', async () => {
  const [owner, stranger] = [await connected(ALL, 'payments'), await connected(ALL, 'search')];
  const own = await resourceAnswers(owner, id);
  for (const text of own) expect(text).toContain(id);
  const [hidden, listed] = await resourceAnswers(stranger, id);
  expect(hidden!.replaceAll(id, '')).toBe(
    (await resourceAnswers(stranger, ABSENT))[0]!.replaceAll(ABSENT, ''),
  );
  expect(listed).toBe('[]');
  const blind = await connected(['SUBMIT_ALERTS', 'CHAT', 'REVIEW'], 'payments');
  for (const text of await resourceAnswers(blind, id)) expect(text).not.toContain('disk');
});
