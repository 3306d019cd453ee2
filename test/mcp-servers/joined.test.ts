import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { hostileServer } from '../helpers/mcp/executor.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    mcpServers: { odd: { transport: hostileServer('odd').transport } },
    agents: { TestAgent: { mcp_servers: ['odd'] } },
  });
  api = apiClient(app.url);
});
afterAll(() => app?.stop());

test('tools that join during a run are announced to the agent, offered and recorded', {
  timeout: 60_000,
}, async () => {
  app.llm.script(
    [toolCall('odd.grow')],
    [toolCall('odd.new_one', { text: 'here' })],
    { text: 'Found.' },
    { text: 'In short.' },
  );
  const id = await api.submit('tools are missing');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ finalAnalysis: 'Found.' });
  const [first, second, third] = app.llm.requests.map((request) => ({
    names: request.tools.map(({ name }) => name),
    told: JSON.stringify(request.messages),
  }));
  expect(first?.names).not.toContain('odd.new_one');
  expect(first?.told).not.toContain('now available in addition');
  expect(second?.names).toContain('odd.new_one');
  expect(second?.told).toMatch(/now available in addition.*odd\.new_one/);
  expect(third?.told.match(/now available in addition/g)).toHaveLength(1);
  expect(third?.told.replaceAll('\\', '')).toContain('{"text":"here"}');
});
