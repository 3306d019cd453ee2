import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openTestPool } from '../../test/helpers/deliveries.ts';
import { createTestDatabase } from '../../test/helpers/postgres.ts';
import { createRejections } from './rejections.ts';

it('keeps the first message of a minute, and counts those that arrive during a write', async () => {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  const rejections = createRejections({ db: pool, logger: pino({ level: 'silent' }) });
  rejections.add({ source: 'prod', code: 'BAD_PROOF', message: 'written alone' });
  for (const message of ['first', 'second', 'third'])
    rejections.add({ source: 'prod', code: 'UNREADABLE_DELIVERY', message });
  await rejections.flush();
  const { rows } = await pool.query('select code, reason, count from intake_decisions order by code');
  expect(rows).toEqual([
    { code: 'BAD_PROOF', reason: 'written alone', count: 1 },
    { code: 'UNREADABLE_DELIVERY', reason: 'first', count: 3 },
  ]);
  await pool.end();
  await database.drop();
});
