import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { type Receiver, startReceiver } from '../../test/helpers/receiver.ts';
import { SendError } from './failure.ts';

vi.setConfig({ testTimeout: 120_000 });

const suite = deliverSuite();
const { start, queue, stored, attemptedTimes, warned } = suite;

let hook: Receiver;
beforeEach(async () => {
  hook = await startReceiver();
});
afterEach(() => hook.close());

test.each([
  ['in seconds', () => '300'],
  ['by a date', () => new Date(Date.now() + 300_000).toUTCString()],
])('429 delays all deliveries of the channel as long as the receiver asks %s', async (_form, after) => {
  hook.answers.push({ status: 429, headers: { 'retry-after': after() } });
  const ids = await queue('hook', 2);
  await suite.pool.query(`update notification_deliveries set due_at = now() + '150 seconds' where id = $1`, [
    ids[1],
  ]);
  start({ hook: hook.url });
  await attemptedTimes(ids[0]!, 1);
  await expect.poll(async () => (await stored(ids[1]!)).due_in).toBeGreaterThan(200);
  expect((await stored(ids[0]!)).due_in).toBeGreaterThan(200);
  expect(warned).toEqual([]); // a rate limit is no failure
});

test.each([
  ['as long as the receiver asks', { 'retry-after': '1' }, [4, 10]],
  ['for 5 s, and the limited delivery longer', {}, [600, 3_600]],
])('a rate limit after an outage of hours holds the channel up %s', async (_for, headers, [least, most]) => {
  hook.answers.push({ status: 429, headers });
  const [limited, approval] = (await queue('hook', 2)) as [string, string];
  await suite.pool.query(
    `update notification_deliveries set queued_at = now() - interval '2 hours',
       due_at = case when id = $1 then now() + interval '4 seconds' else due_at end`,
    [approval],
  );
  start({ hook: hook.url });
  await attemptedTimes(limited, 1);
  await expect.poll(async () => (await stored(approval)).due_in).toBeGreaterThan(4);
  expect((await stored(approval)).due_in).toBeLessThan(10);
  const { due_in: due } = await stored(limited);
  expect(due > least! && due <= most!, `${due} s`).toBe(true);
});

test.each([31_536_000_000_000, Number.NaN, Number.POSITIVE_INFINITY])(
  'a receiver that asks for a delay of %d ms holds its channel up for at most six hours',
  async (retryAfterMs) => {
    const limited = { code: 'SLACK_RATELIMITED', isRateLimited: true, retryAfterMs } as const;
    suite.startChannels(new Map([['chat', () => Promise.reject(new SendError('Too many.', limited))]]));
    const ids = await queue('chat', 6); // more than are attempted at a time
    await attemptedTimes(ids[0]!, 1);
    await expect
      .poll(async () => Math.min(...(await Promise.all(ids.map(stored))).map(({ due_in: due }) => due)))
      .toBeGreaterThan(0);
    for (const { status, due_in: due } of await Promise.all(ids.map(stored)))
      expect([status, due < 7 * 3600]).toEqual(['PENDING', true]);
  },
);
