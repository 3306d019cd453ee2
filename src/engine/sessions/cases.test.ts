import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import { ConflictError, NotFoundError } from '../../common/errors.ts';
import { createTransaction } from '../store/database.ts';
import { type CaseDeps, deleteCase } from './cases.ts';

test('a case is deleted once none of its replays runs, and hides their sessions', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end().then(database.drop));
  const id = await insertRow(pool, 'cases', {
    ...{ name: 'disk', document: '"disk"', hash: 'h', alert_type: 'host', world: 'OPEN', created_by: 'ana' },
    ...{ max_unrecorded_calls: 5, recorded_calls: 0 },
    expectation: JSON.stringify({ must_say: [], must_not_say: [], entities: [], causes: [] }),
  });
  const session = await insertSession(pool, { status: 'IN_PROGRESS', attempt: 1 });
  await insertRow(pool, 'replays', {
    ...{ case_id: id, session_id: session, provider: 'p', model: 'm', config_hash: 'h', created_by: 'ana' },
    ...{ suite_id: id, suite_size: 1 },
  });
  const transaction = createTransaction(pool, { publish: async () => {} });
  const remove = () =>
    deleteCase({ transaction } as CaseDeps, id, { name: 'ana', via: 'NONE', address: null });
  await expect(remove()).rejects.toThrow(ConflictError);
  await pool.query(`update alert_sessions set status = 'FAILED', completed_at = now() where id = $1`, [
    session,
  ]);
  await remove();
  expect((await pool.query('select 1 from cases')).rowCount).toBe(0);
  const { rows } = await pool.query('select deleted_at from alert_sessions where id = $1', [session]);
  expect(rows).toEqual([{ deleted_at: expect.any(Date) }]);
  await expect(remove()).rejects.toThrow(NotFoundError);
});
