import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { createMessageBuffer } from './server-output.ts';
import type { AwaitedRequests } from './wire-message.ts';

function collect(maxBytes: number, awaited: AwaitedRequests = new Map()) {
  const messages: JSONRPCMessage[] = [];
  const noise: Error[] = [];
  const buffer = createMessageBuffer(maxBytes, {
    awaited: () => awaited,
    onMessage: (message) => messages.push(message),
    onNoise: (error) => noise.push(error),
  });
  return { messages, noise, push: (text: string | Buffer) => buffer.push(Buffer.from(text)) };
}

const message = (method: string) => `${JSON.stringify({ jsonrpc: '2.0', method })}\n`;

it('finds messages however the bytes are split', () => {
  const { messages, noise, push } = collect(1000);
  const all = Buffer.from(message('größe') + message('two'));
  for (const byte of all) push(Buffer.from([byte]));
  push(all);
  expect(messages.map((item) => ('method' in item ? item.method : ''))).toEqual([
    'größe',
    'two',
    'größe',
    'two',
  ]);
  expect(noise).toEqual([]);
});

it('continues after noise', () => {
  const { messages, noise, push } = collect(1000);
  expect(push(`starting...\n\n{"no":"message"}\n${message('a').replace('\n', '\r\n')}`)).toBe(true);
  expect(messages).toHaveLength(1);
  expect(noise).toHaveLength(3);
});

it('takes no log in JSON for the answer to a request', () => {
  const { messages, noise, push } = collect(1000, new Map([[3, 'tools/call']]));
  const logs = [
    { level: 'error', event: 'retrying', error: 'connection refused' },
    { level: 'info', event: 'query done', result: '12 rows' },
    { level: 30, id: 3, msg: 'handling the request' },
  ];
  for (const log of logs) push(`${JSON.stringify(log)}\n`);
  expect(messages).toEqual([]);
  expect(noise).toHaveLength(3);
  push('{"id":3,"result":{"content":[]}}\n');
  expect(messages).toMatchObject([{ id: 3 }]);
});

it('refuses and drops a line beyond the limit', () => {
  const { messages, push } = collect(60);
  expect(push('x'.repeat(50))).toBe(true);
  expect(push('x'.repeat(50))).toBe(false);
  expect(push(message('a'))).toBe(true);
  expect(messages).toHaveLength(1);
});
