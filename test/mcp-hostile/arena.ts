import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect } from 'vitest';
import type { McpTransportSettings, ToolExecutor } from '../../src/mcp/types.ts';
import { callTool, hostile, openExecutor } from '../helpers/mcp/executor.ts';

/** Of an agent whose server misbehaves: connecting must have ended after the first of them. */
const limits = {
  initTimeoutMs: 6_000,
  maxResultChars: 100_000,
  maxTools: 128,
  maxToolUnits: 80_000,
};

/** Milliseconds after which each call to such a server must have ended. */
const CALL_LIMIT_MS = 2_000;
/** Milliseconds that ending a server may take: the time it is given, and a machine that is busy. */
const CLOSE_LIMIT_MS = 8_000;
/** Bytes by which this process may have grown at its largest, over all cases. */
const MEMORY_LIMIT = 700 * 1024 * 1024;
/** Lines that one server may cause in the log. */
const LOG_LINES = 300;

export type Expected = RegExp | { isError: boolean; content: RegExp };

/** Where misbehaving servers are met, beside an agent that works with a server that behaves. */
export interface Arena {
  open(transport: McpTransportSettings): Promise<ToolExecutor>;
  /** Uses a misbehaving server as an agent would, and checks what that does to us and to others. */
  survives(transport: McpTransportSettings, expected: Expected): Promise<void>;
  close(): Promise<void>;
}

export async function openArena(): Promise<Arena> {
  const other = await openExecutor([hostile('good')]);
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
      // Others go on meanwhile.
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
