import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { insertSession } from '../../test/helpers/http-api.ts';
import { type Receiver, startReceiver } from '../../test/helpers/receiver.ts';
import { redeliverNotification } from '../engine/features/notifications/manage.ts';
import { createTransaction } from '../engine/store/database.ts';
import { SendError, type SendFailure } from './failure.ts';
import { claimDue, endDelivery } from './store.ts';

vi.setConfig({ testTimeout: 120_000 });

const suite = deliverSuite();
const { start, queue, stored, attemptedTimes, ended, dueNow, skipToNext, warned, attempted } = suite;

let hook: Receiver;
beforeEach(async () => {
  hook = await startReceiver();
});
afterEach(() => hook.close());

/** Sends a delivery again, as an admin does. */
const repeat = (id: string) =>
  redeliverNotification(
    {
      ...{ db: suite.pool, transaction: createTransaction(suite.pool, { publish: async () => {} }) },
      config: {
        notifications: { channels: { hook: { name: 'hook', kind: 'webhook' } as never }, rules: [] },
      },
    },
    id,
    { name: 'root', via: 'PROXY', address: null },
  );

const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id']);

test('a receiver that fails five times gets the same id at every attempt', async () => {
  hook.answers.push(...Array.from({ length: 5 }, () => ({ status: 503 })));
  const [id] = (await queue('hook')) as [string];
  start({ hook: hook.url });
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    const failed = await attemptedTimes(id, attempts);
    expect(failed).toMatchObject({ status: 'PENDING', last_error: 'HTTP_503: 127.0.0.1 answered 503.' });
    expect(failed.due_in).toBeGreaterThan(1);
    await dueNow();
  }
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED', attempts: 6, last_error: null });
  expect(idsOf(hook)).toEqual(Array(6).fill(id));
  await expect.poll(() => attempted).toEqual([...Array(5).fill('RETRIED'), 'DELIVERED']);
  expect(warned.at(-1)).toBe('clear hook');
  expect(warned[0]).toBe('The channel hook does not deliver notifications (HTTP_503).');
});

test('an unresponsive receiver delays no other channel', async () => {
  const other = await startReceiver();
  hook.answers.push(...Array.from({ length: 20 }, () => 'hang' as const));
  await queue('slow', 20);
  const [id] = (await queue('fast')) as [string];
  start({ slow: hook.url, fast: other.url });
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
  expect(hook.received.length).toBeLessThanOrEqual(4);
  await other.close();
});

test('an attempt without an answer ends by its time limit', async () => {
  hook.answers.push('hang');
  const [id] = (await queue('hook')) as [string];
  start({ hook: hook.url }, { attemptMs: 300 });
  expect(await attemptedTimes(id, 1)).toMatchObject({
    ...{ status: 'PENDING', last_error: 'TIMEOUT: 127.0.0.1 took too long.' },
  });
  await dueNow();
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
});

test('a delivery survives an outage of its receiver', async () => {
  const { port, url } = hook;
  await hook.close();
  const [id] = (await queue('hook')) as [string];
  start({ hook: url });
  expect(await attemptedTimes(id, 1)).toMatchObject({
    last_error: 'UNREACHABLE: 127.0.0.1 could not be reached (ECONNREFUSED).',
  });
  hook = await startReceiver(port);
  await dueNow();
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED', attempts: 2 });
});

test('a receiver that is away for two hours gets the delivery once, at most about an hour after its return', async () => {
  const { port, url } = hook;
  await hook.close();
  const [id] = (await queue('hook')) as [string];
  start({ hook: url });
  let away = 0;
  const waits: number[] = [];
  for (let attempts = 1; away < 7_200; attempts += 1) {
    await attemptedTimes(id, attempts);
    const skipped = await skipToNext(id);
    waits.push(skipped);
    away += skipped;
  }
  hook = await startReceiver(port);
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED', last_error: null });
  expect(idsOf(hook)).toEqual([id]);
  expect(Math.max(...waits)).toBeLessThan(3_600 * 1.3);
  expect(waits.length).toBeGreaterThan(5);
});

