import { once } from 'node:events';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import { McpConnectionError, McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, retryDelayMs, wasNeverSent } from './failures.ts';

const httpError = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'secret body', { status });
const pageOverSse = new SseError(
  200,
  'secret type',
  Object.assign(new Event('error'), { code: 200, message: '' }),
);
const fetchFailed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code }) });

it.each([
  [new McpTimeoutError(90_000), false, 'timeout', 'no answer within 90 s'],
  [
    new McpConnectionError('the server exited with code 1'),
    true,
    'transport',
    'the server exited with code 1',
  ],
  [new SdkError(SdkErrorCode.ConnectionClosed, 'closed'), true, 'transport', 'CONNECTION_CLOSED'],
  [new ProtocolError(-32000, 'my own error'), true, 'protocol', 'my own error'],
  [new ProtocolError(-32602, 'bad'), false, 'protocol', 'MCP error -32602: bad'],
  [new ProtocolError(-32602, 'bad', { argument: 'a' }), false, 'protocol', ': bad ({"argument":"a"})'],
  [new ProtocolError(-32602, 'bad', 'a is missing'), false, 'protocol', ': bad (a is missing)'],
  [new SdkError(SdkErrorCode.RequestTimeout, 'slow'), false, 'timeout', 'REQUEST_TIMEOUT'],
  [
    new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'secret type'),
    false,
    'other',
    'the server answered with something other than MCP, such as a web page',
  ],
  [pageOverSse, false, 'transport', 'the server answered with something other than MCP, such as a web page'],
  [httpError(307), false, 'protocol', 'HTTP status 307; redirects are not followed'],
  [httpError(401), false, 'protocol', 'HTTP status 401'],
  [httpError(404), false, 'transport', 'HTTP status 404'],
  [httpError(503), false, 'transport', 'HTTP status 503'],
  [new Error('Error POSTing to endpoint (HTTP 500): secret body'), false, 'protocol', 'HTTP status 500'],
  [fetchFailed('ECONNREFUSED'), false, 'transport', 'the server could not be reached (ECONNREFUSED)'],
  [fetchFailed('ETIMEDOUT'), false, 'timeout', 'the server could not be reached (ETIMEDOUT)'],
  [
    fetchFailed('UND_ERR_CONNECT_TIMEOUT'),
    false,
    'transport',
    'the server could not be reached (UND_ERR_CONNECT_TIMEOUT)',
  ],
  [new Error('what'), false, 'other', 'what'],
  ['thrown text', false, 'other', 'unknown error'],
] as const)('%s', (error, closed, kind, text) => {
  expect(classifyFailure(error, closed)).toBe(kind);
  expect(describeFailure(error)).toContain(text);
  expect(describeFailure(error)).not.toContain('secret');
});

it('waits between 250 and 750 ms', () => {
  for (let index = 0; index < 100; index += 1) {
    const delay = retryDelayMs();
    expect(delay).toBeGreaterThanOrEqual(250);
    expect(delay).toBeLessThanOrEqual(750);
  }
});

const overTls = (url: string) =>
  new Promise((_, reject) => request(url, { rejectUnauthorized: false }).once('error', reject).end());

it.each([
  ['http', 'nobody listens', fetch, true],
  ['http', 'the server closes the connection', fetch, false],
  ['https', 'the server closes the connection before the handshake', fetch, true],
  ['https', 'the server closes the connection before the handshake', overTls, true],
] as const)('%s: detects whether a request was sent when %s', async (protocol, what, send, unsent) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (protocol === 'https') socket.once('data', () => socket.end());
    else socket.once('data', () => socket.destroy());
  });
  const port = await listenOn(server);
  if (what === 'nobody listens') server.close();
  const failure: unknown = await send(`${protocol}://127.0.0.1:${port}`).catch((error: unknown) => error);
  expect(classifyFailure(failure, false)).toBe('transport');
  expect(wasNeverSent(failure)).toBe(unsent);
  expect(wasNeverSent(new McpConnectionError('in words', { cause: failure }))).toBe(unsent);
  if (server.listening) {
    server.close();
    await once(server, 'close');
  }
});

it.each([
  [Object.assign(new Error('no name'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }), true],
  [Object.assign(new Error('no way'), { code: 'ETIMEDOUT', syscall: 'connect' }), true],
  [Object.assign(new Error('no answer'), { code: 'ETIMEDOUT', syscall: 'read' }), false],
  [Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' }), false],
  [new SdkError(SdkErrorCode.NotConnected, 'Not connected'), true],
  [new SdkError(SdkErrorCode.ConnectionClosed, 'closed'), false],
  [new McpConnectionError('its token cannot be read', { neverSent: true }), true],
  [new McpConnectionError('the server exited with code 1'), false],
  [httpError(404), true],
  [httpError(502), false],
])('%s', (error, unsent) => {
  expect(wasNeverSent(error)).toBe(unsent);
});
