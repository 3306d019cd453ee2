import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { McpConnectionError, McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, retryDelayMs } from './recovery.ts';

const httpError = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'secret body', { status });
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
  [httpError(401), false, 'protocol', 'HTTP status 401'],
  [httpError(404), false, 'transport', 'HTTP status 404'],
  [httpError(503), false, 'transport', 'HTTP status 503'],
  [new Error('Error POSTing to endpoint (HTTP 500): secret body'), false, 'protocol', 'HTTP status 500'],
  [fetchFailed('ECONNREFUSED'), false, 'transport', 'it could not be reached (ECONNREFUSED)'],
  [fetchFailed('ETIMEDOUT'), false, 'timeout', 'it could not be reached (ETIMEDOUT)'],
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
