import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createLlmBench, readAll, SAMPLE_REQUEST } from '../../../test/helpers/scripted-llm/client.ts';
import { startScriptedLlm } from '../../../test/helpers/scripted-llm/index.ts';
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

test('fails after the connect limit if the service cannot be reached', async () => {
  const gone = await startScriptedLlm();
  await gone.close();
  expect(await failure(readAll(connect(gone.address, { connectTimeoutMs: 50 })))).toMatchObject({
    code: 'llm_service_unavailable',
    retryable: true,
  });
});

test('masks secrets that a provider quotes in its errors, also in those that the service retries', async () => {
  const llm = await startService();
  const message = 'Incorrect API key provided: sk-Ex4mpleOnlyEx4mpleOnly77';
  const masked = 'Incorrect API key provided: [MASKED_API_KEY]';
  llm.script([
    { waiting: { reason: message, code: 'rate_limited', seconds: 1 } },
    { error: { code: 'invalid_credentials', message } },
  ]);
  const seen: LlmChunk[] = [];
  const error = await failure(
    (async () => {
      const { signal } = new AbortController();
      for await (const chunk of connect(llm.address).generate(SAMPLE_REQUEST, { signal })) seen.push(chunk);
    })(),
  );
  expect(seen).toMatchObject([{ kind: 'waiting', reason: masked }]);
  expect(error.message).toBe(masked);
});

test('the limit of connecting does not end a call that is connected', async () => {
  const llm = await startService();
  llm.otherwise({ text: 'connected' });
  const client = connect(llm.address, { connectTimeoutMs: 1 });
  await expect.poll(() => readAll(client).then(() => 'connected', String)).toBe('connected');
  llm.script([{ waitMs: 20 }, { text: 'a' }]); // longer than the limit
  expect(await readAll(client)).toMatchObject([{ kind: 'text', text: 'a' }, { kind: 'usage' }]);
});

test('replaces a connection attempt that hangs at the next call', async () => {
  const llm = await startService();
  llm.script({ text: 'back' });
  const proxy = await openFreezingProxy(`tcp://${llm.address}`);
  try {
    await proxy.set('dead');
    const client = connect(new URL(proxy.url).host, { connectTimeoutMs: 4_000 });
    const both = await Promise.all([failure(readAll(client)), failure(readAll(client))]);
    expect(both.map(({ code }) => code)).toEqual(['llm_service_unavailable', 'llm_service_unavailable']);
    await proxy.set('pass'); // connections opened before stay dead
    expect((await readAll(client))[0]).toEqual({ kind: 'text', text: 'back' });
  } finally {
    await proxy.close();
  }
});

test('waits for a service that is restarting', async () => {
  const first = await startScriptedLlm();
  first.script({ text: 'before' });
  const client = connect(first.address);
  await readAll(client);
  await first.close();

  const waiting = readAll(client);
  const second = await startService(first.port);
  second.script({ text: 'after' });
  expect((await waiting)[0]).toEqual({ kind: 'text', text: 'after' });
});

test('fails the call if the service dies in mid-stream, and works again when the service is back', async () => {
  const first = await startScriptedLlm();
  first.script([{ text: 'half' }, { hang: true }]);
  const client = connect(first.address);
  const seen: string[] = [];
  const broken = failure(
    (async () => {
      for await (const chunk of client.generate(SAMPLE_REQUEST, { signal: new AbortController().signal })) {
        if (chunk.kind === 'text') seen.push(chunk.text);
        await first.close();
      }
    })(),
  );
  expect(await broken).toMatchObject({ code: 'stream_broken', retryable: true });
  expect(seen).toEqual(['half']);

  const second = await startService(first.port);
  second.script({ text: 'whole' });
  expect((await readAll(client))[0]).toEqual({ kind: 'text', text: 'whole' });
});

test('tries a call three times that is refused before its first message', async () => {
  const llm = await startService();
  const refusal = { status: status.UNAVAILABLE, details: 'starting' };
  llm.script(refusal, [{ breakOff: 'connection' }], { text: 'third' }, refusal, refusal, refusal);
  const client = connect(llm.address);
  expect((await readAll(client))[0]).toEqual({ kind: 'text', text: 'third' });
  expect(await failure(readAll(client))).toMatchObject({ code: 'llm_service_unavailable', retryable: true });
  expect(llm.requests[2]).toEqual(llm.requests[0]);
  llm.assertNoUnusedScripts();
});

test('ends running calls on close', async () => {
  const llm = await startService();
  llm.script({ hang: true });
  const client = connect(llm.address);
  const result = failure(readAll(client));
  await llm.call(0);
  await client.close();
  expect(await result).toMatchObject({ code: 'client_closed', retryable: false });
  expect(await llm.calls[0]?.ended).toBe('cancelled');
  expect(await failure(readAll(client))).toMatchObject({ code: 'client_closed' });
});
