import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { createLlmBench, readAll, SAMPLE_REQUEST } from '../../../test/helpers/scripted-llm/client.ts';
import { toolCall } from '../../../test/helpers/scripted-llm/index.ts';
import type { LlmChunk } from './chunks.ts';
import { LlmError } from './client.ts';

const { startService, connect, release } = createLlmBench();
afterEach(release);

async function failure(promise: Promise<unknown>): Promise<LlmError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LlmError);
  return error as LlmError;
}

test('transmits the whole request and every kind of chunk', async () => {
  const llm = await startService();
  llm.script([
    { thinking: ['let me ', 'see'] },
    { text: 'ok' },
    toolCall('host.disk_usage', { path: '/' }, 'c2'),
    { codeExecution: { code: 'print(1)' } },
    { codeExecution: { result: '1' } },
    {
      grounding: {
        webSearchQueries: ['q'],
        groundingChunks: [{ uri: 'https://e.org', title: 'E' }],
        groundingSupports: [{ startIndex: 0, endIndex: 2, text: 'ok', groundingChunkIndices: [0] }],
      },
    },
    { usage: { input: 7, output: 3, thinking: 2 } },
  ]);

  expect(await readAll(connect(llm.address))).toEqual([
    { kind: 'thinking', text: 'let me ' },
    { kind: 'thinking', text: 'see' },
    { kind: 'text', text: 'ok' },
    { kind: 'toolCall', id: 'c2', name: 'host.disk_usage', arguments: '{"path":"/"}' },
    { kind: 'codeExecution', code: 'print(1)', result: '' },
    { kind: 'codeExecution', code: '', result: '1' },
    {
      kind: 'grounding',
      searchQueries: ['q'],
      sources: [{ uri: 'https://e.org', title: 'E' }],
      supports: [{ startIndex: 0, endIndex: 2, text: 'ok', sourceIndices: [0] }],
      searchEntryPointHtml: '',
    },
    {
      kind: 'usage',
      inputTokens: 7,
      outputTokens: 3,
      totalTokens: 12,
      thinkingTokens: 2,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
    },
  ]);
  expect(llm.requests).toMatchObject([
    {
      sessionId: 'session-1',
      executionId: 'execution-1',
      messages: [
        { role: 'system', content: 'You are HostAgent' },
        { role: 'user', content: 'disk full' },
        { role: 'assistant', toolCalls: [{ id: 'c1', name: 'host.disk_usage', arguments: '{}' }] },
        { role: 'tool', content: '91 %', toolCallId: 'c1', toolName: 'host.disk_usage' },
      ],
      llmConfig: {
        backend: 'langchain',
        provider: 'openai',
        model: 'm',
        nativeTools: { google_search: true },
      },
      tools: [{ name: 'host.disk_usage', description: 'Disks', parametersSchema: '{"type":"object"}' }],
    },
  ]);
  expect(await llm.calls[0]?.ended).toBe('completed');
});

test('transmits the task and the ReAct tools', async () => {
  const llm = await startService();
  llm.script({ text: 'ok' });
  const output = { tool: 'host.disk_usage', arguments: '{}', content: '91 %', failed: false, number: 12 };
  const request = {
    ...SAMPLE_REQUEST,
    purpose: 'CHAT_RESPONSE',
    task: {
      alert: 'disk full',
      runbook: null,
      question: 'why?',
      works: [{ stage: 'look', agent: 'A', status: 'TIMED_OUT', analysis: 'It is full.', outputs: [output] }],
    },
    tools: [],
    toolChoice: 'submit_report',
    reactTools: SAMPLE_REQUEST.tools,
  } as const;
  await readAll(connect(llm.address), undefined, request);
  expect(llm.requests).toMatchObject([
    {
      purpose: 'chat_response',
      task: {
        alert: 'disk full',
        runbook: '',
        question: 'why?',
        works: [
          { stage: 'look', agent: 'A', status: 'timed_out', analysis: 'It is full.', outputs: [output] },
        ],
      },
      tools: [],
      toolChoice: 'submit_report',
      react: { tools: [{ name: 'host.disk_usage', parametersSchema: '{"type":"object"}' }] },
    },
  ]);
});

test("throws the provider's error after the chunks before it", async () => {
  const llm = await startService();
  llm.script([{ text: 'half' }, { error: { code: 'rate_limited', message: 'slow down', retryable: true } }]);
  const seen: LlmChunk[] = [];
  const error = await failure(
    (async () => {
      const { signal } = new AbortController();
      for await (const chunk of connect(llm.address).generate(SAMPLE_REQUEST, { signal })) seen.push(chunk);
    })(),
  );
  expect(error).toMatchObject({ code: 'rate_limited', message: 'slow down', retryable: true });
  expect(seen).toEqual([{ kind: 'text', text: 'half' }]);
});

test.each([
  [[{ status: status.RESOURCE_EXHAUSTED }], 'llm_service_unavailable', true],
  [[{ status: status.UNKNOWN }], 'stream_broken', true],
  [[{ status: status.INVALID_ARGUMENT }], 'llm_service_error', false],
  [[{ status: status.UNIMPLEMENTED }], 'llm_service_error', false],
  [[{ text: 'a' }, { status: status.UNAVAILABLE }], 'stream_broken', true],
  [[{ text: 'a' }, { breakOff: 'stream' }], 'stream_broken', true],
  [[{ text: 'a' }, { gate: 'read' }, { breakOff: 'connection' }], 'stream_broken', true],
  [[{ toolCall: { id: '', name: 'host.x', arguments: '{}' } }], 'invalid_response', false],
  [[{ toolCall: { id: 'c1', name: '', arguments: '{}' } }], 'invalid_response', false],
] as const)('%j fails with %s', async (steps, code, retryable) => {
  const llm = await startService();
  llm.script([...steps], { text: 'fine' });
  const client = connect(llm.address);
  const readOpening = async () => {
    for await (const _ of client.generate(SAMPLE_REQUEST, { signal: new AbortController().signal }))
      llm.open('read');
  };
  expect(await failure(readOpening())).toMatchObject({ code, retryable });
  // The client still works, also after its connection was cut.
  expect((await readAll(client))[0]).toEqual({ kind: 'text', text: 'fine' });
});

