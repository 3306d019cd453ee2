import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { type Internet, PUBLIC_ADDRESS, startInternet } from '../../test/helpers/internet.ts';

const { start, queue, ended, attemptedTimes } = deliverSuite();
const URL = 'https://hooks.example/x';

let internet: Internet;
beforeAll(async () => {
  internet = await startInternet();
  internet.pages.set(URL, 'taken');
});
beforeEach(() => {
  internet.trapped.length = 0;
  internet.requests.length = 0;
});
afterAll(() => internet.close());

/** Delivers to `hooks.example`, which resolves to these addresses. */
async function deliver(addresses: string[] | (() => string[]), allowPrivate = false, url = URL) {
  internet.names.set('hooks.example', addresses);
  const [id] = (await queue('hook')) as [string];
  start({ hook: url }, { network: internet.network, allowPrivate });
  return ended(id);
}

test('a public address is reached', async () => {
  expect(await deliver([PUBLIC_ADDRESS])).toMatchObject({ status: 'DELIVERED' });
  expect(internet.requests.map(({ url }) => url)).toEqual([URL]);
});

test.each([
  ['a private address', ['10.0.0.7'], false],
  ['a loopback address', ['127.0.0.1'], false],
  ['one private address among public ones', [PUBLIC_ADDRESS, '192.168.1.1'], false],
  ['an address of cloud metadata', ['169.254.169.254'], false],
  ['an address of cloud metadata, even if private ones are allowed', ['169.254.169.254'], true],
])('%s is refused before anything is sent', async (_, addresses, allowPrivate) => {
  expect(await deliver(addresses, allowPrivate)).toMatchObject({
    ...{
      status: 'FAILED',
      attempts: 1,
      last_error: expect.stringContaining('PRIVATE_ADDRESS: hooks.example'),
    },
  });
  expect([...internet.requests, ...internet.trapped]).toEqual([]);
});

test('a name without an address is looked up again later', async () => {
  internet.names.set('hooks.example', []);
  const [id] = (await queue('hook')) as [string];
  start({ hook: URL }, { network: internet.network, allowPrivate: false });
  expect(await attemptedTimes(id, 1)).toMatchObject({
    ...{ status: 'PENDING', last_error: 'UNREACHABLE: hooks.example has no address.' },
  });
});

test('a private address written in the URL is refused', async () => {
  expect(await deliver([], false, 'https://[::ffff:10.0.0.7]/x')).toMatchObject({ status: 'FAILED' });
  expect(internet.trapped).toEqual([]);
});

test('a name that changes its address after the check cannot lead inside', async () => {
  let look = 0;
  const rebinding = () => (look++ === 0 ? [PUBLIC_ADDRESS] : ['127.0.0.1']);
  expect(await deliver(rebinding)).toMatchObject({ status: 'DELIVERED' });
  expect(internet.trapped).toEqual([]);
});
