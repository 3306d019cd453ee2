import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import {
  defaultServers,
  monitoredServers,
  selectableNativeTools,
  selectableServers,
} from './server-selection.ts';

const SERVERS = `
mcp_servers:
  own: { transport: { type: http, url: "http://127.0.0.1:1/mcp" } }
  spare: { transport: { type: http, url: "http://127.0.0.1:1/mcp" } }
`;

test('monitors a built-in server only if the default alert type uses it', async () => {
  expect(monitoredServers(await loadText('{}'))).toEqual(['host']);
  expect(monitoredServers(await loadText('defaults: { alert_type: kubernetes }'))).toEqual([
    'changes',
    'kubernetes-server',
  ]);
});

test('monitors servers defined in a file and servers used by its chains', async () => {
  expect(monitoredServers(await loadText(SERVERS))).toEqual(['host', 'own', 'spare']);
  const config = await loadText(`${SERVERS}
agent_chains:
  mine: { alert_types: [mine], stages: [{ name: one, agents: [{ name: KubernetesAgent }] }] }
  host: { alert_types: [host], chat: { enabled: false }, stages: [{ name: one, agents: [{ name: ChatAgent }] }] }
`);
  expect(monitoredServers(config)).toEqual(['changes', 'kubernetes-server', 'own', 'spare']);
});

test("monitors a chat's servers unless chat is off", async () => {
  const chain = (chat: string) => `
agent_chains:
  host:
    alert_types: [host]
    chat: { enabled: ${chat}, mcp_servers: [kubernetes-server] }
    stages: [{ name: one, agents: [{ name: HostAgent }] }]
`;
  expect(monitoredServers(await loadText(chain('true')))).toEqual(['host', 'kubernetes-server']);
  expect(monitoredServers(await loadText(chain('false')))).toEqual(['host']);
});

test("returns an alert type's servers in the order of the stages", async () => {
  const config = await loadText(`${SERVERS}
agents:
  A: { mcp_servers: [spare, host] }
agent_chains:
  mine:
    alert_types: [mine]
    stages:
      - { name: one, agents: [{ name: HostAgent }, { name: A }] }
      - { name: two, agents: [{ name: A, mcp_servers: [own] }] }
`);
  expect(defaultServers(config, 'mine')).toEqual(['host', 'spare', 'own']);
  expect(defaultServers(config, null)).toEqual(['host']);
  expect(defaultServers(config, 'other')).toBeNull();
});

test("an alert selects from its chain's servers, unless mcp_selection is replace", async () => {
  const chain = `${SERVERS}
agents:
  A: { mcp_servers: [spare] }
agent_chains:
  mine:
    alert_types: [mine]
    chat: { mcp_servers: [own] }
    stages: [{ name: one, agents: [{ name: HostAgent }, { name: A }] }]
`;
  const config = await loadText(chain);
  expect(selectableServers(config, 'mine')).toEqual(['host', 'spare', 'own']);
  expect(selectableServers(config, 'other')).toBeNull();
  const open = await loadText(`${chain}system: { mcp_selection: replace }\n`);
  expect(selectableServers(open, 'mine')).toEqual(expect.arrayContaining(['kubernetes-server', 'own']));
});

test('an alert may switch on native tools that an agent of its chain has, unless mcp_selection is replace', async () => {
  const chain = (chat: string) => `
agents:
  A: { llm_provider: google-default, native_tools: { url_context: true } }
  B: { llm_provider: google-default, native_tools: { google_search: true } }
agent_chains:
  mine:
    alert_types: [mine]
    chat: { enabled: ${chat}, agent: B }
    stages: [{ name: one, agents: [{ name: A }, { name: HostAgent }] }]
`;
  const env = { GOOGLE_API_KEY: 'a-key-of-a-test' };
  const tools = async (yaml: string, type = 'mine') => selectableNativeTools(await loadText(yaml, env), type);
  expect(await tools(chain('true'))).toEqual(['google_search', 'url_context']);
  expect(await tools(chain('false'))).toEqual(['url_context']);
  expect(await tools(chain('true'), 'host')).toEqual([]);
  expect(await tools(chain('true'), 'other')).toEqual([]);
  const open = `${chain('false')}system: { mcp_selection: replace }\n`;
  expect(await tools(open, 'host')).toEqual(['google_search', 'code_execution', 'url_context']);
});
