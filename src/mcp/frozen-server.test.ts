import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callTool, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import type { McpServerSettings } from './types.ts';

/** Time for which the server is frozen (ms). MCP_FROZEN_SECONDS=45 freezes it for as long as real machines freeze. */
const FROZEN_MS = Number(process.env.MCP_FROZEN_SECONDS ?? 5) * 1000;
const SERVER = fileURLToPath(new URL('../../test/helpers/mcp/forked-server.ts', import.meta.url));
const AGENTS = 20;
/** Limits of a call and of connecting to a server (ms) while the server is frozen. */
const FROZEN = { callMs: 1_000, initMs: 2_000 };
/** Limits (ms) while it answers. Long, because the machine may be busy. */
const WORKING = { callMs: 30_000, initMs: 30_000 };
/** Time (ms) in which no agent ends that waits for the usual limit of a request, which is a minute. */
const LATEST_MS = 50_000;
/** Time until an unavailable server is tried again for the first time (ms). */
const BACK_MS = 15_000;

const LIMITS = { maxResultChars: 1_000, maxTools: 100, maxToolUnits: 100_000 };
const logger = pino({ level: 'silent' });

let server: ChildProcess;
let kept: SessionPool;
let settings: McpServerSettings;
beforeEach(async () => {
  server = fork(SERVER, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const [{ url }] = (await once(server, 'message')) as [{ url: string }];
  const transport = { type: 'http', url: `${url}/mcp`, bearerToken: 'right' } as const;
  settings = { id: 'web', reuse: true, transport };
  kept = createSessionPool(logger);
});
afterEach(async () => {
  await kept.close();
  server.kill('SIGKILL');
  await once(server, 'exit');
});

const open = ({ initMs } = WORKING) =>
  openExecutor([settings], { sessionPool: kept, limits: { ...LIMITS, initTimeoutMs: initMs } });
const ask = async (executor: Awaited<ReturnType<typeof open>>, { callMs } = WORKING) =>
  (await callTool(executor, 'web.echo', { text: 'hello' }, { timeoutMs: callMs })).content;

/** Runs one agent. @returns the server's answer and the total time (ms) */
async function agent(limits = WORKING): Promise<{ said: string; tookMs: number }> {
  const begun = performance.now();
  const executor = await open(limits);
  const said = await ask(executor, limits);
  await executor.close();
  return { said, tookMs: performance.now() - begun };
}
const agents = (limits = WORKING) => Promise.all(Array.from({ length: AGENTS }, () => agent(limits)));

it('a frozen server delays none of its agents and serves all of them after it resumes', {
  timeout: FROZEN_MS + 240_000,
}, async () => {
  expect(new Set((await agents()).map(({ said }) => said))).toEqual(new Set(['hello']));
  const [holder, waiter] = [await open(), await open()];
  server.kill('SIGSTOP');
  const isOver = delay(FROZEN_MS); // the freeze itself
  // Some agents have a session or acquire a pooled one, the others find none.
  expect(await ask(holder, FROZEN)).toContain('no answer within 1 s');
  await holder.close();
  for (const { said, tookMs } of await agents(FROZEN)) {
    expect(said).toMatch(/MCP server "web" is unavailable|no answer within 1 s/);
    expect(tookMs).toBeLessThan(LATEST_MS);
  }
  const late = await open(FROZEN); // its server is unavailable at first
  await isOver;
  server.kill('SIGCONT');

  const back = { timeout: Math.max(4 * BACK_MS, FROZEN_MS * 2), interval: 100 };
  expect(new Set((await agents()).map(({ said }) => said))).toEqual(new Set(['hello']));
  expect(await ask(waiter)).toBe('hello');
  await expect.poll(() => ask(late), back).toBe('hello');
  await Promise.all([waiter.close(), late.close()]);
});
