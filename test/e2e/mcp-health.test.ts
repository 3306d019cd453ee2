import { afterEach, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { hostileServer } from '../helpers/mcp/executor.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';

const TOKEN = 'tok-planted-9f8e7d6c5b';
const SYSTEM = { mcp_health: { interval: '100ms', timeout: '2s' } };

let web: HttpMcpServer | null = null;
let app: TestApp | null = null;

afterEach(async () => {
  await app?.stop();
  await web?.close();
  app = null;
  web = null;
});

interface Server {
  id: string;
  healthy: boolean;
  lastCheckedAt: string | null;
  error: string | null;
  tools: { name: string; description: string | null; inputSchema: object }[];
}
interface Warning {
  id: string;
  category: string;
  message: string;
  details: string | null;
  serverId: string | null;
  createdAt: string;
}
interface System {
  mcpServers: Server[];
  systemWarnings: Warning[];
}

const QUERY = `{
  mcpServers { id healthy lastCheckedAt error tools { name description inputSchema } }
  systemWarnings { id category message details serverId createdAt }
}`;

/**
 * Resolves with the API's view of a server once it is checked and has this health and error. A busy machine may exceed the
 * time limit of a check, so that the error of the first check may be another one.
 */
async function server(
  api: ApiClient,
  id: string,
  expected: { healthy: boolean; error?: RegExp },
): Promise<Server> {
  const seen: Server[] = [];
  const look = async () => {
    const { mcpServers } = await api.query<System>(QUERY);
    seen.push(mcpServers.find((one) => one.id === id)!);
    return seen.at(-1);
  };
  const { healthy, error } = expected;
  await expect.poll(look).toMatchObject({
    ...{ healthy, lastCheckedAt: expect.any(String) },
    ...(error && { error: expect.stringMatching(error) }),
  });
  return seen.at(-1)!;
}

const healthy = { healthy: true };
const failed = (error: RegExp) => ({ healthy: false, error });
const warnings = async (api: ApiClient) => (await api.query<System>(QUERY)).systemWarnings;
const warningsOf = async (api: ApiClient, id: string) =>
  (await warnings(api)).filter(({ serverId }) => serverId === id);

test('a server that fails raises a warning, which is removed when it recovers', {
  timeout: 60_000,
}, async () => {
  web = await startHttpMcp(TOKEN);
  const { url } = web;
  const transport = { type: 'http', url: `${url}/mcp`, bearer_token: TOKEN };
  app = await startTestApp({ system: SYSTEM, mcpServers: { web: { transport } } });
  const api = apiClient(app.url);
  const well = await server(api, 'web', healthy);
  expect(well.error).toBeNull();
  expect(well.tools.map(({ name }) => name)).toEqual(['echo', 'note', 'huge']);
  expect(well.tools[0]).toMatchObject({
    description: null,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  });
  expect(await warningsOf(api, 'web')).toEqual([]);

  await web.close();
  const away = await server(api, 'web', failed(/ECONNREFUSED/)); // the first check may meet a connection that ends
  expect(away.tools).toEqual(well.tools);
  await expect
    .poll(() => warningsOf(api, 'web'))
    .toMatchObject([
      {
        ...{ category: 'mcp_health', serverId: 'web', details: away.error },
        message: expect.stringContaining('MCP server "web"'),
      },
    ]);

  web = await startHttpMcp(TOKEN, undefined, { port: Number(new URL(url).port) });
  expect(await server(api, 'web', healthy)).toEqual({
    ...well,
    lastCheckedAt: expect.stringMatching(/Z$/) as string,
  });
  await expect.poll(() => warningsOf(api, 'web')).toEqual([]);
});

test('start-up continues while servers hang or fail, and shows none of their secrets', {
  timeout: 60_000,
}, async () => {
  const failing = (args: string[]) => {
    const { command, args: all, env } = stdio(args);
    return { transport: { type: 'stdio', command, args: all, env: { ...env, API_KEY: TOKEN } } };
  };
  app = await startTestApp({
    system: SYSTEM,
    defaults: { timeouts: { mcp_init: '5s' } },
    mcpServers: {
      hangs: failing(['--hang-init']),
      exits: failing(['--exit-init']),
      missing: { transport: { type: 'stdio', command: '/no/such/command', args: ['--token', TOKEN] } },
      refuses: failing(['--refuse-list']),
    },
  });
  const api = apiClient(app.url);
  await server(api, 'hangs', failed(/^no answer within 5 s$/));
  await server(api, 'exits', failed(/^the server exited with code 7$/));
  await server(api, 'missing', failed(/could not be started/));
  await server(api, 'refuses', failed(/cannot list/));
  expect((await server(api, 'tools', healthy)).tools.map(({ name }) => name)).toContain('echo');
  await expect.poll(() => warnings(api)).toHaveLength(4);
  const shown = JSON.stringify(await api.query<System>(QUERY));
  expect(shown).not.toContain(TOKEN);
  expect(shown).not.toContain('hunter2');
});

test('unused built-in servers are listed but not started', async () => {
  app = await startTestApp({ system: SYSTEM });
  const api = apiClient(app.url);
  await server(api, 'tools', healthy);
  const { mcpServers } = await api.query<System>(QUERY);
  expect(mcpServers.map(({ id }) => id).sort()).toEqual(['changes', 'host', 'kubernetes-server', 'tools']);
  expect(mcpServers.find(({ id }) => id === 'kubernetes-server')).toEqual({
    id: 'kubernetes-server',
    healthy: false,
    lastCheckedAt: null,
    error: expect.stringContaining('not used by any configured chain') as string,
    tools: [],
  });
});

test('an alert type’s default tools are those of its chain', async () => {
  app = await startTestApp({ system: SYSTEM });
  const api = apiClient(app.url);
  await server(api, 'tools', healthy);
  const ask = (args: string) =>
    api.query<{ defaultTools: Server[] }>(`{ defaultTools${args} { id healthy tools { name } } }`);
  const names = async (args: string) =>
    (await ask(args)).defaultTools.map(({ id, tools }) => [id, tools.map(({ name }) => name)]);
  const tools = ['tools', ['echo', 'count_lines', 'note', 'fail', 'hang']];
  expect(await names('')).toEqual([tools]);
  expect(await names('(alertType: "test")')).toEqual([tools]);
  expect(await names('(alertType: "kubernetes")')).toEqual([
    ['changes', []],
    ['kubernetes-server', []],
  ]);
  await expect(ask('(alertType: "nope")')).rejects.toThrow('BAD_USER_INPUT');
});

function stdio(args: string[]) {
  const { transport } = hostileServer('any', args);
  if (transport.type !== 'stdio') throw new Error('a hostile server runs over stdio');
  return transport;
}
