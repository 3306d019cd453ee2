import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { type ForwardProxy, startForwardProxy } from '../../test/helpers/forward-proxy.ts';
import { type Receiver, startReceiver } from '../../test/helpers/receiver.ts';

const { start, queue, ended, attemptedTimes, dueNow } = deliverSuite();
const NAME = 'hooks.example.test'; // only the proxy resolves it

let hook: Receiver;
let proxy: ForwardProxy;
beforeAll(async () => {
  hook = await startReceiver();
  proxy = await startForwardProxy({ [NAME]: hook.url.replace('/hook', '') });
  vi.stubEnv('HTTP_PROXY', proxy.url);
  vi.stubEnv('NO_PROXY', '');
});
afterEach(() => {
  proxy.refuse(null);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await proxy.close();
  await hook.close();
});

test('a delivery goes through the forward proxy, signed as without one', async () => {
  const [id] = (await queue('hook')) as [string];
  start({ hook: `http://${NAME}/hook` }, { allowPrivate: false });
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED', attempts: 1 });
  expect(proxy.seen.join()).toContain(NAME);
  const { headers, path } = hook.received.at(-1)!;
  expect(path).toBe('/hook');
  expect(headers).toMatchObject({ 'webhook-id': id, 'webhook-signature': expect.stringMatching(/^v1,/) });
});

test.each([407, 502])(
  'a proxy that answers %i loses no delivery, and its password stays unknown',
  async (status) => {
    proxy.refuse(status);
    const [id] = (await queue('hook')) as [string];
    start({ hook: `http://${NAME}/hook` }, { allowPrivate: false });
    const failed = await attemptedTimes(id, 1);
    expect(failed.status).toBe('PENDING');
    expect(failed.last_error).not.toMatch(/pass(\/|%2F)word/);
    proxy.refuse(null);
    await dueNow();
    expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
  },
);

test('a private address in the URL is refused although a proxy would connect', async () => {
  const before = proxy.seen.length;
  const [id] = (await queue('hook')) as [string];
  start({ hook: 'http://10.0.0.7/hook' }, { allowPrivate: false });
  expect(await ended(id)).toMatchObject({
    ...{ status: 'FAILED', last_error: expect.stringContaining('PRIVATE_ADDRESS') },
  });
  expect(proxy.seen).toHaveLength(before);
});
