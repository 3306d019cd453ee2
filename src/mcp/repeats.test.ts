import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool, hostileServer, isAlive, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { type HttpMcpServer, startHttpMcp } from '../../test/helpers/mcp/http-server.ts';
import { answersOf } from '../../test/helpers/mcp/wild-answers.ts';
import { sendEvents, sendJson, startWildHttp } from '../../test/helpers/mcp/wild-http.ts';
import type { ToolExecutorDeps } from './executor.ts';
import { DEFAULT_TOOL_RULES } from './tool-class.ts';
import type { McpServerSettings, ToolExecutor } from './types.ts';

let folder: string;
let state: string;
let executor: ToolExecutor | null = null;
let server: HttpMcpServer | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-repeats-'));
  state = join(folder, 'state');
});
afterEach(async () => {
  await executor?.close();
  await server?.close();
  executor = null;
  server = null;
  await rm(folder, { recursive: true, force: true });
});

async function open(settings: McpServerSettings, more: Partial<ToolExecutorDeps> = {}) {
  executor = await openExecutor([settings], more);
  return executor;
}
const stateLines = async () => (await readFile(state, 'utf8')).trim().split('\n');
const remote = (url: string, type: 'http' | 'sse' = 'http'): McpServerSettings => ({
  id: 'web',
  rules: { ...DEFAULT_TOOL_RULES, allowChanges: true },
  transport: { type, url: `${url}/${type === 'http' ? 'mcp' : 'sse'}`, bearerToken: 'right' },
});
const NOT_REPEATED = 'The outcome of the call is unknown';

describe('a call that was never sent', () => {
  it('is repeated even if its tool changes things, when the server ended unnoticed', async () => {
    const tools = await open(hostileServer('odd', [], { STATE_FILE: state }));
    await writeFile(state, 'lives\n'); // the tool answers
    const pid = Number((await callTool(tools, 'odd.pid')).content);
    process.kill(pid, 'SIGKILL');
    // Waits without yielding until all threads have ended, so that this process cannot notice the exit meanwhile.
    while (isAlive(pid) || readdirSync(`/proc/${pid}/task`).length > 1);
    const result = await callTool(tools, 'odd.crash');
    expect(result).toMatchObject({ isError: false, content: 'survived call 2' });
    expect(await stateLines()).toEqual(['lives', 'crash']);
  });

  it('is repeated until the HTTP server is back', async () => {
    server = await startHttpMcp('right');
    const refusals: (() => void)[] = [];
    const sink = new Writable({
      write(line: Buffer, _, done) {
        if (line.includes('MCP call retried')) refusals.shift()?.();
        done();
      },
    });
    const tools = await open(remote(server.url), { logger: pino({}, sink) });
    const { url } = server;
    const port = Number(new URL(url).port);
    await server.close();
    server = null;
    // Waits until all idle connections are known to be closed, because a write to one of them may count as sent.
    await expect.poll(() => fetch(url).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED');
    const waits = [1, 2, 3].map(() => new Promise<void>((resolve) => refusals.push(resolve)));
    const call = callTool(tools, 'web.note', { text: 'kept' }, { timeoutMs: 20_000 });
    await Promise.all(waits);
    server = await startHttpMcp('right', undefined, { port });
    expect(await call).toMatchObject({ isError: false, content: 'noted: kept' });
  });
});

describe('a call that may have reached its tool, on a server that declares nothing of any tool', () => {
  it('is repeated once when the connection breaks', async () => {
    const tools = await open(hostileServer('odd', ['--unannotated'], { STATE_FILE: state }));
    const [tool] = (await tools.listTools()).filter(({ name }) => name === 'odd.crash');
    expect(tool).toMatchObject({ toolClass: 'undeclared', repeatable: false });
    const result = await callTool(tools, 'odd.crash');
    expect(result).toMatchObject({ isError: false, content: 'survived call 2' });
    expect(await stateLines()).toEqual(['crash', 'crash']);
  });

  it('has an unknown outcome when the connection breaks again', async () => {
    const tools = await open(hostileServer('odd', ['--unannotated']));
    expect((await callTool(tools, 'odd.crash')).content).toContain(`exited with code 3. ${NOT_REPEATED}`);
  });

  it('is not repeated when the operator declares that the tool changes things', async () => {
    const settings = hostileServer('odd', ['--unannotated'], { STATE_FILE: state });
    const rules = { ...DEFAULT_TOOL_RULES, allowChanges: true, changingTools: ['crash'] };
    const tools = await open({ ...settings, rules });
    expect((await callTool(tools, 'odd.crash')).content).toContain(NOT_REPEATED);
    expect(await stateLines()).toEqual(['crash']);
  });

  it('is not repeated when its answer was too large', async () => {
    const tools = await open(hostileServer('odd', ['--unannotated'], { STATE_FILE: state }));
    const { content } = await callTool(tools, 'odd.huge', { size: 11 * 1024 * 1024 });
    expect(content).toContain('more than 10 MiB in one message');
    expect(content).toContain(NOT_REPEATED);
    expect(await stateLines()).toEqual(['huge']);
  });

  it.each(['http', 'sse'] as const)('is not repeated when its answer over %s was too large', async (type) => {
    let calls = 0;
    const createMcp = () => {
      const mcp = new McpServer({ name: 'undeclared', version: '1.0.0' });
      mcp.registerTool('dump', {}, () => {
        calls += 1;
        return { content: [{ type: 'text', text: 'd'.repeat(11 * 1024 * 1024) }] };
      });
      return mcp;
    };
    server = await startHttpMcp('right', undefined, { createMcp });
    const tools = await open(remote(server.url, type));
    const { content } = await callTool(tools, 'web.dump');
    expect(content).toContain(`more than 10 MiB in one message. ${NOT_REPEATED}`);
    expect(calls).toBe(1);
  });

  it.each([
    ['is repeated once when an HTTP server ends its answer too early', [], 'gone well', 2],
    [
      'is not repeated when an HTTP server floods this client',
      Array(6_000).fill({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data: 1 },
      }),
      `Tool web.go failed: the server sent too many messages. ${NOT_REPEATED}`,
      1,
    ],
  ])('%s', async (_, first: unknown[], content, expected) => {
    let calls = 0;
    const wild = await startWildHttp(({ request, response, message }) => {
      if (message.method === 'tools/call') calls += 1;
      const [answer] = answersOf({}, message);
      if (message.method === 'tools/call') sendEvents(response, calls === 1 ? first : [answer]);
      else if (request.method !== 'POST') response.writeHead(405).end();
      else if (answer === undefined) response.writeHead(202).end();
      else sendJson(response, answer);
    });
    const tools = await open({ ...remote(''), transport: { type: 'http', url: wild.url } });
    expect((await callTool(tools, 'web.go')).content).toContain(content);
    expect(calls).toBe(expected);
    await wild.close();
  });

  it('is not repeated when a proxy answered for the server', async () => {
    const createMcp = () => {
      const mcp = new McpServer({ name: 'undeclared', version: '1.0.0' });
      mcp.registerTool('note', {}, () => ({ content: [{ type: 'text', text: 'noted' }] }));
      return mcp;
    };
    server = await startHttpMcp('right', undefined, { createMcp });
    const tools = await open(remote(server.url));
    server.forget(503);
    expect((await callTool(tools, 'web.note')).content).toContain(`HTTP status 503. ${NOT_REPEATED}`);
    expect((await callTool(tools, 'web.note')).content).toBe('noted');
  });
});

