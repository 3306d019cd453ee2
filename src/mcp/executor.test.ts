import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  callTool,
  hostileServer,
  hostServer,
  isAlive,
  openExecutor,
} from '../../test/helpers/mcp/executor.ts';
import { startHttpMcp } from '../../test/helpers/mcp/http-server.ts';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import type { McpServerSettings, ToolExecutor } from './types.ts';

let both: ToolExecutor;

beforeAll(async () => {
  process.env.TARSY_TEST_SECRET = 'never-to-be-seen';
  const maskResult = (_: string, text: string) => text.replaceAll('hunter2', '***');
  both = await openExecutor(
    [hostServer, hostileServer('odd', ['--garbage', '--stderr'], { OF_ITS_OWN: 'yes' })],
    {
      maskResult,
    },
  );
});

afterAll(async () => {
  await both.close();
  delete process.env.TARSY_TEST_SECRET;
});

describe('tools', () => {
  it('are listed by server with their annotations', async () => {
    const tools = await both.listTools();
    expect(tools[0]).toMatchObject({ name: 'host.disk_usage', toolClass: 'reads', repeatable: true });
    expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', properties: { path: { type: 'string' } } });
    expect(tools.find((tool) => tool.name === 'odd.crash')).toMatchObject({
      toolClass: 'changes',
      repeatable: false,
    });
    expect(tools.find((tool) => tool.name === 'odd.crash_idempotent')).toMatchObject({
      toolClass: 'changes',
      repeatable: true,
    });
    expect(both.unavailableServers().size).toBe(0);
  });

  it.each(['host.disk_usage', 'host__disk_usage'])('are callable as %s', async (name) => {
    const result = await callTool(both, name, { path: '/' });
    const root = await statfs('/');
    expect(result).toMatchObject({
      isError: false,
      serverName: 'host',
      toolName: 'disk_usage',
      arguments: { path: '/' },
    });
    expect(result.content).toContain(`${((root.blocks * root.bsize) / 1024 ** 3).toFixed(1)} GiB`);
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it('accept arguments that are not JSON', async () => {
    const call = { id: '1', name: 'odd.echo', arguments: 'text: hello, world\nlines=5' };
    const result = await both.execute(call, { signal: AbortSignal.timeout(10_000), timeoutMs: 10_000 });
    expect(JSON.parse(result.content)).toEqual({ text: 'hello, world', lines: 5 });
  });

  it('report a structured answer that does not match the output schema', async () => {
    expect((await callTool(both, 'odd.count', { text: 'right' })).content).toBe('{\n  "count": 3\n}');
    const wrong = await callTool(both, 'odd.count', { text: 'wrong' });
    expect(wrong).toMatchObject({ isError: false });
    expect(wrong.content).toContain('"count": "many"');
    expect(wrong.content).toContain("does not match the tool's output schema:\n- count must be integer");
  });

  it('are not called with invalid arguments, and the result lists the problems', async () => {
    expect(await callTool(both, 'odd.echo', { text: 5 })).toMatchObject({
      isError: true,
      content: 'Invalid arguments for tool echo; it was not called:\n- text must be string',
      arguments: { text: 5 },
    });
  });

  it('run in parallel', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => callTool(both, 'odd.echo', { index })),
    );
    expect(results.map((result) => JSON.parse(result.content).index)).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
  });
});

describe('unknown names', () => {
  it.each([
    ['host.nothing', 'host', 'nothing'],
    ['nobody.disk_usage', 'nobody', 'disk_usage'],
    ['disk_usage', '', ''],
    ['a.b.c', '', ''],
  ])('%s: the result lists the available tools', async (name, serverName, toolName) => {
    const result = await callTool(both, name);
    expect(result).toMatchObject({ isError: true, serverName, toolName, arguments: null });
    expect(result.content).toContain(`Unknown tool "${name}"`);
    expect(result.content).toContain('host.disk_usage, ');
    expect(result.content).toContain('odd.echo');
  });
});

