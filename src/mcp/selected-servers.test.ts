import { pino } from 'pino';
import { expect, it } from 'vitest';
import { freePort } from '../../test/helpers/free-port.ts';
import { openExecutor } from '../../test/helpers/mcp/executor.ts';

it.each([
  ['warns of a server at its first failure', new Map<string, string>(), 1],
  ['does not repeat that a server is unavailable', new Map([['gone', 'is away']]), 0],
])('%s', async (_, known, warnings) => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const url = `http://127.0.0.1:${await freePort()}/mcp`;
  const executor = await openExecutor([{ id: 'gone', transport: { type: 'http', url } }], {
    logger,
    knownUnavailable: async () => known,
  });
  try {
    // Another reason than that of the last check: an attempt has failed.
    await expect.poll(() => executor.unavailableServers().get('gone')).toMatch(/ECONNREFUSED|refused/);
    expect(lines.filter((line) => line.includes('MCP server is not available'))).toHaveLength(warnings);
  } finally {
    await executor.close();
  }
});
