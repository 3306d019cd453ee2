import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TOOL_RULES } from '../../src/mcp/tool-class.ts';
import { callTool, openExecutor } from '../helpers/mcp/executor.ts';
import { answersOf, type RpcMessage, WILD_MODES } from '../helpers/mcp/wild-answers.ts';
import { sendEvents, sendJson, startWildHttp } from '../helpers/mcp/wild-http.ts';

/** Tests servers of revision 2026-07-28 that are slow or differ from the protocol. */
const INIT_MS = 8_000;
/**
 * A delay (ms) longer than the client waits for an answer in the newer protocol alone, which is a quarter of
 * INIT_MS.
 */
const SLOW_MS = 3_000;
const VERSION = '2026-07-28';
const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: [VERSION],
  capabilities: { tools: {} },
  serverInfo: { name: 'wild', version: '1' },
};
const REFUSED = { code: -32_022, message: 'Unsupported protocol version', data: { supported: [VERSION] } };

type Answer = (response: ServerResponse, message: RpcMessage) => unknown;
const respond = (response: ServerResponse, { id }: RpcMessage, part: object) =>
  sendJson(response, { jsonrpc: '2.0', id, ...part });
const discovers: Answer = (response, message) => respond(response, message, { result: DISCOVERED });
const refuses: Answer = (response, message) => respond(response, message, { error: REFUSED });
const isSilent: Answer = () => {};
const slowly =
  (answer: Answer): Answer =>
  async (response, message) => {
    await delay(SLOW_MS);
    await answer(response, message);
  };
const initializes: Answer = (response, message) => sendJson(response, answersOf({}, message)[0]);

interface Server {
  discover: Answer;
  initialize: Answer;
  mode?: string;
}

/**
 * Opens an agent with such a server and calls its tool. @returns the tool's answer, or why the server is
 * unavailable
 */
async function ask(
  { discover, initialize, mode = '' }: Server,
  initTimeoutMs = INIT_MS,
): Promise<{ said: string; versions: string[] }> {
  const versions = new Set<string>();
  const server = await startWildHttp(({ request, response, message }) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.method === 'server/discover') return void discover(response, message);
    if (message.method === 'initialize') return void initialize(response, message);
    if (message.method === 'tools/call') versions.add(String(request.headers['mcp-protocol-version']));
    const [answer] = answersOf(WILD_MODES[mode] ?? {}, message);
    if (answer === undefined) response.writeHead(202).end();
    else sendJson(response, answer);
  });
  const limits = { initTimeoutMs, maxResultChars: 10_000, maxTools: 10, maxToolUnits: 100_000 };
  const rules = { ...DEFAULT_TOOL_RULES, allowChanges: true };
  const executor = await openExecutor([{ id: 'wild', rules, transport: { type: 'http', url: server.url } }], {
    limits,
  });
  try {
    const reason = executor.unavailableServers().get('wild');
    const said = reason ?? (await callTool(executor, 'wild.go')).content;
    return { said, versions: [...versions] };
  } finally {
    await executor.close();
    await server.close();
  }
}

describe('the protocol', () => {
  it.concurrent.each<[string, Server, string]>([
    [
      'is the newer one of a server that has only that',
      { discover: discovers, initialize: refuses },
      VERSION,
    ],
    [
      'is the newer one of a slow server',
      { discover: slowly(discovers), initialize: slowly(refuses) },
      VERSION,
    ],
    [
      'is the newer one of a slow server that ignores the older',
      { discover: slowly(discovers), initialize: isSilent },
      VERSION,
    ],
    [
      'is the older one of a server that ignores the newer',
      { discover: isSilent, initialize: initializes },
      '2025-06-18',
    ],
    [
      'is the older one of a slow server',
      { discover: isSilent, initialize: slowly(initializes) },
      '2025-06-18',
    ],
    [
      'is the older one of a server that answers with nonsense',
      {
        discover: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
        initialize: initializes,
      },
      '2025-06-18',
    ],
    [
      'is the older one of a server that refuses with an event',
      {
        discover: (response, { id }) =>
          sendEvents(response, [{ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } }]),
        initialize: initializes,
      },
      '2025-06-18',
    ],
  ])('%s', { timeout: 60_000 }, async (_, server, version) => {
    expect(await ask(server)).toEqual({ said: 'gone well', versions: [version] });
  });

  it.concurrent('is known before the time for the newer one is up', { timeout: 30_000 }, async () => {
    const server = { discover: isSilent, initialize: initializes };
    expect((await ask(server, 600_000)).said).toBe('gone well');
  });

  it.concurrent.each<[string, Server, string]>([
    ['nothing', { discover: isSilent, initialize: isSilent }, 'no answer within 8 s'],
    [
      'nothing but a refusal of the older protocol',
      { discover: isSilent, initialize: refuses },
      `no answer within 8 s; asked for the older protocol, it answered: MCP error -32022: ${REFUSED.message} ({"supported":["${VERSION}"]})`,
    ],
    [
      'an error of its own',
      {
        discover: isSilent,
        initialize: (response, message) =>
          respond(response, message, { error: { code: -1, message: 'no license' } }),
      },
      'no answer within 8 s; asked for the older protocol, it answered: MCP error -1: no license',
    ],
  ])('has a reason if the server answers %s', { timeout: 60_000 }, async (_, server, reason) => {
    expect((await ask(server)).said).toBe(reason);
  });
});

describe('a server of the newer protocol is read as laxly as an older one', () => {
  it.concurrent.each([
    ['nextCursor null', 'gone well'],
    ['tools null', 'Unknown tool "wild.go". No tools are available.'],
    ['anyOf at the root', 'Invalid arguments for tool go; it was not called:'],
    ['a block of type error', 'namespace not found'],
    ['content as a text', 'pods: 3'],
    ['result null', '(the tool returned nothing)'],
    ['a block with null members', 'ok'],
    ['an error as a text', 'Tool wild.go failed: MCP error -32603: no such pod'],
  ])('%s', { timeout: 60_000 }, async (mode, content) => {
    expect((await ask({ discover: discovers, initialize: refuses, mode })).said).toContain(content);
  });
});
