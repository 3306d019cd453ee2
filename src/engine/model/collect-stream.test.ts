import { expect, test } from 'vitest';
import type { LlmChunk } from './chunks.ts';
import { collectStream } from './collect-stream.ts';

const USAGE = {
  inputTokens: 1,
  outputTokens: 2,
  totalTokens: 3,
  thinkingTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
};

async function* stream(...chunks: LlmChunk[]) {
  yield* chunks;
}

test('joins the pieces of a response', async () => {
  const call = { id: '1', name: 'host.x', arguments: '{}' };
  expect(
    await collectStream(
      stream(
        { kind: 'thinking', text: 'a' },
        { kind: 'thinking', text: 'b' },
        { kind: 'text', text: 'c' },
        { kind: 'text', text: 'd' },
        { kind: 'toolCall', ...call },
        { kind: 'usage', ...USAGE, inputTokens: 0 },
        { kind: 'usage', ...USAGE },
      ),
    ),
  ).toEqual({
    thinking: 'ab',
    text: 'cd',
    unoffered: [],
    toolCalls: [call],
    codeExecutions: [],
    groundings: [],
    usage: USAGE,
    providerTurn: null,
  });
});

test('pairs code with its result across other chunks, and keeps code without a result', async () => {
  const told: string[] = [];
  const { codeExecutions } = await collectStream(
    stream(
      { kind: 'codeExecution', code: 'a', result: '' },
      { kind: 'codeExecution', code: '', result: '1' },
      { kind: 'codeExecution', code: 'b', result: '' },
      { kind: 'codeExecution', code: 'c', result: '3' },
      { kind: 'codeExecution', code: 'd', result: '' },
      { kind: 'text', text: 'x' },
      { kind: 'codeExecution', code: '', result: '5' },
      { kind: 'codeExecution', code: 'e', result: '' },
    ),
    {
      onCodeExecution: ({ code }) => void told.push(code),
      onText: (text) => void told.push(text),
    },
  );
  expect(codeExecutions).toEqual([
    { code: 'a', result: '1' },
    { code: 'b', result: '' },
    { code: 'c', result: '3' },
    { code: 'd', result: '5' },
    { code: 'e', result: '' },
  ]);
  expect(told).toEqual(['a', 'b', 'c', 'x', 'd', 'e']);
});

test('awaits each handler before it reads the next chunk', async () => {
  const log: string[] = [];
  async function* chunks(): AsyncGenerator<LlmChunk> {
    for (const text of ['a', 'b']) {
      log.push(`made ${text}`);
      yield { kind: 'text', text };
    }
  }
  await collectStream(chunks(), {
    async onText(text) {
      await new Promise(setImmediate);
      log.push(`handled ${text}`);
    },
  });
  expect(log).toEqual(['made a', 'handled a', 'made b', 'handled b']);
});

test('ends the stream if a handler throws', async () => {
  let left = false;
  async function* chunks(): AsyncGenerator<LlmChunk> {
    try {
      yield { kind: 'text', text: 'a' };
      yield { kind: 'text', text: 'b' };
    } finally {
      left = true;
    }
  }
  const onText = () => {
    throw new Error('fenced');
  };
  await expect(collectStream(chunks(), { onText })).rejects.toThrow('fenced');
  expect(left).toBe(true);
});

test('counts text as thinking that a later closing tag declares to be thinking', async () => {
  const seen: string[] = [];
  const response = await collectStream(
    stream(
      { kind: 'thinking', text: 'a' },
      { kind: 'text', text: 'b' },
      { kind: 'textWasThinking' },
      { kind: 'text', text: 'c' },
    ),
    { onText: (text) => void seen.push(text), onTextWasThinking: () => void seen.push('was thinking') },
  );
  expect(response).toMatchObject({ thinking: 'ab', text: 'c' });
  expect(seen).toEqual(['b', 'was thinking', 'c']);
});
