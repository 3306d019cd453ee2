import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { apiClient } from '../../../test/helpers/api.ts';
import { startTestApp } from '../../../test/helpers/app.ts';
import { caseClient } from '../../../test/helpers/cases.ts';
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

test('replays start only if the queue has room for all of them', async () => {
  const app = await startTestApp({ role: 'api', queue: { max_pending: 2, max_concurrent_sessions: 1 } });
  onTestFinished(() => app.stop());
  const cases = caseClient(apiClient(app.url));
  const document = {
    format: 1,
    name: 'disk',
    alert_type: 'test',
    recorded_at: '2026-11-01T10:00:00Z',
    alert: 'x',
  };
  const { case: stored } = await cases.import(JSON.stringify(document));
  const start = (runs: number) => cases.start({ caseId: stored!.id, runs });
  expect(await start(3)).toMatchObject({ code: 'QUEUE_FULL' });
  expect((await start(2)).replays).toHaveLength(2);
  expect(await start(1)).toMatchObject({ code: 'QUEUE_FULL' });
});
