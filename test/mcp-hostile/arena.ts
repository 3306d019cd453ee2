import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect } from 'vitest';
import type { McpTransportSettings, ToolExecutor } from '../../src/mcp/types.ts';
import { callTool, hostileServer, openExecutor } from '../helpers/mcp/executor.ts';

/** Limits of an agent with a misbehaving server. Connecting must end within `initTimeoutMs`, in which a busy machine starts a process. */
const limits = {
  initTimeoutMs: 20_000,
  maxResultChars: 100_000,
  maxTools: 128,
  maxToolUnits: 80_000,
};

/** Each call to a misbehaving server must end within this time (ms). */
const CALL_LIMIT_MS = 5_000;
/** Ending a server must take no longer than this time (ms), which has a margin for a busy machine. */
const CLOSE_LIMIT_MS = 20_000;
/** Maximum memory that this process may gain over all cases (bytes). */
const MEMORY_LIMIT = 700 * 1024 * 1024;
/** Maximum number of log lines that one server may cause. */
const LOG_LINES = 300;

export type Expected = RegExp | { isError: boolean; content: RegExp };

/** Runs agents with misbehaving servers beside an agent with a normal one. */
export interface Arena {
  open(transport: McpTransportSettings): Promise<ToolExecutor>;
  /** Uses a misbehaving server as an agent would and checks the effects on this process and on others. */
  survives(transport: McpTransportSettings, expected: Expected): Promise<void>;
  close(): Promise<void>;
}

export async function openArena(): Promise<Arena> {
  const other = await openExecutor([hostileServer('good')]);
  const before = process.resourceUsage().maxRSS;

  const open = (transport: McpTransportSettings, logger = pino({ level: 'silent' })) =>
    openExecutor([{ id: 'bad', transport }], { limits, logger });

  return {
    open,
    async survives(transport, expected) {
      let lines = 0;
      const sink = new Writable({
        write(chunk: Buffer, _, done) {
          lines += chunk.toString().split('\n').length - 1;
          done();
        },
      });
      const executor = await open(transport, pino({ level: 'debug' }, sink));
      const result = await callTool(executor, 'bad.go', {}, { timeoutMs: CALL_LIMIT_MS });
      const reason = executor.unavailableServers().get('bad');
      if (expected instanceof RegExp) expect(reason ?? result.content.slice(0, 500)).toMatch(expected);
      else {
        expect(reason).toBeUndefined();
        expect(result.content.length).toBeLessThan(limits.maxResultChars + 100);
        expect(result).toMatchObject({
          isError: expected.isError,
          content: expect.stringMatching(expected.content) as string,
        });
      }
      const tools = await executor.listTools();
      expect(tools.length).toBeLessThanOrEqual(limits.maxTools);
      expect(JSON.stringify(tools).length).toBeLessThan(500_000);
      // An agent with a normal server works at the same time.
      expect((await callTool(other, 'good.echo', { a: 1 })).content).toBe('{"a":1}');
      const started = performance.now();
      await executor.close();
      expect(performance.now() - started).toBeLessThan(CLOSE_LIMIT_MS);
      expect(lines).toBeLessThan(LOG_LINES);
    },
    async close() {
      await other.close();
      expect((process.resourceUsage().maxRSS - before) * 1024).toBeLessThan(MEMORY_LIMIT);
    },
  };
}
