import pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { insertSession } from '../../../test/helpers/http-api.ts';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import type { Queryable } from '../../db/queryable.ts';
import { applyRetention } from './retention.ts';

test('keeps a session that an operator restores while its rows are being deleted', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end().then(database.drop));
  const ended = { status: 'COMPLETED', completed_at: new Date(), created_at: new Date() };
  const longAgo = new Date(Date.now() - 8 * 86_400_000);
  const ids = [0, 1].map(() => insertSession(pool, { ...ended, deleted_at: longAgo }));
  const [restored] = await Promise.all(ids);
  const db: Queryable = {
    async query(statement: string | { name: string; text: string }, values?: unknown[]) {
      const isOfRows = typeof statement === 'string' && statement.startsWith('delete from');
      if (isOfRows && values?.[0] === restored)
        await pool.query('update alert_sessions set deleted_at = null where id = $1', [restored]);
      return pool.query(statement as string, values);
    },
  };
  const { signal } = new AbortController();
  const logger = pino({ level: 'silent' });
  const done = await applyRetention({ db, retentionDays: 30, graceDays: 7, signal, logger });
  expect(done).toEqual({ hidden: 0, removed: 1 });
  expect((await pool.query('select id from alert_sessions')).rows).toEqual([{ id: restored }]);
});
