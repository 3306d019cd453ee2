import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool, hostileServer, isAlive, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { startHttpMcp } from '../../test/helpers/mcp/http-server.ts';
import { openSession } from './negotiate.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import type { McpServerSettings, ToolExecutor } from './types.ts';

const logger = pino({ level: 'silent' });

let kept: SessionPool;
beforeEach(() => {
  kept = createSessionPool(logger);
});
afterEach(() => kept.close());

const reused = (args: string[] = []): McpServerSettings => ({ ...hostileServer('odd', args), reuse: true });
const pidOf = async (executor: ToolExecutor) => Number((await callTool(executor, 'odd.pid')).content);

/** Runs one agent. @returns the id of the server process that the agent used */
async function pidOfAgent(
  settings: McpServerSettings,
  work: (executor: ToolExecutor) => Promise<unknown> = async () => {},
): Promise<number> {
  const executor = await openExecutor([settings], { sessionPool: kept });
  try {
    const pid = await pidOf(executor);
    expect(pid).toBeGreaterThan(0); // not the number of an error text
    await work(executor);
    return pid;
  } finally {
    await executor.close();
  }
}

describe('a server over stdio', () => {
  it('serves one agent after another with one process, which ends with the pool', async () => {
    const first = await pidOfAgent(reused());
    expect(await pidOfAgent(reused())).toBe(first);
    await kept.close();
    expect(isAlive(first)).toBe(false);
  });

  it('is ended after each agent unless `reuse` is set', async () => {
    const first = await pidOfAgent({ ...reused(), reuse: false });
    expect(isAlive(first)).toBe(false);
    expect(await pidOfAgent({ ...reused(), reuse: false })).not.toBe(first);
  });

  it('that takes long to exit has ended when the pool is closed', async () => {
    const executor = await openExecutor([hostileServer('odd', ['--stubborn'])], { sessionPool: kept });
    const pid = await pidOf(executor);
    const closing = executor.close();
    expect(isAlive(pid)).toBe(true);
    await kept.close();
    expect(isAlive(pid)).toBe(false);
    await closing;
  });

  it('serves two agents at once with two processes', async () => {
    const [one, two] = await Promise.all([
      openExecutor([reused()], { sessionPool: kept }),
      openExecutor([reused()], { sessionPool: kept }),
    ]);
    expect(await pidOf(one)).not.toBe(await pidOf(two));
    await Promise.all([one.close(), two.close()]);
  });

  it('is not pooled during a call or after a timeout', async () => {
    const slow = await pidOfAgent(reused(), (executor) =>
      callTool(executor, 'odd.hang', {}, { timeoutMs: 100 }),
    );
    expect(isAlive(slow)).toBe(false);
    const cancel = new AbortController();
    const busy = await pidOfAgent(reused(), async (executor) => {
      void callTool(executor, 'odd.hang', {}, { signal: cancel.signal }).catch(() => {});
      await callTool(executor, 'odd.echo'); // sent after the hanging call
    });
    expect(isAlive(busy)).toBe(false);
    cancel.abort();
  });

  it('is pooled after a tool failed', async () => {
    const first = await pidOfAgent(reused(), (executor) => callTool(executor, 'odd.fail'));
    expect(await pidOfAgent(reused())).toBe(first);
  });

  it('is started again when it ended in the pool', async () => {
    const first = await pidOfAgent(reused());
    process.kill(first, 'SIGKILL');
    await expect.poll(() => isAlive(first)).toBe(false);
    expect(await pidOfAgent(reused())).not.toBe(first);
  });

  it('is replaced when it no longer answers', async () => {
    const first = await pidOfAgent(reused());
    process.kill(first, 'SIGSTOP');
    expect(await pidOfAgent(reused())).not.toBe(first);
  });

  it('refuses calls of the agent that released it', async () => {
    const executor = await openExecutor([reused()], { sessionPool: kept });
    await pidOf(executor);
    await executor.close();
    const late = await callTool(executor, 'odd.pid').catch(() => ({ isError: true }));
    expect(late.isError).toBe(true);
  });

  it('is ended after it was idle for a while', async () => {
    const brief = createSessionPool(logger, 50);
    const executor = await openExecutor([reused()], { sessionPool: brief });
    const pid = await pidOf(executor);
    await executor.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('has no recent list of tools if they changed while it was read', async () => {
    const settings = hostileServer('odd', ['--grows-while-listing']);
    const session = await openSession(settings, { logger, timeoutMs: 10_000, notifyToolChanges: true });
    await session.listTools(10_000);
    await expect.poll(() => session.recentTools(60_000)).toBeNull();
    await session.listTools(10_000);
    expect(session.recentTools(60_000)).not.toBeNull();
    await session.close();
  });

  it('reports new tools to its current agent, whichever opened it', async () => {
    const settings = reused();
    await pidOfAgent(settings);
    const executor = await openExecutor([settings], { sessionPool: kept });
    await callTool(executor, 'odd.grow');
    const names = async () => (await executor.listTools()).map(({ name }) => name);
    await expect.poll(names).toContain('odd.new_one');
    await executor.close();
  });
});

it('one session of an HTTP server serves all agents and is replaced when the server loses it', async () => {
  const server = await startHttpMcp('right');
  const settings: McpServerSettings = {
    id: 'web',
    reuse: true,
    transport: { type: 'http', url: `${server.url}/mcp`, bearerToken: 'right' },
  };
  const farewells = () => server.requests.filter((request) => request === 'DELETE /mcp').length;
  const ask = async () => {
    const executor = await openExecutor([settings], { sessionPool: kept });
    const { content } = await callTool(executor, 'web.echo', { text: 'hello' });
    await executor.close();
    return content;
  };
  expect([await ask(), await ask(), farewells()]).toEqual(['hello', 'hello', 0]);
  server.forget();
  expect(await ask()).toBe('hello');
  await kept.close();
  expect(farewells()).toBe(2); // one for the lost session
  await server.close();
});

it('an agent uses the recent tool list of a pooled HTTP session unless the tools have changed', async () => {
  const made: McpServer[] = [];
  const answer = () => ({ content: [] });
  const createMcp = () => {
    const mcp = new McpServer({ name: 'growing', version: '1.0.0' });
    mcp.registerTool('first', { annotations: { readOnlyHint: true } }, answer);
    made.push(mcp);
    return mcp;
  };
  const server = await startHttpMcp('right', undefined, { createMcp });
  const transport = { type: 'http', url: `${server.url}/mcp`, bearerToken: 'right' } as const;
  const toolsOfAgent = async () => {
    const executor = await openExecutor([{ id: 'web', reuse: true, transport }], { sessionPool: kept });
    const tools = await executor.listTools();
    await executor.close();
    return tools.map(({ name }) => name);
  };
  expect(await toolsOfAgent()).toEqual(['web.first']);
  const asked = () => server.requests.filter((request) => request === 'POST /mcp').length;
  const before = asked();
  expect(await toolsOfAgent()).toEqual(['web.first']);
  expect(asked()).toBe(before);
  await expect.poll(() => server.requests).toContain('GET /mcp');
  made.at(-1)?.registerTool('second', { annotations: { readOnlyHint: true } }, answer);
  await expect.poll(toolsOfAgent).toContain('web.second');
  await kept.close();
  await server.close();
});