test('reports a message above the limit, in either direction', async () => {
  const llm = await startService();
  llm.script({ text: 'x'.repeat(5_000) });
  expect(await failure(readAll(connect(llm.address, { maxMessageBytes: 4_000 })))).toMatchObject({
    code: 'message_too_large',
    retryable: false,
  });
  expect(await failure(readAll(connect(llm.address, { maxMessageBytes: 20 })))).toMatchObject({
    code: 'message_too_large',
  });
});

test.each([
  [[{ hang: true }], { firstTokenTimeoutMs: 1_000 }, 'first_token_timeout'],
  [[{ text: 'a' }, { hang: true }], { stallTimeoutMs: 1_000 }, 'stall_timeout'],
  [
    [{ toolsLeftOut: [{ name: 's.t', reason: 'odd' }] }, { hang: true }],
    { firstTokenTimeoutMs: 1_000 },
    'first_token_timeout',
  ],
  [
    [{ waiting: { reason: 'busy', code: 'rate_limited', seconds: 1 } }, { hang: true }],
    { firstTokenTimeoutMs: 1_000 },
    'first_token_timeout',
  ],
  [[{ text: 'a' }, { hang: true }], { callTimeoutMs: 1_500 }, 'llm_call_timeout'],
] as const)('%j under %j fails with %s and is cancelled', async (steps, limits, code) => {
  const llm = await startService();
  llm.otherwise({ text: 'connected' });
  const client = connect(llm.address, limits);
  // A busy machine may need longer to connect than the limit.
  await expect.poll(() => readAll(client).then(() => 'connected', String)).toBe('connected');
  llm.script([...steps]);
  expect(await failure(readAll(client))).toMatchObject({ code, retryable: true });
  expect(await llm.calls.at(-1)?.ended).toBe('cancelled');
});

test("does not count the reader's time as silence of the model", async () => {
  const llm = await startService();
  llm.script({ text: ['a', 'b', 'c'] });
  const texts: string[] = [];
  const { signal } = new AbortController();
  for await (const chunk of connect(llm.address, { stallTimeoutMs: 3_000 }).generate(SAMPLE_REQUEST, {
    signal,
  })) {
    if (chunk.kind !== 'text') continue;
    texts.push(chunk.text);
    if (texts.length === 1) await delay(4_000);
  }
  expect(texts).toEqual(['a', 'b', 'c']);
});

test('cancels the call and throws the reason if aborted while waiting', async () => {
  const llm = await startService();
  llm.script([{ text: 'a' }, { gate: 'open' }, { text: 'b' }]);
  const abort = new AbortController();
  const result = readAll(connect(llm.address), abort.signal);
  await llm.reached('open');
  abort.abort(new Error('cancelled by user'));
  await expect(result).rejects.toBe(abort.signal.reason);
  expect(await llm.calls[0]?.ended).toBe('cancelled');
});

test('cancels the call at once if aborted while the reader is busy', async () => {
  const llm = await startService();
  llm.script([{ text: ['a', 'b', 'c'] }, { hang: true }]);
  const abort = new AbortController();
  const reason = new Error('enough');
  const seen: LlmChunk[] = [];
  const reading = (async () => {
    for await (const chunk of connect(llm.address).generate(SAMPLE_REQUEST, { signal: abort.signal })) {
      seen.push(chunk);
      abort.abort(reason);
      expect(await (await llm.call(0)).ended).toBe('cancelled');
    }
  })();
  await expect(reading).rejects.toBe(reason);
  expect(seen).toHaveLength(1);
});

test('makes no call if the signal has aborted', async () => {
  const llm = await startService();
  await expect(readAll(connect(llm.address), AbortSignal.abort('no'))).rejects.toBe('no');
  expect(llm.calls).toEqual([]);
});

test('cancels the call if the reader leaves the loop', async () => {
  const llm = await startService();
  llm.script([{ text: 'a' }, { hang: true }]);
  for await (const _ of connect(llm.address).generate(SAMPLE_REQUEST, {
    signal: new AbortController().signal,
  }))
    break;
  expect(await llm.calls[0]?.ended).toBe('cancelled');
});

test('reads no faster than the chunks are consumed', async () => {
  const llm = await startService();
  const total = 400;
  llm.script({ text: Array.from({ length: total }, () => 'x'.repeat(64 * 1024)) });
  let taken = 0;
  let furthest = 0;
  for await (const chunk of connect(llm.address).generate(SAMPLE_REQUEST, {
    signal: new AbortController().signal,
  })) {
    if (chunk.kind !== 'text') continue;
    taken += 1;
    // Enough turns of the event loop for an unthrottled stream to run far ahead.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    furthest = Math.max(furthest, (llm.calls[0]?.sent ?? 0) - taken);
  }
  expect(taken).toBe(total);
  expect(furthest).toBeLessThan(total / 2);
});

test('leaves no listeners or timers behind', async () => {
  const llm = await startService();
  llm.otherwise({ text: 'a' });
  const client = connect(llm.address);
  const abort = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  await readAll(client, abort.signal);
  const before = timers();
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) await readAll(client, abort.signal);
  expect(timers()).toBeLessThan(before + rounds); // less than one of each round, but perhaps one of the connection
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});
