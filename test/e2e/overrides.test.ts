import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { toolsServer } from '../helpers/config.ts';

/** Tests that the selection of a single alert overrides the configuration. */
let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    system: { mcp_selection: 'replace' },
    mcpServers: { more: toolsServer() },
    agents: {
      SearchAgent: {
        llm_provider: 'scripted-google',
        iteration_strategy: 'native-thinking',
        native_tools: { google_search: true, code_execution: true },
        mcp_servers: ['tools'],
      },
    },
    stages: [{ name: 'look', agents: [{ name: 'SearchAgent' }] }],
    chain: { chat: { enabled: true, agent: 'ChatAgent', mcp_servers: ['more'] } },
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());

/**
 * Submits an alert with this selection and asks a question. Returns the tools offered to the agent and in the
 * chat.
 */
async function offered(
  mcp: unknown,
): Promise<{ agent: GenerateRequest; chat: GenerateRequest; shown: unknown }> {
  const before = app.llm.calls.length;
  app.llm.script({ text: 'Full.' }, { text: 'Summary.' }, { text: 'Yes.' });
  const id = await api.submit('Disk trouble', mcp === null ? {} : { mcp });
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Sure?'))).toBe('COMPLETED');
  const { session } = await api.query<{ session: { mcpSelection: unknown } }>(
    'query ($id: ID!) { session(id: $id) { mcpSelection } }',
    { id },
  );
  return {
    agent: app.llm.requests[before]!,
    chat: app.llm.requests[before + 2]!,
    shown: session.mcpSelection,
  };
}

/** Returns the offered tools without TARSy's own tools, which every agent has. */
const tools = ({ tools: list }: GenerateRequest) =>
  list.map(({ name }) => name).filter((name) => !name.startsWith('tarsy.'));
const nativeTools = ({ llmConfig }: GenerateRequest) => llmConfig?.nativeTools;

test('without a selection the configuration applies', async () => {
  const { agent, chat, shown } = await offered(null);
  expect(tools(agent)).toContain('tools.echo');
  expect(tools(agent)).not.toContain('more.echo');
  expect(nativeTools(agent)).toEqual({ google_search: true, code_execution: true, url_context: false });
  expect(tools(chat)).toContain('more.echo');
  expect(tools(chat)).not.toContain('tools.echo');
  expect(shown).toBeNull();
});

test('selected servers and tools replace the configured ones, for agents and questions', async () => {
  const { agent, chat } = await offered({
    servers: [
      { name: 'more', tools: ['echo', 'note'] },
      { name: 'tools', tools: ['fail'] },
    ],
  });
  expect(tools(agent).sort()).toEqual(['more.echo', 'more.note', 'tools.fail']);
  expect(tools(chat).sort()).toEqual(['more.echo', 'more.note', 'tools.fail']);
});

test('named native tools are switched, and the others stay as configured', async () => {
  const { agent, shown } = await offered({
    servers: [{ name: 'tools' }],
    nativeTools: { googleSearch: false, urlContext: true },
  });
  expect(nativeTools(agent)).toEqual({ google_search: false, code_execution: true, url_context: true });
  expect(tools(agent)).toHaveLength(5);
  expect(shown).toMatchObject({
    servers: [{ name: 'tools' }],
    nativeTools: { googleSearch: false, urlContext: true },
  });
});
