import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, insertSession, openApi } from '../../../test/helpers/http-api.ts';
import { createAdmission } from './admission.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

it('limits the alerts of a sender per minute and says when to retry', () => {
  let now = 45_000;
  const queue = { maxPending: 10, alertsPerMinute: 2 };
  const admission = createAdmission({ db: api.pool, queue, now: () => now });
  admission.countAlert('ana');
  admission.countAlert('ana');
  admission.countAlert('ben');
  expect(() => admission.countAlert('ana')).toThrow(
    expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 15 }),
  );
  now = 60_000;
  admission.countAlert('ana');
});

it('limits the waiting sessions, and counts its own at once', async () => {
  let now = 0;
  const queue = { maxPending: 3, alertsPerMinute: 10 };
  const admission = createAdmission({ db: api.pool, queue, now: () => now });
  await insertSession(api.pool);
  await insertSession(api.pool, { status: 'COMPLETED' });
  await admission.requireRoom();
  await insertSession(api.pool);
  await admission.requireRoom();
  const waiting = await insertSession(api.pool);
  const full = expect.objectContaining({ code: 'QUEUE_FULL', retryAfterSeconds: 60 });
  await expect(admission.requireRoom()).rejects.toThrow(full);
  now = 1000;
  await expect(admission.requireRoom()).rejects.toThrow(full);
  await api.pool.query(`update alert_sessions set status = 'IN_PROGRESS' where id = $1`, [waiting]);
  now = 2000;
  await admission.requireRoom();
  await expect(admission.requireRoom()).rejects.toThrow(full);
});

it('counts waiting sessions once for concurrent alerts', async () => {
  const queue = { maxPending: 1000, alertsPerMinute: 10 };
  let counted = 0;
  const db = {
    query: async () => {
      counted += 1;
      return { rows: [{ waiting: 3 }], rowCount: 1 };
    },
  };
  const admission = createAdmission({ db: db as never, queue, now: () => 0 });
  await Promise.all(Array.from({ length: 20 }, () => admission.requireRoom()));
  await admission.requireRoom();
  expect(counted).toBe(1);
});
