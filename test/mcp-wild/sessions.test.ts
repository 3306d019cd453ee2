import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TOOL_RULES } from '../../src/mcp/tool-class.ts';
import { callTool, openExecutor } from '../helpers/mcp/executor.ts';
import { answersOf } from '../helpers/mcp/wild-answers.ts';
import { sendEvents, sendJson, startWildHttp } from '../helpers/mcp/wild-http.ts';

/** Tests servers over HTTP that lose the session between two calls, and refuse it in their own way. */
type Refuse = (response: ServerResponse, id: unknown) => void;

const status =
  (code: number, body = ''): Refuse =>
  (response) =>
    response.writeHead(code).end(body);
const rpc =
  (code: number, message: string): Refuse =>
  (response, id) =>
    sendJson(response, { jsonrpc: '2.0', id, error: { code, message } });

/** Refusals of a lost session, for every tool. */
const LOST: Record<string, Refuse> = {
  'status 404': status(404, 'Session not found'),
  'status 400': status(
    400,
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID"},"id":null}',
  ),
  'status 401 of older servers in Rust': status(401, 'Unauthorized: Session not found'),
  'status 403': status(403, 'Forbidden'),
  'status 409': status(409, 'Conflict'),
  'status 410': status(410, 'Gone'),
  'status 422': status(422, 'Unexpected message, expect initialize request'),
  'status 500 that names the session': status(500, '{"error":"session not initialized"}'),
  'an error of the protocol': rpc(-32_000, 'Bad Request: Server not initialized'),
  'an error about parameters': rpc(-32_602, 'Invalid request parameters'),
  'an error about the request': rpc(-32_600, 'Session terminated'),
  'an internal error that names the session': rpc(-32_603, 'unknown session'),
  'an error with a null id': (response) =>
    sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } }),
  'an event without a message': (response) => sendEvents(response, [{ error: 'Session not found' }]),
};

interface Lossy {
  calls: () => number;
  sessions: () => number;
  /** Makes the server refuse the sessions that it knows, and those of the future if `forGood`. */
  lose(forGood?: boolean): void;
}

/** Runs `work` with an agent of a server that refuses lost sessions, or every call of a session if `refusesCalls`. */
async function withLossy(
  { refuse, refusesCalls = false }: { refuse: Refuse; refusesCalls?: boolean },
  work: (call: () => ReturnType<typeof callTool>, server: Lossy) => Promise<void>,
): Promise<void> {
  let [sessions, calls, lost] = [0, 0, 0];
  const server = await startWildHttp(({ request, response, message }) => {
    const session = Number(request.headers['mcp-session-id'] ?? 0);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.method === 'initialize') {
      sessions += 1;
      return sendJson(response, answersOf({}, message)[0], { 'mcp-session-id': String(sessions) });
    }
    if (message.method === 'tools/call') calls += 1;
    const isRefused = refusesCalls && message.method === 'tools/call';
    if (session > 0 && message.id !== undefined && (session <= lost || isRefused))
      return refuse(response, message.id);
    const [answer] = answersOf({}, message);
    if (answer === undefined) response.writeHead(202).end();
    else sendJson(response, answer);
  });
  const rules = { ...DEFAULT_TOOL_RULES, allowChanges: true, changingTools: ['go'] };
  const executor = await openExecutor([{ id: 'wild', rules, transport: { type: 'http', url: server.url } }]);
  const lose = (forGood = false) => {
    lost = forGood ? Number.POSITIVE_INFINITY : sessions;
  };
  try {
    await work(() => callTool(executor, 'wild.go'), { calls: () => calls, sessions: () => sessions, lose });
  } finally {
    await executor.close();
    await server.close();
  }
}

describe('a lost session is replaced, and even a changing tool is called again:', () => {
  it.concurrent.each(Object.entries(LOST))('%s', (_, refuse) =>
    withLossy({ refuse }, async (call, { calls, sessions, lose }) => {
      expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
      lose();
      expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
      expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
      expect([calls(), sessions()]).toEqual([4, 2]);
    }),
  );
});

it.each([
  ['status 500', status(500, 'oops')],
  ['an internal error', rpc(-32_603, 'oops')],
])('%s of every request replaces the session, but a changing tool is not called again', (_, refuse) =>
  withLossy({ refuse }, async (call, { calls, sessions, lose }) => {
    lose();
    const { isError, content } = await call();
    expect(isError).toBe(true);
    expect(content).toContain('The outcome of the call is unknown');
    expect(await call()).toMatchObject({ isError: false, content: 'gone well' });
    expect([calls(), sessions()]).toEqual([2, 2]);
  }),
);

it('a server that refuses the next session too has its own reason, after one call of each', () =>
  withLossy({ refuse: status(403, 'Forbidden') }, async (call, { calls, sessions, lose }) => {
    lose(true);
    expect(await call()).toMatchObject({
      ...{ isError: true, content: 'Tool wild.go failed: HTTP status 403' },
    });
    expect([calls(), sessions()]).toEqual([2, 2]);
  }));

it.each([
  ['status 403', status(403, 'not yours'), 'Tool wild.go failed: HTTP status 403'],
  ['status 500 that names a session', status(500, 'no session'), 'Tool wild.go failed: HTTP status 500'],
  [
    'an error of the protocol',
    rpc(-32_000, 'no such session'),
    'Tool wild.go failed: MCP error -32000: no such session',
  ],
  ['status 429', status(429), 'Tool wild.go failed: HTTP status 429'],
])('%s of a tool alone is its own: the session stays and nothing is repeated', (_, refuse, expected) =>
  withLossy({ refuse, refusesCalls: true }, async (call, { calls, sessions }) => {
    expect(await call()).toMatchObject({ isError: true, content: expected });
    expect([calls(), sessions()]).toEqual([1, 1]);
  }),
);
