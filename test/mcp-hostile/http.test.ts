import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool } from '../helpers/mcp/executor.ts';
import {
  HTTP_CALLS,
  HTTP_STREAMS,
  SSE_STREAMS,
  startMisbehavingHttp,
} from '../helpers/mcp/misbehaving-http.ts';
import { type Arena, type Expected, openArena } from './arena.ts';

const TOKEN = 'tok-5e4d3c2b1a';
const WELL = { isError: false, content: /^gone well$/ };
const failed = (content: RegExp) => ({ isError: true, content });
const LATE = failed(/^Tool bad\.go failed: no answer within 5 s$/);
const UNANSWERED = failed(/the server ended its answer without one/);
const TOO_LARGE = failed(/the server sent more than 10 MiB in one message|no answer within 5 s/);

const CALLS: Record<string, Expected> = {
  'a redirect to another server': failed(/HTTP status 307/),
  'a redirect to itself': failed(/HTTP status 307/),
  'status 401': failed(/HTTP status 401/),
  'status 500': failed(/HTTP status 500/),
  'status 500 with 100 MiB': failed(/HTTP status 500|more than 10 MiB/),
  'a connection reset': failed(/could not be reached \(\w+\)|connection|no answer within 5 s/),
  'no answer': LATE,
  'a body drop by drop': LATE,
  'a body of 100 MiB': TOO_LARGE,
  'a gzip bomb': TOO_LARGE,
  'gzip that is none': failed(/^Tool bad\.go failed: /),
  'a page': failed(/answered with something other than MCP/),
  'an empty body': failed(/^Tool bad\.go failed: /),
  'accepted without an answer': LATE,
  'half a body': failed(/^Tool bad\.go failed: /),
  'an event stream without events': LATE,
  'an event stream that just ends': UNANSWERED,
  'an event stream that breaks off': UNANSWERED,
  'an event stream that ends after a notification': UNANSWERED,
  'an event without end': TOO_LARGE,
  'events without end': failed(/too many messages|too many bytes|no answer within 5 s/),
  'comments without end': failed(/too many bytes|no answer within 5 s/),
  'a stream to be resumed without end': failed(/too many ends of its event stream|no answer within 5 s/),
  'headers without end': failed(/^Tool bad\.go failed: /),
  'no HTTP': failed(/^Tool bad\.go failed: /),
  'events whose lines end with CR LF': WELL,
  'a lost session': WELL,
};

const STREAMS: Record<string, Expected> = {
  'a stream that ends at once, again and again': WELL,
  'requests on the stream without end': /too many requests of its own|gone well|no answer within/,
  'a stream refused': WELL,
};

const SSE: Record<string, Expected> = {
  'an endpoint on another server': /./,
  'no endpoint': /^no answer within 20 s$/,
  'an endpoint that does not answer': /^no answer within 20 s$/,
  'an endpoint without end': /more than 10 MiB|no answer within/,
  'a redirect to another server': /./,
  'a page': /answered with something other than MCP/,
  'status 401': /^HTTP status 401$/,
  'a connection reset': /./,
};

let arena: Arena;
beforeAll(async () => {
  arena = await openArena();
});
afterAll(() => arena.close());

async function meet(type: 'http' | 'sse', behaviour: string, expected: Expected): Promise<void> {
  const server = await startMisbehavingHttp(behaviour);
  try {
    const url = server.url + (type === 'http' ? '/mcp' : '/sse');
    const headers = { 'x-api-key': TOKEN };
    await arena.survives({ type, url, customHeaders: headers, bearerToken: TOKEN }, expected);
    // The client sends credentials to the configured server only.
    expect(server.trapped).toEqual([]);
  } finally {
    await server.close();
  }
}

it('covers every misbehaviour', () => {
  expect(Object.keys(CALLS)).toEqual(Object.keys(HTTP_CALLS));
  expect(Object.keys(STREAMS)).toEqual(Object.keys(HTTP_STREAMS));
  expect(Object.keys(SSE)).toEqual(Object.keys(SSE_STREAMS));
});

describe('handles an answer over streamable HTTP:', () => {
  it.concurrent.each(Object.entries(CALLS))('%s', { timeout: 60_000 }, (behaviour, expected) =>
    meet('http', behaviour, expected),
  );
});
describe('handles a stream over streamable HTTP:', () => {
  it.concurrent.each(Object.entries(STREAMS))('%s', { timeout: 60_000 }, (behaviour, expected) =>
    meet('http', behaviour, expected),
  );
});
it('replaces a session whose event stream ends too often', async () => {
  const server = await startMisbehavingHttp('a stream that ends at once, again and again');
  const executor = await arena.open({ type: 'http', url: `${server.url}/mcp` });
  const session = async () => (await callTool(executor, 'bad.go')).session?.sessionId;
  expect(await session()).toBe('session-1');
  await expect.poll(session, { timeout: 20_000 }).toBe('session-2');
  await executor.close();
  await server.close();
});
describe('handles SSE:', () => {
  it.concurrent.each(Object.entries(SSE))('%s', { timeout: 60_000 }, (behaviour, expected) =>
    meet('sse', behaviour, expected),
  );
});
