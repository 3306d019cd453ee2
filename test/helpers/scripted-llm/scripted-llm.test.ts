import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import type { LlmRequest } from '../../../src/engine/model/client.ts';
import { createLlmBench, readAll, SAMPLE_REQUEST } from './client.ts';

const { startService, connect, release } = createLlmBench();
afterEach(release);

const { signal } = new AbortController();
const asking = (system: string): LlmRequest => ({
  ...SAMPLE_REQUEST,
  messages: [{ role: 'SYSTEM', content: system }],
});

test('routes by agent name, then uses the sequence, then the fallback', async () => {
  const llm = await startService();
  llm.script({ text: 'first' });
  llm.route('AgentB', { text: 'b1' }, { text: 'b2' });
  llm.route((request) => request.executionId === 'other', { text: 'never' });
  llm.otherwise({ text: 'rest' });
  const client = connect(llm.address);
  const answers: unknown[] = [];
  for (const system of ['You are AgentB', 'You are AgentA', 'You are AgentB', 'You are AgentB']) {
    answers.push((await readAll(client, signal, asking(system)))[0]);
  }
  expect(answers).toEqual(['b1', 'first', 'b2', 'rest'].map((text) => ({ kind: 'text', text })));
  expect(() => llm.assertNoUnusedScripts()).toThrow(/unused responses: 1 of the route/);
});

test('adds usage 10/5/15 unless given or forbidden', async () => {
  const llm = await startService();
  llm.script({ text: 'a' }, [{ text: 'a' }, { usage: null }]);
  const client = connect(llm.address);
  expect((await readAll(client)).at(-1)).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
  expect((await readAll(client)).at(-1)).toEqual({ kind: 'text', text: 'a' });
});

test('calls a function with the live request to build the response', async () => {
  const llm = await startService();
  llm.script((request, call) => ({ text: `${request.executionId} ${call.index}` }));
  expect((await readAll(connect(llm.address)))[0]).toEqual({ kind: 'text', text: 'execution-1 0' });
});

test('an unscripted call fails and fails the test', async () => {
  const llm = await startService();
  await expect(readAll(connect(llm.address))).rejects.toMatchObject({ code: 'unscripted_call' });
  expect(() => llm.assertNoUnusedScripts()).toThrow(
    /call 0 has no script: 4 messages, system "You are HostAgent"/,
  );
});

test('gates hold calls until the test opens them', async () => {
  const llm = await startService();
  llm.otherwise([{ gate: 'both' }, { waitMs: 1 }, { text: 'through' }]);
  const client = connect(llm.address);
  const answers = Promise.all([readAll(client), readAll(client)]);
  await llm.reached('both', 2);
  expect(llm.calls.map((call) => call.sent)).toEqual([0, 0]);
  llm.open('both');
  expect((await answers).map(([chunk]) => chunk)).toEqual([
    { kind: 'text', text: 'through' },
    { kind: 'text', text: 'through' },
  ]);
});

test('answers health checks, and frees its port when closed', async () => {
  const llm = await startService();
  const health = new Client(llm.address, credentials.createInsecure());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const raw = (bytes: Buffer) => bytes;
  health.makeUnaryRequest('/grpc.health.v1.Health/Check', raw, raw, Buffer.alloc(0), (error, reply) =>
    error === null ? resolve(reply) : reject(error),
  );
  expect(await promise).toEqual(Buffer.from([8, 1]));
  health.close();
  await llm.close();
  const [error] = await once(connectSocket(llm.port, '127.0.0.1'), 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});
