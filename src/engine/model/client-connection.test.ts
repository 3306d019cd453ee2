import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createLlmBench, readAll, SAMPLE_REQUEST } from '../../../test/helpers/scripted-llm/client.ts';
import { startScriptedLlm } from '../../../test/helpers/scripted-llm/index.ts';
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

test('a service that cannot be reached is named after the connect limit', async () => {
  const gone = await startScriptedLlm();
  await gone.close();
  expect(await failure(readAll(connect(gone.address, { connectTimeoutMs: 50 })))).toMatchObject({
    code: 'llm_service_unavailable',
    retryable: true,
  });
});

test('an attempt to connect that hangs is given up: the next call makes another', async () => {
  const llm = await startService();
  llm.script({ text: 'back' });
  const proxy = await openFreezingProxy(`tcp://${llm.address}`);
  try {
    await proxy.set('dead');
    const client = connect(new URL(proxy.url).host, { connectTimeoutMs: 1_000 });
    const both = await Promise.all([failure(readAll(client)), failure(readAll(client))]);
    expect(both.map(({ code }) => code)).toEqual(['llm_service_unavailable', 'llm_service_unavailable']);
    await proxy.set('pass'); // what was begun before stays dead
    expect((await readAll(client))[0]).toEqual({ kind: 'text', text: 'back' });
  } finally {
    await proxy.close();
  }
});

test('a call made while the service restarts waits for it', async () => {
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

test('a service that dies in mid-stream fails the call, and the same client works when it is back', async () => {
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

test('a call that is refused before its first message is made again, three times in all', async () => {
  const llm = await startService();
  const refusal = { status: status.UNAVAILABLE, details: 'starting' };
  llm.script(refusal, [{ breakOff: 'connection' }], { text: 'third' }, refusal, refusal, refusal);
  const client = connect(llm.address);
  expect((await readAll(client))[0]).toEqual({ kind: 'text', text: 'third' });
  expect(await failure(readAll(client))).toMatchObject({ code: 'llm_service_unavailable', retryable: true });
  expect(llm.requests[2]).toEqual(llm.requests[0]);
  llm.assertNoUnusedScripts();
});

test('closing ends running calls', async () => {
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
