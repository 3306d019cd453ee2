import { expect, test } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { claimDue, cleanUp, postponeChannel } from './store.ts';

const suite = deliverSuite();
const { queue, stored } = suite;

const set = (id: string, values: string) =>
  suite.pool.query(`update notification_deliveries set ${values} where id = $1`, [id]);

test('a rate limit brings no later attempt forward', async () => {
  const [soon, late] = (await queue('hook', 2)) as [string, string];
  await set(late, `due_at = now() + interval '1 hour'`);
  await postponeChannel(suite.pool, 'hook', 60_000);
  expect((await stored(soon)).due_in).toBeGreaterThan(0);
  expect((await stored(late)).due_in).toBeGreaterThan(1_800);
});

test('the delivery that has been due for the longest time is claimed first', async () => {
  const [third, first, second] = (await queue('hook', 3)) as [string, string, string];
  for (const [id, minutes] of Object.entries({ [third]: 1, [first]: 3, [second]: 2 }))
    await set(id, `due_at = now() - interval '${minutes} minutes'`);
  await suite.pool.query('analyze notification_deliveries'); // makes PostgreSQL read the small table in the order of its rows
  const claimed: string[] = [];
  for (let n = 0; n < 3; n += 1) claimed.push((await claimDue(suite.pool, 'hook', 1))[0]!.id);
  expect(claimed).toEqual([first, second, third]);
});

test('the clean-up deletes old deliveries, but none that is still attempted', async () => {
  const [recent, old, attempted] = (await queue('hook', 3)) as [string, string, string];
  for (const id of [recent, old]) await set(id, `status = 'DELIVERED', ended_at = now()`);
  for (const id of [old, attempted]) await set(id, `created_at = now() - interval '31 days'`);
  await cleanUp(suite.pool, 30);
  expect(await stored(recent)).toMatchObject({ status: 'DELIVERED' });
  expect(await stored(old)).toBeUndefined();
  expect(await stored(attempted)).toMatchObject({ status: 'PENDING' });
});

test('the clean-up fails deliveries that no process attempts, and keeps the error of the last attempt', async () => {
  const [unknown, refused, waiting] = (await queue('gone', 3)) as [string, string, string];
  for (const id of [unknown, refused, waiting])
    await set(id, `queued_at = now() - interval '26 hours', due_at = now() - interval '1 minute'`);
  await set(refused, `last_error = 'HTTP_503: hooks.example answered 503.'`);
  await set(waiting, `due_at = now() + interval '1 minute'`);
  await cleanUp(suite.pool, 30);
  expect(await stored(unknown)).toMatchObject({
    ...{ status: 'FAILED', last_error: 'No process has the channel in its configuration.' },
  });
  expect(await stored(refused)).toMatchObject({
    ...{ status: 'FAILED', last_error: 'HTTP_503: hooks.example answered 503.' },
  });
  expect(await stored(waiting)).toMatchObject({ status: 'PENDING' });
});
