import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { approvalsOf, decide } from '../helpers/approvals.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let app: TestApp;
let store: HttpMcpServer;
afterEach(async () => {
  await app.stop();
  await store.close();
});

/** Creates a server whose tool `clear` passes its arguments to `called`, and knows no volume-9. */
function createStore(called: (args: object) => void): McpServer {
  const server = new McpServer({ name: 'store', version: '1.0.0' });
  const inputSchema = { volume: z.string(), dry_run: z.boolean().optional() };
  server.registerTool('clear', { description: 'Clears a volume', inputSchema }, (args) => {
    called(args);
    const isError = args.volume === 'volume-9';
    const text = isError ? 'no such volume' : `would clear ${args.volume}`;
    return { content: [{ type: 'text', text }], isError };
  });
  return server;
}

const dryRuns = async (api: ApiClient) => {
  const { pendingApprovals } = await api.query<{ pendingApprovals: { dryRun: string | null }[] }>(
    '{ pendingApprovals { dryRun } }',
  );
  return pendingApprovals.map(({ dryRun }) => dryRun);
};

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

test('shows the dry run of each call once, and refuses an approved call whose tool has changed', async () => {
  const calls: object[] = [];
  const token = randomUUID();
  const called = (args: object) => calls.push(args);
  store = await startHttpMcp(token, undefined, { createMcp: () => createStore(called) });
  const transport = { type: 'http', url: `${store.url}/mcp`, bearer_token: token };
  app = await startTestApp({
    mcpServers: { store: { transport, policy: [{ tools: ['clear'], action: 'ask', dry_run: 'dry_run' }] } },
    agents: { TestAgent: { mcp_servers: ['store'] } },
  });
  const api = apiClient(app.url);
  const clear = (volume: string, id: string) => toolCall('store.clear', { volume }, id);
  app.llm.script(
    [{ text: 'x'.repeat(2_001) }, clear('volume-4', 'a'), clear('volume-9', 'b'), clear('volume-5', 'b')],
    { text: 'Done.' },
    { text: 'Summary.' },
  );
  const id = await api.submit('Volumes are full');
  await api.waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
  const approvals = await approvalsOf(api, id);
  expect(approvals.map(({ arguments: { volume } }) => volume)).toEqual(['volume-4', 'volume-9']);
  expect(approvals[0]!.reason).toBe('x'.repeat(2_000));
  expect(await dryRuns(api)).toEqual(['would clear volume-4', 'Failed: no such volume']);
  const sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  await sql.query(`update approvals set schema_hash = 'of an earlier schema'`);
  await sql.end();
  for (const approval of approvals) expect(await decide(api, approval, true)).toBe('APPROVED');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  for (const { status, errorMessage } of await approvalsOf(api, id))
    expect([status, errorMessage]).toEqual(['FAILED', 'its tool has changed since approval was requested']);
  expect(calls).toHaveLength(2); // the dry runs
});
