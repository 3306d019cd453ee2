import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Tests MCP servers with more tools than a model can be offered at once. */
const SERVER = fileURLToPath(new URL('../helpers/mcp/many-tools-server.ts', import.meta.url));

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  const server = (...args: string[]) => ({
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', SERVER, ...args],
    },
  });
  app = await startTestApp({
    mcpServers: { big: server('300', 'certificate_expiry', 'quota_left'), small: server('2') },
    agents: {
      TestAgent: { mcp_servers: ['big', 'small'] },
      TextAgent: { mcp_servers: ['big', 'small'], iteration_strategy: 'react' },
    },
    stages: [
      { name: 'calls', agents: [{ name: 'TestAgent' }] },
      { name: 'text', agents: [{ name: 'TextAgent' }] },
    ],
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());

const RESULTS = `query ($id: ID!) { session(id: $id) {
  timeline(types: [LLM_TOOL_CALL]) { status content }
  trace { stages { executions { mcpInteractions { serverName toolName availableTools result } } } } } }`;
interface Results {
  session: {
    timeline: { status: string; content: string }[];
    trace: { stages: { executions: { mcpInteractions: Listing[] }[] }[] };
  };
}
interface Listing {
  serverName: string;
  toolName: string | null;
  availableTools: unknown[] | null;
  result: { leftOut?: { name: string; reason: string }[] } | null;
}

test('a model finds tools that do not fit its list', { timeout: 60_000 }, async () => {
  app.llm.route(
    'the agent TestAgent',
    toolCall('tarsy.find_tools', { query: 'quota' }),
    toolCall('big.quota_left', {}),
    { text: 'The quota is 1.' },
  );
  app.llm.route(
    'the agent TextAgent',
    { text: 'Thought: look\nAction: tarsy.find_tools\nAction Input: {"query": "quota"}' },
    { text: 'Thought: there\nAction: big.quota_left\nAction Input: {}' },
    { text: 'Thought: done\nFinal Answer: The quota is 1.' },
  );
  app.llm.otherwise({ text: 'In short: 1.' });
  const id = await api.submit('A certificate expires soon');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });

  const [first, second, third] = app.llm.requests;
  const names = first!.tools.map(({ name }) => name);
  expect(names.length).toBeLessThanOrEqual(128);
  expect(names).toEqual(
    expect.arrayContaining([
      'tarsy.find_tools',
      'small.metric_0',
      'small.metric_1',
      'big.certificate_expiry',
    ]),
  );
  expect(names).not.toContain('big.quota_left');
  expect(first!.messages[0]?.content).toMatch(/## More tools\n\n.*find_tools.*big \(\d+\)/);
  expect(second!.tools.map(({ name }) => name)).toEqual(names.toSpliced(-4, 0, 'big.quota_left'));
  expect(second!.messages.at(-1)?.content).toContain('big.quota_left: Shows quota left');
  expect(third!.messages.at(-1)?.content).toContain('quota_left is 1');

  const { session } = await api.query<Results>(RESULTS, { id });
  expect(session.timeline.map(({ status }) => status)).toEqual(Array(4).fill('COMPLETED'));
  expect(session.timeline[3]?.content).toBe('quota_left is 1');
  const listings = session.trace.stages[0]!.executions[0]!.mcpInteractions.filter(
    ({ toolName }) => toolName === null,
  );
  const big = listings.find(({ serverName }) => serverName === 'big')!;
  expect(big.availableTools!.length + big.result!.leftOut!.length).toBe(302);
  expect(big.result!.leftOut!.find(({ name }) => name === 'quota_left')?.reason).toContain('find_tools');
});
