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
/** Limit of a call and of connecting to a server (ms). */
const CALL_MS = 1_000;
const INIT_MS = 2_000;
/** Margin over the limits (ms), because a pooled session is replaced only after 3 s and the machine may be busy. */
const BUSY_MS = 10_000;
/** Time until an unavailable server is tried again for the first time (ms). */
const BACK_MS = 15_000;

const LIMITS = { initTimeoutMs: INIT_MS, maxResultChars: 1_000, maxTools: 100, maxToolUnits: 100_000 };
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

const open = () => openExecutor([settings], { sessionPool: kept, limits: LIMITS });
const ask = async (executor: Awaited<ReturnType<typeof open>>) =>
  (await callTool(executor, 'web.echo', { text: 'hello' }, { timeoutMs: CALL_MS })).content;

/** Runs one agent. @returns the server's answer and the total time (ms) */
async function agent(): Promise<{ said: string; tookMs: number }> {
  const begun = performance.now();
  const executor = await open();
  const said = await ask(executor);
  await executor.close();
  return { said, tookMs: performance.now() - begun };
}
const agents = () => Promise.all(Array.from({ length: AGENTS }, agent));

it('a frozen server delays none of its agents and serves all of them after it resumes', {
  timeout: FROZEN_MS + 90_000,
}, async () => {
  expect(new Set((await agents()).map(({ said }) => said))).toEqual(new Set(['hello']));
  const [holder, waiter] = [await open(), await open()];
  server.kill('SIGSTOP');
  const isOver = delay(FROZEN_MS); // the freeze itself
  // Some agents have a session or acquire a pooled one, the others find none.
  expect(await ask(holder)).toContain('no answer within 1 s');
  await holder.close();
  for (const { said, tookMs } of await agents()) {
    expect(said).toMatch(/MCP server "web" is unavailable|no answer within 1 s/);
    expect(tookMs).toBeLessThan(3_000 + INIT_MS + CALL_MS + BUSY_MS);
  }
  const late = await open(); // its server is unavailable at first
  await isOver;
  server.kill('SIGCONT');

  const back = { timeout: Math.max(BACK_MS, FROZEN_MS * 2), interval: 100 };
  expect(new Set((await agents()).map(({ said }) => said))).toEqual(new Set(['hello']));
  expect(await ask(waiter)).toBe('hello');
  await expect.poll(() => ask(late), back).toBe('hello');
  await Promise.all([waiter.close(), late.close()]);
});
