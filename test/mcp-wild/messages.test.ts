import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TOOL_RULES } from '../../src/mcp/tool-class.ts';
import type { McpTransportSettings } from '../../src/mcp/types.ts';
import { callTool, openExecutor } from '../helpers/mcp/executor.ts';
import { answersOf, WILD_MODES } from '../helpers/mcp/wild-answers.ts';
import { sendEvents, sendJson, startWildHttp, type WildHttp } from '../helpers/mcp/wild-http.ts';
import type { WildMode } from '../helpers/mcp/wild-mode.ts';

/** Tests messages of real servers that differ from the protocol, over each transport. */
const SERVER = fileURLToPath(new URL('../helpers/mcp/wild-server.ts', import.meta.url));
const CALL_MS = 5_000;
const MODES = Object.entries(WILD_MODES);
/** Modes with one message per answer, for servers that answer a POST with JSON. */
const JSON_MODES = MODES.filter(([, mode]) => (mode.callMessages?.(1) ?? [1]).length === 1);

async function meets(mode: WildMode, transport: McpTransportSettings): Promise<void> {
  const rules = { ...DEFAULT_TOOL_RULES, allowChanges: true };
  const executor = await openExecutor([{ id: 'wild', transport, rules }]);
  try {
    expect(Object.fromEntries(executor.unavailableServers())).toEqual({});
    const [tool] = await executor.listTools();
    const { properties } = (tool?.inputSchema ?? {}) as { properties?: object };
    const names = Object.keys(properties ?? {});
    if (mode.properties) expect(names.toSorted()).toEqual(mode.properties.toSorted());
    expect(mode.isShown?.(names) ?? true).toBe(true);
    expect(JSON.stringify(tool ?? {}).length).toBeLessThan(40_000);
    const { isError, content, durationMs } = await callTool(executor, 'wild.go', mode.args, {
      timeoutMs: CALL_MS,
    });
    const expected = mode.expected ?? { isError: false, content: 'gone well' };
    if (expected.content instanceof RegExp) expect(content).toMatch(expected.content);
    else expect(content).toBe(expected.content);
    expect(isError).toBe(expected.isError);
    expect(durationMs).toBeLessThan(CALL_MS);
  } finally {
    await executor.close();
  }
}

describe('over stdio', () => {
  it.concurrent.each(MODES)('%s', { timeout: 60_000 }, (name, mode) =>
    meets(mode, { type: 'stdio', command: process.execPath, args: [SERVER, name] }),
  );
});

describe.each([
  ['JSON', JSON_MODES],
  ['events', MODES],
] as const)('over HTTP with %s', (form, modes) => {
  let server: WildHttp;
  beforeAll(async () => {
    server = await startWildHttp(({ request, response, message }) => {
      const name = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').search.slice(1));
      const answers = answersOf(WILD_MODES[name] ?? {}, message);
      if (request.method !== 'POST') response.writeHead(405).end();
      else if (answers.length === 0) response.writeHead(202).end();
      else if (form === 'JSON') sendJson(response, answers[0]);
      else sendEvents(response, answers);
    });
  });
  afterAll(() => server.close());

  it.concurrent.each(modes)('%s', { timeout: 60_000 }, (name, mode) =>
    meets(mode, { type: 'http', url: `${server.url}?${encodeURIComponent(name)}` }),
  );
});
