import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TOOL_RULES } from '../../src/mcp/tool-class.ts';
import type { ToolExecutor } from '../../src/mcp/types.ts';
import { callTool, openExecutor } from '../helpers/mcp/executor.ts';
import { type HttpEverything, npmServer, startEverything } from '../helpers/mcp/npm-servers.ts';

describe.each(['stdio', 'http', 'sse'] as const)('server-everything over %s', (transport) => {
  let web: HttpEverything | null = null;
  let executor: ToolExecutor;
  beforeAll(async () => {
    web = transport === 'stdio' ? null : await startEverything(transport);
    const settings = web?.settings ?? npmServer('everything');
    executor = await openExecutor([{ ...settings, rules: { ...DEFAULT_TOOL_RULES, allowChanges: true } }]);
  });
  afterAll(async () => {
    await executor?.close();
    await web?.close();
  });
  const call = (tool: string, args: object = {}) => callTool(executor, `everything.${tool}`, args);

  it('offers its tools except those that run as background tasks', async () => {
    expect(Object.fromEntries(executor.unavailableServers())).toEqual({});
    const names = (await executor.listTools()).map(({ name }) => name);
    expect(names).toContain('everything.get-sum');
    expect(names).not.toContain('everything.simulate-research-query');
    // Servers show these tools only to clients with matching capabilities, and TARSy's client has none.
    expect(names.filter((name) => /sampling|elicitation|roots/.test(name))).toEqual([]);
  });

  it.each<[tool: string, args: object, isError: boolean, content: RegExp]>([
    ['echo', { message: 'Grüße, 世界' }, false, /^Echo: Grüße, 世界$/],
    ['get-sum', { a: 19, b: 23 }, false, /^The sum of 19 and 23 is 42\.$/],
    ['get-sum', { a: 'x' }, true, /Invalid arguments for tool get-sum/],
    ['get-tiny-image', {}, false, /^Here's the image.*\n\[image image\/png, 4033 bytes\]\n/],
    ['get-structured-content', { location: 'New York' }, false, /^\{"temperature":\d+,"conditions":"Cloudy"/],
    [
      'get-resource-links',
      { count: 2 },
      false,
      /\n\[resource .* demo:\/\/resource\/dynamic\/blob\/1 text\/plain\]/,
    ],
    [
      'get-resource-reference',
      { resourceType: 'Text', resourceId: 1 },
      false,
      /\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: This is a plaintext resource/,
    ],
    [
      'get-resource-reference',
      { resourceType: 'Blob', resourceId: 1 },
      false,
      /\[resource demo:\S+blob\/1\]\nResource 1: This is a base64 blob/,
    ],
    [
      'get-annotated-message',
      { messageType: 'error', includeImage: true },
      false,
      /^Error: Operation failed\n\[image image\/png, 4033 bytes\]$/,
    ],
    // The server reports progress although the client did not request any.
    ['trigger-long-running-operation', { duration: 0.2, steps: 4 }, false, /completed.*Steps: 4/],
  ])('%s %j', async (tool, args, isError, content) => {
    const result = await call(tool, args);
    expect(result).toMatchObject({ isError, content: expect.stringMatching(content) as string });
  });

  it('is usable while it sends unsolicited log messages and updates', async () => {
    expect((await call('toggle-simulated-logging')).isError).toBe(false);
    expect((await call('toggle-subscriber-updates')).isError).toBe(false);
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => call('get-sum', { a: n, b: n })));
    expect(results.map(({ content }) => content)).toEqual(
      Array.from({ length: 20 }, (_, n) => `The sum of ${n} and ${n} is ${2 * n}.`),
    );
  });
});
