import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_TOOL_RULES } from '../../src/mcp/tool-class.ts';
import type { ToolExecutor } from '../../src/mcp/types.ts';
import { callTool, openExecutor } from '../helpers/mcp/executor.ts';
import { listenOn } from '../helpers/mcp/listen.ts';
import { answersOf, type RpcMessage } from '../helpers/mcp/wild-answers.ts';

/**
 * Tests a server of the older SSE transport that has a new session for each stream, as the Python SDK does.
 */
const CALL_MS = 50_000;

interface Session {
  stream: ServerResponse;
  isInitialized: boolean;
}

let sessions: Session[];
let calls: number;
let answersCalls: boolean;
let onCall: () => void;
let server: ReturnType<typeof createServer>;
let port: number;
let executor: ToolExecutor;

/** Opens an agent. @param declared tools that the operator declares to only read, or to change things */
const open = (declared: { readOnlyTools?: string[]; changingTools?: string[] }) => {
  const rules = { ...DEFAULT_TOOL_RULES, allowChanges: true, ...declared };
  const transport = { type: 'sse', url: `http://127.0.0.1:${port}/sse` } as const;
  return openExecutor([{ id: 'wild', rules, transport }]);
};

/** Cuts the streams of all sessions, as a proxy or a server restart does. */
function cut(how: 'end' | 'destroy'): void {
  for (const { stream } of sessions) stream[how]();
}

beforeEach(async () => {
  [sessions, calls, answersCalls, onCall] = [[], 0, true, () => {}];
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?session=${sessions.length}\n\nretry: 10\n\n`);
      sessions.push({ stream: response, isInitialized: false });
      return;
    }
    const session = sessions[Number(url.searchParams.get('session'))];
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString()) as RpcMessage;
    response.writeHead(202).end();
    if (session === undefined) return;
    const send = (answer: unknown) =>
      session.stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    if (message.method === 'notifications/initialized') session.isInitialized = true;
    if (message.id !== undefined && message.method !== 'initialize' && !session.isInitialized) {
      send({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32_602, message: 'Invalid request parameters', data: '' },
      });
      return;
    }
    if (message.method === 'tools/call') {
      calls += 1;
      const isAnswered = answersCalls;
      onCall();
      if (!isAnswered) return;
    }
    for (const answer of answersOf({}, message)) send(answer);
  });
  port = await listenOn(server);
  executor = await open({ readOnlyTools: ['go'] });
});
afterEach(async () => {
  await executor.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const call = () => callTool(executor, 'wild.go', {}, { timeoutMs: CALL_MS });

describe.each(['end', 'destroy'] as const)('a stream that is cut (%s)', (how) => {
  it('between calls costs a new session only', async () => {
    expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
    cut(how);
    expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
    expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
    expect(sessions.filter(({ isInitialized }) => isInitialized)).toHaveLength(2);
  });

  it('during a call that only reads makes the call again at once', async () => {
    answersCalls = false;
    onCall = () => {
      if (calls === 1) cut(how);
      answersCalls = true;
    };
    const { content, durationMs } = await call();
    expect(content).toBe('gone well');
    expect(calls).toBe(2);
    expect(durationMs).toBeLessThan(CALL_MS / 2);
  });

  it('during a call of an undeclared tool makes the call again once', async () => {
    await executor.close();
    executor = await open({});
    answersCalls = false;
    onCall = () => cut(how);
    const { content } = await call();
    expect(content).toContain('the server ended its event stream. The outcome of the call is unknown');
    expect(calls).toBe(2);
  });

  it('during a call that changes something does not make the call again, although the server is gone', async () => {
    await executor.close();
    executor = await open({ changingTools: ['go'] });
    answersCalls = false;
    onCall = () => {
      server.close();
      cut(how);
    };
    const { content } = await call();
    expect(content).toContain('the server ended its event stream. The outcome of the call is unknown');
    expect(calls).toBe(1);
    await listenOn(server, port);
  });

  it('during each call fails it at once, with the reason', async () => {
    answersCalls = false;
    onCall = () => cut(how);
    const { isError, content, durationMs } = await call();
    expect([isError, content]).toEqual([true, 'Tool wild.go failed: the server ended its event stream']);
    expect(durationMs).toBeLessThan(CALL_MS / 2);
    [answersCalls, onCall] = [true, () => {}];
    expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
  });
});