test('deliveries that wait for a silent receiver follow the first one that it accepts', async () => {
  const { port, url } = hook;
  await hook.close();
  const [limited, ...waiting] = (await queue('hook', 3)) as [string, ...string[]];
  start({ hook: url });
  for (const id of [limited, ...waiting]) {
    await attemptedTimes(id, 1);
    // They had waited for hours, and would wait for another one.
    await suite.pool.query(
      `update notification_deliveries set due_at = now() + interval '1 hour', last_error = case when $2 then
       'HTTP_503: 127.0.0.1 answered 503.' else last_error end where id = $1`,
      [id, id === limited],
    );
  }
  hook = await startReceiver(port);
  const [next] = (await queue('hook')) as [string];
  for (const id of [next, ...waiting]) expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
  expect(await stored(limited)).toMatchObject({ status: 'PENDING', attempts: 1 });
});

test('a request for approval is tried again each minute', async () => {
  hook.answers.push({ status: 503 });
  const [id] = (await queue('hook', 1, 'approval.requested')) as [string];
  await suite.pool.query(
    `update notification_deliveries set queued_at = now() - interval '6 hours', session_id = $1`,
    [await insertSession(suite.pool, { status: 'IN_PROGRESS' })],
  );
  start({ hook: hook.url });
  const { due_in: wait } = await attemptedTimes(id, 1);
  expect(wait).toBeGreaterThan(1);
  expect(wait).toBeLessThan(80);
});

test('410 disables the channel until a test succeeds', async () => {
  hook.answers.push({ status: 410 });
  start({ hook: hook.url });
  const [first] = (await queue('hook')) as [string];
  expect(await ended(first)).toMatchObject({ status: 'DISABLED', attempts: 1 });
  await expect
    .poll(() => warned.at(-1))
    .toContain('It is disabled until a test or a repeated delivery succeeds.');
  const [second] = (await queue('hook')) as [string];
  expect(await ended(second)).toMatchObject({
    status: 'DISABLED',
    last_error: expect.stringContaining('Not sent'),
  });
  expect(hook.received).toHaveLength(1);
  const [probe] = (await queue('hook', 1, 'test')) as [string];
  expect(await ended(probe)).toMatchObject({ status: 'DELIVERED' });
  const [third] = (await queue('hook')) as [string];
  expect(await ended(third)).toMatchObject({ status: 'DELIVERED' });
});

test('410 ends the deliveries that wait for another attempt, until a repeated delivery succeeds', async () => {
  hook.answers.push({ status: 503 }, { status: 410 });
  start({ hook: hook.url });
  const [waiting] = (await queue('hook')) as [string];
  await attemptedTimes(waiting, 1);
  const [gone] = (await queue('hook')) as [string];
  expect(await ended(gone)).toMatchObject({ status: 'DISABLED', attempts: 1 });
  await dueNow();
  expect(await ended(waiting)).toMatchObject({ status: 'DISABLED', attempts: 2 });
  expect(idsOf(hook)).toEqual([waiting, gone]);
  await repeat(waiting);
  expect(await ended(waiting)).toMatchObject({ status: 'DELIVERED', attempts: 3 });
  const [next] = (await queue('hook')) as [string];
  expect(await ended(next)).toMatchObject({ status: 'DELIVERED' });
  expect(idsOf(hook)).toEqual([waiting, gone, waiting, next]);
});

test('a channel that a test enabled stays enabled while that test is repeated', async () => {
  hook.answers.push({ status: 410 }, { status: 200 }, { status: 503 });
  start({ hook: hook.url });
  const [gone] = (await queue('hook')) as [string];
  expect(await ended(gone)).toMatchObject({ status: 'DISABLED' });
  const [probe] = (await queue('hook', 1, 'test')) as [string];
  expect(await ended(probe)).toMatchObject({ status: 'DELIVERED' });
  await repeat(probe);
  await attemptedTimes(probe, 2);
  const [next] = (await queue('hook')) as [string];
  expect(await ended(next)).toMatchObject({ status: 'DELIVERED' });
});

