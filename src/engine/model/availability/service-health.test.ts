import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openFreezingProxy } from '../../../../test/helpers/freezing-proxy.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { startScriptedLlm } from '../../../../test/helpers/scripted-llm/index.ts';
import { servingCheck } from '../../../machine/grpc-health.ts';
import { createWarnings, listWarnings } from '../../../warnings.ts';
import { watchLlmService } from './service-health.ts';

const logger = pino({ level: 'silent' });
let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const warned = async () => (await listWarnings(pool)).map(({ category, details }) => [category, details]);

/** Starts a watch of the service, as each process has one. */
function watcher(address: string) {
  const service = servingCheck(address);
  const warnings = createWarnings({ db: pool, mask: (text) => text, logger });
  const watch = watchLlmService({ ask: service.check, address, warnings, logger, checkMs: 50 });
  onTestFinished(async () => {
    await watch.stop();
    service.close();
  });
  return watch;
}

test('raises one warning for all processes while one of them misses the service', async () => {
  const llm = await startScriptedLlm();
  onTestFinished(() => llm.close());
  const near = await openFreezingProxy(`tcp://${llm.address}`);
  const far = await openFreezingProxy(`tcp://${llm.address}`);
  onTestFinished(async () => {
    await near.close();
    await far.close();
  });
  const one = watcher(new URL(near.url).host);
  const other = watcher(new URL(far.url).host);
  await expect(one.check()).resolves.toBeUndefined();
  expect(await warned()).toEqual([]);

  await Promise.all([near.set('refuse'), far.set('refuse')]);
  await expect.poll(() => one.check().catch(String), { timeout: 30_000 }).toMatch('does not answer');
  await expect.poll(() => other.check().catch(String), { timeout: 30_000 }).toMatch('does not answer');
  await expect
    .poll(warned, { timeout: 30_000 })
    .toEqual([['llm_service', expect.stringContaining('Address: 127.0.0.1')]]);

  await near.set('pass');
  await expect.poll(() => one.check().catch(String), { timeout: 30_000 }).toBeUndefined();
  // The other process raises the warning again that the first one cleared.
  await expect.poll(warned, { timeout: 30_000 }).toHaveLength(1);
  await far.set('pass');
  await expect.poll(warned, { timeout: 30_000 }).toEqual([]);
});

test('does not warn of single failed checks', async () => {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let checks = 0;
  const watch = watchLlmService({
    async ask() {
      checks += 1;
      if (checks === 8) resolve();
      if (checks % 2 === 1) throw new Error('busy');
    },
    address: '127.0.0.1:1',
    warnings: createWarnings({ db: pool, mask: (text) => text, logger }),
    logger,
    checkMs: 5,
  });
  onTestFinished(() => watch.stop());
  await enough;
  await expect(watch.check()).resolves.toBeUndefined();
  expect(await warned()).toEqual([]);
});

test('clears its warning when it stops', async () => {
  const nobody = watcher('127.0.0.1:1');
  await expect.poll(warned, { timeout: 30_000 }).toHaveLength(1);
  await nobody.stop();
  expect(await warned()).toEqual([]);
});