it.each([
  ['its server declares that this is safe', 'crash_idempotent', []],
  ['its server declares nothing of any tool', 'crash', ['--unannotated']],
])('a call that needed approval is not repeated, although %s', async (_, tool, args) => {
  const settings = hostileServer('odd', args, { STATE_FILE: state });
  const terms = { approvals: 1, expiresMs: 60_000, denyUntrusted: false, dryRun: null };
  const policy = [{ tools: ['crash*'], action: 'ask' as const, ...terms }];
  const tools = await open({ ...settings, rules: { ...DEFAULT_TOOL_RULES, policy } });
  const call = { id: 'call-1', name: `odd.${tool}`, arguments: '{}' };
  const { signal } = new AbortController();
  const result = await tools.execute(call, { signal, timeoutMs: 10_000, approved: true });
  expect(result.content).toContain(NOT_REPEATED);
  expect(await stateLines()).toEqual([tool]);
});

describe.each(['http', 'sse'] as const)('a call that was answered with an error, over %s', (type) => {
  it.each([
    'resized, but its old flavor does not exist (HTTP 404)',
    'the volume is in use (HTTP 400) (Request-ID: req-1)',
    'Error POSTing to endpoint (HTTP 404): a server behind this one lost its session',
  ])('is not repeated, whatever status its message mentions: %s', async (message) => {
    let calls = 0;
    const createMcp = () => {
      const mcp = new McpServer({ name: 'relay', version: '1.0.0' });
      mcp.registerTool('resize', { annotations: { destructiveHint: true } }, () => ({ content: [] }));
      mcp.server.setRequestHandler(CallToolRequestSchema, () => {
        calls += 1;
        throw new Error(message);
      });
      return mcp;
    };
    server = await startHttpMcp('right', undefined, { createMcp });
    const tools = await open(remote(server.url, type));
    expect(await callTool(tools, 'web.resize')).toMatchObject({
      isError: true,
      content: expect.stringContaining(message),
    });
    expect(calls).toBe(1);
  });
});
