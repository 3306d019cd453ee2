import { pino } from 'pino';
import { createToolExecutor } from '../../src/engine/mcp/executor.ts';

/**
 * TARSy's MCP client as the conformance runner starts it: with the address of a server as its last argument and the
 * scenario's name in the environment. Offers no capability, as in an investigation.
 */

/** What each scenario wants called, with arguments that the server's answer depends on. */
const CALLS: Record<string, { tool: string; args: object }[]> = {
  initialize: [],
  tools_call: [{ tool: 'add_numbers', args: { a: 5, b: 3 } }],
  'sse-retry': [{ tool: 'test_reconnection', args: {} }],
};
const LIMIT_MS = 20_000;

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const calls = CALLS[scenario];
if (calls === undefined) throw new Error(`no scenario ${scenario} is known`);

const executor = await createToolExecutor({
  servers: new Map([
    ['tested', { id: 'tested', transport: { type: 'http', url: process.argv.at(-1) ?? '' } }],
  ]),
  selection: { servers: [{ name: 'tested', tools: null }] },
  logger: pino({ level: 'silent' }),
  limits: {
    initTimeoutMs: LIMIT_MS,
    operationTimeoutMs: LIMIT_MS,
    maxResultChars: 10_000,
    maxTools: 100,
  },
});
try {
  const reason = executor.unavailableServers().get('tested');
  if (reason !== undefined) throw new Error(`not connected: ${reason}`);
  console.log('tools:', (await executor.listTools()).map(({ name }) => name).join(', '));
  for (const { tool, args } of calls) {
    const result = await executor.execute(
      { id: 'call', name: `tested.${tool}`, arguments: JSON.stringify(args) },
      { signal: new AbortController().signal, timeoutMs: LIMIT_MS },
    );
    console.log(tool, result);
    if (result.isError) process.exitCode = 1;
  }
} finally {
  await executor.close();
}