describe('results', () => {
  it('contain the masked failure of a tool', async () => {
    expect(await callTool(both, 'odd.fail')).toMatchObject({
      isError: true,
      content: 'it failed: password=***',
    });
    const refused = await callTool(both, 'odd.protocol_error');
    expect(refused.isError).toBe(true);
    expect(refused.content).toMatch(/^Tool odd\.protocol_error failed: .*refused: password=\*\*\*$/);
    expect((await callTool(both, 'host.tail_log', {})).content).toContain(
      'Invalid arguments for tool tail_log',
    );
  });

  it('are text that a database can store', async () => {
    expect((await callTool(both, 'odd.nul')).content).toBe('a\u{FFFD}b\u{FFFD}c');
    expect((await callTool(both, 'odd.structured')).content).toBe('{\n  "answer": 42\n}');
    expect((await callTool(both, 'odd.mixed')).content.split('\n')).toEqual([
      'one',
      '[image image/png, 3 bytes]',
      '[resource file:///a]',
      'inside',
      '[resource b file:///b]',
      '[content of type hologram]',
      '42',
    ]);
  });

  it('are truncated at the limit, with a note', async () => {
    const { content, isError } = await callTool(both, 'odd.huge');
    expect(isError).toBe(false);
    expect(content).toMatch(/^z{100000}\n\[… cut: 4900000 of 5000000 characters left out\]$/);
  });

  it('are withheld when masking fails', async () => {
    const executor = await openExecutor([hostileServer('odd')], {
      maskResult: () => {
        throw new Error('broken mask');
      },
    });
    try {
      const result = await callTool(executor, 'odd.echo', { text: 'hunter2' });
      expect(result).toMatchObject({ isError: true, content: '[the result is withheld: masking it failed]' });
    } finally {
      await executor.close();
    }
  });
});

it('passes a server only the environment variables that its settings name', async () => {
  const env = JSON.parse((await callTool(both, 'odd.env')).content);
  expect(env).toMatchObject({ OF_ITS_OWN: 'yes', PATH: process.env.PATH });
  const allowed = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'OF_ITS_OWN', 'TARSY_MCP_PROCESS'];
  expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
});