test('a disabled channel stays disabled while its only disabled delivery is repeated', async () => {
  hook.answers.push({ status: 410 }, { status: 503 });
  start({ hook: hook.url });
  const [gone] = (await queue('hook')) as [string];
  expect(await ended(gone)).toMatchObject({ status: 'DISABLED' });
  await repeat(gone);
  await attemptedTimes(gone, 2);
  const [next] = (await queue('hook')) as [string];
  expect(await ended(next)).toMatchObject({ status: 'DISABLED' });
  expect(idsOf(hook)).toEqual([gone, gone]);
});

test.each([
  [400, 'FAILED'],
  [404, 'FAILED'],
  [408, 'PENDING'],
  [500, 'PENDING'],
])('an answer %i leaves the delivery %s', async (status, expected) => {
  hook.answers.push({ status });
  const [id] = (await queue('hook')) as [string];
  start({ hook: hook.url });
  expect(await attemptedTimes(id, 1)).toMatchObject({ status: expected });
});

test('a redirect is not followed', async () => {
  const inside = await startReceiver();
  hook.answers.push({ status: 307, headers: { location: inside.url } });
  const [id] = (await queue('hook')) as [string];
  start({ hook: hook.url });
  expect(await ended(id)).toMatchObject({
    status: 'FAILED',
    last_error: expect.stringMatching(/^REDIRECT: .*final URL/),
  });
  expect(inside.received).toEqual([]);
  await inside.close();
});

test.each([503, 429])('a delivery that is a day old fails for good, with a warning: %i', async (status) => {
  hook.answers.push({ status });
  const [id] = (await queue('hook')) as [string];
  await suite.pool.query(`update notification_deliveries set queued_at = now() - interval '1 day'`);
  start({ hook: hook.url });
  expect(await ended(id)).toMatchObject({ status: 'FAILED', attempts: 1 });
  await expect
    .poll(() => warned)
    .toEqual([`The channel hook does not deliver notifications (HTTP_${status}).`]);
});

test('1,000 deliveries reach the receiver once each, from two processes', async () => {
  const ids = await queue('hook', 1000);
  start({ hook: hook.url });
  start({ hook: hook.url });
  await expect.poll(() => hook.received.length, { timeout: 90_000 }).toBe(1000);
  await Promise.all(ids.slice(-8).map(ended));
  expect(idsOf(hook).sort()).toEqual([...ids].sort());
});

test('an attempt that lost its lease records nothing', async () => {
  const [id] = (await queue('hook')) as [string];
  await dueNow(); // the stored time is rounded, perhaps up
  const [lost] = await claimDue(suite.pool, 'hook', 1);
  await dueNow();
  const [owner] = await claimDue(suite.pool, 'hook', 1);
  expect(await endDelivery(suite.pool, lost!, 'FAILED', 'x')).toBe(false);
  expect(await endDelivery(suite.pool, owner!, 'DELIVERED', null)).toBe(true);
  expect(await stored(id)).toMatchObject({ status: 'DELIVERED', attempts: 2 });
});

test('a process that stops gives its attempts back at once', async () => {
  hook.answers.push('hang');
  const [id] = (await queue('hook')) as [string];
  const process = start({ hook: hook.url });
  await hook.nth(1);
  await process.stop();
  expect((await stored(id)).due_in).toBeLessThan(1); // not after the lease, which is longer
  start({ hook: hook.url });
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
  expect(idsOf(hook)).toEqual([id, id]);
});

test('a failure of one delivery alone raises no warning about its channel', async () => {
  const failures: SendFailure[] = [
    { code: 'OBJECT_GONE', isFinal: true, isOfDelivery: true },
    { code: 'NO_OBJECT', isFinal: true },
  ];
  suite.startChannels(
    new Map([
      [
        'back',
        async () => {
          throw new SendError('No note.', failures.shift()!);
        },
      ],
    ]),
  );
  const [gone] = (await queue('back')) as [string];
  expect(await ended(gone)).toMatchObject({ status: 'FAILED', last_error: 'OBJECT_GONE: No note.' });
  const [missing] = (await queue('back')) as [string];
  expect(await ended(missing)).toMatchObject({ status: 'FAILED' });
  await expect.poll(() => warned).toEqual(['The channel back does not deliver notifications (NO_OBJECT).']);
});
