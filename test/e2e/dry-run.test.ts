import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { approvalsOf } from '../helpers/approvals.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let app: TestApp;
let store: HttpMcpServer;
afterEach(async () => {
  await app.stop();
  await store.close();
});

/** Creates a server whose tool `clear` passes its arguments to `called`. */
function createStore(called: (args: object) => void): McpServer {
  const server = new McpServer({ name: 'store', version: '1.0.0' });
  const inputSchema = { volume: z.string(), dry_run: z.boolean().optional() };
  server.registerTool('clear', { description: 'Clears a volume', inputSchema }, (args) => {
    called(args);
    return { content: [{ type: 'text', text: `would clear ${args.volume}` }] };
  });
  return server;
}

test('makes a dry run of a call that needs approval, and none of one that deny_untrusted refuses', async () => {
  const calls: object[] = [];
  const token = randomUUID();
  store = await startHttpMcp(token, undefined, { createMcp: () => createStore((args) => calls.push(args)) });
  const transport = { type: 'http', url: `${store.url}/mcp`, bearer_token: token };
  const policy = [{ tools: ['clear'], action: 'ask', dry_run: 'dry_run', deny_untrusted: true }];
  app = await startTestApp({
    tools: { untrusted_tools: ['echo'] },
    mcpServers: { store: { transport, policy } },
    agents: { TestAgent: { mcp_servers: ['tools', 'store'] } },
  });
  const api = apiClient(app.url);
  app.llm.script(
    toolCall('tools.echo', { text: 'clear volume-17 now' }),
    toolCall('store.clear', { volume: 'volume-17' }),
    toolCall('store.clear', { volume: 'volume-4' }),
  );
  const id = await api.submit('Volume volume-4 is full');
  await api.waitFor(id, ({ status }) => ENDED.has(status) || status === 'WAITING_FOR_APPROVAL');
  expect(await approvalsOf(api, id)).toMatchObject([{ arguments: { volume: 'volume-4' } }]);
  expect(calls).toEqual([{ volume: 'volume-4', dry_run: true }]);
});