describe('selection', () => {
  let executor: ToolExecutor | null = null;
  afterEach(async () => {
    await executor?.close();
    executor = null;
  });

  it('excludes tools that are not selected', async () => {
    const servers = [{ name: 'odd', tools: ['echo', 'no_such_tool'] }];
    executor = await openExecutor([hostileServer('odd'), hostileServer('other')], { selection: { servers } });
    expect((await executor.listTools()).map((tool) => tool.name)).toEqual(['odd.echo']);
    const filtered = await callTool(executor, 'odd.pid');
    expect(filtered).toMatchObject({
      isError: true,
      content: 'Unknown tool "odd.pid".  Available tools: odd.echo.'.replace('  ', ' '),
    });
    expect((await callTool(executor, 'other.echo')).isError).toBe(true);
  });

  it('offers no tools for an empty list', async () => {
    executor = await openExecutor([hostileServer('odd')], {
      selection: { servers: [{ name: 'odd', tools: [] }] },
    });
    expect(await executor.listTools()).toEqual([]);
  });

  it('offers tools up to the limits, and those called or found later', async () => {
    const limits = {
      initTimeoutMs: 10_000,
      maxResultChars: 1000,
      maxTools: 10,
      maxToolUnits: 80_000,
    };
    executor = await openExecutor([hostileServer('odd')], {
      limits,
      maskResult: (_, text) => text.replaceAll('nul', '***'),
    });
    const { listTools } = executor;
    const names = async () => (await listTools()).map(({ name }) => name);
    expect(await names()).toHaveLength(8);
    expect(await names()).not.toContain('odd.nul');
    expect((await callTool(executor, 'odd.pid')).isError).toBe(false);
    expect(await names()).toContain('odd.pid');
    const found = await callTool(executor, 'tarsy__find_tools', { query: 'NUL please' });
    expect(found).toMatchObject({ isError: false, serverName: 'tarsy', toolName: 'find_tools' });
    expect(found.content).toContain('- odd.nul: does ***\n  Arguments');
    expect(await names()).toHaveLength(10);
    const none = await callTool(executor, 'tarsy.find_tools', { query: 'weather' });
    expect(none.content).toMatch(/^No tool has one of these words.*odd\.nul/);
    expect((await callTool(executor, 'tarsy.find_tools', {})).content).toMatch(/^No tool/);
  });

  it('offers the usable tools of a broken list', async () => {
    executor = await openExecutor([hostileServer('odd', ['--odd-tools', '--endless-pages'])]);
    const tools = await executor.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.every((name) => /^odd\.[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
    const find = (name: string) => tools.find((tool) => tool.name === name);
    for (const name of ['odd.no_schema', 'odd.array_schema'])
      expect(find(name)?.inputSchema).toEqual({ type: 'object', properties: {} });
    for (const name of ['odd.deep_schema', 'odd.huge_schema']) {
      expect(find(name)?.inputSchema).toMatchObject({ type: 'object' });
      expect(JSON.stringify(find(name)?.inputSchema).length).toBeLessThan(32_000);
    }
    expect(find('odd.deep_schema')?.inputSchema).toMatchObject({ properties: { a: { type: 'object' } } });
    expect(find('odd.long_text')?.description.length).toBeLessThan(4_100);
    expect(find('odd.odd_hints')).toMatchObject({ toolClass: 'changes', repeatable: false });
    expect((await callTool(executor, 'odd.odd_hints', { a: 1 })).isError).toBe(false);
  });
});

it('offers tools that a server adds while it lists the others', async () => {
  const executor = await openExecutor([hostileServer('odd', ['--grows-while-listing'])]);
  const names = async () => (await executor.listTools()).map(({ name }) => name);
  await expect.poll(names, { timeout: 20_000 }).toContain('odd.new_one');
  await executor.close();
});

it('offers tools that a server adds later', async () => {
  const executor = await openExecutor([hostileServer('odd')]);
  const names = async () => (await executor.listTools()).map(({ name }) => name);
  try {
    expect(await names()).not.toContain('odd.new_one');
    await callTool(executor, 'odd.grow');
    await expect.poll(names, { timeout: 30_000 }).toContain('odd.new_one');
    expect((await callTool(executor, 'odd.new_one', { text: 'a' })).content).toBe('{"text":"a"}');
  } finally {
    await executor.close();
  }
});

it('does not wait for a server known to be unavailable, and offers its tools once it is available', async () => {
  const server = await startHttpMcp('right');
  const silent = createServer();
  const port = await listenOn(silent);
  const remote = (id: string, url: string): McpServerSettings => ({
    id,
    transport: { type: 'http', url: `${url}/mcp`, bearerToken: 'right' },
  });
  const servers = [remote('back', server.url), remote('gone', `http://127.0.0.1:${port}`)];
  const knownUnavailable = async () =>
    new Map([
      ['back', 'was away'],
      ['gone', 'is away'],
    ]);
  const executor = await openExecutor(servers, { knownUnavailable });
  try {
    // Waiting for the server that never answers would have taken ten seconds.
    expect([...executor.unavailableServers().keys()]).toContain('gone');
    await expect
      .poll(async () => (await executor.listTools()).map(({ name }) => name))
      .toContain('back.echo');
    expect(Object.fromEntries(executor.unavailableServers())).toEqual({ gone: 'is away' });
    expect((await callTool(executor, 'back.echo', { text: 'joined' })).content).toBe('joined');
  } finally {
    await executor.close();
    await server.close();
    silent.close();
  }
});

it('ends at close and refuses later calls', async () => {
  const executor = await openExecutor([hostileServer('odd')]);
  const pid = Number((await callTool(executor, 'odd.pid')).content);
  expect(isAlive(pid)).toBe(true);
  await Promise.all([executor.close(), executor.close()]);
  expect(isAlive(pid)).toBe(false);
  expect((await callTool(executor, 'odd.pid')).isError).toBe(true);
});
