import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { McpConnectionError, McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, retryDelayMs } from './recovery.ts';

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
  [new McpError(ErrorCode.ConnectionClosed, 'Connection closed'), true, 'transport', 'Connection closed'],
  [new McpError(ErrorCode.ConnectionClosed, 'my own error'), false, 'protocol', 'my own error'],
  [new McpError(ErrorCode.InvalidParams, 'bad'), false, 'protocol', 'bad'],
  [new McpError(ErrorCode.RequestTimeout, 'slow'), false, 'timeout', 'slow'],
  [new StreamableHTTPError(401, 'secret body'), false, 'protocol', 'HTTP status 401'],
  [new StreamableHTTPError(404, 'secret body'), false, 'transport', 'HTTP status 404'],
  [new StreamableHTTPError(503, 'secret body'), false, 'transport', 'HTTP status 503'],
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
