import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Internet, PUBLIC_ADDRESS, startInternet } from '../helpers/internet.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let internet: Internet;
let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  internet = await startInternet();
  for (const name of ['raw.githubusercontent.com', 'api.github.com'])
    internet.names.set(name, [PUBLIC_ADDRESS]);
  app = await startTestApp({
    system: { runbooks: { repo_url: 'https://github.com/o/r' } },
    network: internet.network,
    mcpServers: { metrics: { transport: { type: 'http', url: 'http://127.0.0.1:2/mcp' } } },
    agents: { TestAgent: { mcp_servers: ['tools', 'metrics'] } },
  });
  api = apiClient(app.url);
});
afterAll(async () => {
  await app.stop();
  await internet.close();
});

interface Health {
  [field: string]: unknown;
  missingServers: { name: string; reason: string }[];
}

async function investigate(turns: unknown[], more: Record<string, unknown> = {}): Promise<Health> {
  app.llm.script(
    ...([...turns, { text: 'Done.' }, { text: 'Short.' }] as Parameters<TestApp['llm']['script']>),
  );
  const id = await api.submit('disk full', more);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session } = await api.query<{ session: { health: Health } }>(
    `query ($id: ID!) { session(id: $id) { health { whole toolCalls failedToolCalls withheldTools runbookProblem resumed
       shortenedOutputs fallbacks missingServers { name reason } } } }`,
    { id },
  );
  return session.health;
}

const TOOLS = { mcp: { servers: [{ name: 'tools' }] } };
const WHOLE = {
  whole: true,
  failedToolCalls: 0,
  runbookProblem: null,
  resumed: 0,
  shortenedOutputs: 0,
  fallbacks: 0,
  missingServers: [],
};

test('an investigation whose calls all succeeded is complete', async () => {
  expect(await investigate([[toolCall('tools.echo', { text: 'a' })]], TOOLS)).toMatchObject({
    ...WHOLE,
    toolCalls: 1,
  });
  expect(await investigate([], TOOLS)).toMatchObject({ ...WHOLE, toolCalls: 0 });
});

test('an unavailable server is listed as missing, with the reason', async () => {
  const missingServers = [{ name: 'metrics', reason: expect.stringContaining('ECONNREFUSED') }];
  expect(await investigate([])).toMatchObject({ ...WHOLE, whole: false, missingServers });
});

test('a failed tool counts as a loss unless it succeeds later', async () => {
  expect(await investigate([[toolCall('tools.fail')]], TOOLS)).toMatchObject({
    whole: false,
    toolCalls: 1,
    failedToolCalls: 1,
  });
  const mended = [[toolCall('tools.echo', { wrong: 1 })], [toolCall('tools.echo', { text: 'a' })]];
  expect(await investigate(mended, TOOLS)).toMatchObject({ whole: true, toolCalls: 2, failedToolCalls: 1 });
});

test('an unreadable runbook is listed as missing', async () => {
  const health = await investigate([], { ...TOOLS, runbookUrl: 'https://github.com/o/r/blob/main/none.md' });
  expect(health).toMatchObject({ whole: false, runbookProblem: expect.stringContaining('404') });
});
