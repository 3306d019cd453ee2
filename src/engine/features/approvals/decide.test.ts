import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../../test/helpers/investigation.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import type { Viewer } from '../../../access/viewer.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import { createTransaction } from '../../store/database.ts';
import { hashOfCall } from './argument-binding.ts';
import { createApprovalChanges, type DecideDeps, decideApproval, expireApprovals } from './decide.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const viewer = (name: string, more: Partial<Viewer> = {}) =>
  ({ name, via: 'PROXY', address: null, tokenId: null, rights: new Set(['APPROVE']), ...more }) as Viewer;

const deps = (more: Partial<DecideDeps> = {}): DecideDeps & { db: pg.Pool } => ({
  ...{ db: pool, config: { notifications: { channels: {}, rules: [] } } },
  transaction: createTransaction(pool, { publish: async () => {} }),
  ...{ turnCipher: { open: () => null }, masking: { maskChat: (text) => text }, mayApprove: () => true },
  ...{ dispatch: async () => {}, enqueueAnswer: async () => {} },
  ...more,
});

const ARGUMENTS = { text: 'clean up' };
const argumentsHash = hashOfCall('tools', 'note', ARGUMENTS);

/** Inserts a call that waits for approval. */
async function approval(row: object = {}) {
  const { session, stage, execution } = await insertInvestigation(pool, 'disk', {
    ...{ status: 'IN_PROGRESS', completed_at: null },
  });
  await pool.query('delete from timeline_events where session_id = $1', [session]);
  const id = await insertRow(pool, 'approvals', {
    ...{ session_id: session, stage_id: stage, execution_id: execution, timeline_event_id: uuidv7() },
    ...{ message_sequence: 3, tool_call_id: 'c1', server: 'tools', tool: 'note', schema_hash: 'x' },
    ...{ arguments: JSON.stringify(ARGUMENTS), arguments_hash: argumentsHash, policy: 'p' },
    ...{ provenance: '[]', required_approvals: 1, expires_at: new Date(Date.now() + 3_600_000), ...row },
  });
  return { id, session };
}

const approve = (id: string, by: Viewer, more?: Partial<DecideDeps>) =>
  decideApproval(deps(more), id, { approve: true, comment: null, argumentsHash }, by);
const PAST = { expires_at: new Date(Date.now() - 1_000) };

test('refuses a decision after the time, although the approval is not marked as expired yet', async () => {
  const { id } = await approval(PAST);
  await expect(approve(id, viewer('bo'))).rejects.toThrow('The approval expired without a decision.');
});

test('is decided at the last of the required approvals', async () => {
  const { id } = await approval({ required_approvals: 2, asked_by: 'ana' });
  expect(await approve(id, viewer('ana'))).toMatchObject({ status: 'PENDING', decidedAt: null });
  expect(await approve(id, viewer('bo'))).toMatchObject({ status: 'APPROVED', decidedAt: expect.any(Date) });
});

test('lets the asker alone approve only if viewers do not sign in', async () => {
  const { id } = await approval({ asked_by: 'ana' });
  await expect(approve(id, viewer('ana'))).rejects.toThrow('The call comes from your own question.');
  expect(await approve(id, viewer('ana', { via: 'NONE' }))).toMatchObject({ status: 'APPROVED' });
});

test('names the missing role only to a viewer who has no right to approve', async () => {
  const { id } = await approval();
  const refused = { mayApprove: () => false };
  await expect(approve(id, viewer('bo'), refused)).rejects.toMatchObject({ requiredRole: null });
  await expect(approve(id, viewer('vera', { rights: new Set() }), refused)).rejects.toMatchObject({
    requiredRole: 'RESPONDER',
  });
});

test('expires what is overdue and undecided, and leaves the approvals of hidden sessions alone', async () => {
  const [late, open, decided, hidden] = [
    await approval(PAST),
    await approval(),
    await approval({ ...PAST, status: 'APPROVED' }),
    await approval(PAST),
  ];
  await pool.query('update alert_sessions set deleted_at = now() where id = $1', [hidden.session]);
  await pool.query(
    `insert into approvals select o.* from generate_series(1, 100) n, approvals a,
       jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'tool_call_id', n, 'expires_at', '2026-01-01')) o
     where a.id = $1`,
    [hidden.id],
  );
  await expireApprovals(deps());
  const { rows } = await pool.query<{ id: string; status: string }>('select id, status from approvals');
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  expect([late, open, decided, hidden].map(({ id }) => statuses.get(id))).toEqual([
    ...['EXPIRED', 'PENDING', 'APPROVED', 'PENDING'],
  ]);
  const told = await pool.query(
    `select content from timeline_events where session_id = $1 and type = 'APPROVAL_DECIDED'`,
    [late.session],
  );
  expect(told.rows).toEqual([{ content: 'Expired without a decision.' }]);
});

test('does not expire an approval that is decided meanwhile', async () => {
  const { id, session } = await approval(PAST);
  const other = await pool.connect();
  await other.query('begin');
  await other.query('select 1 from alert_sessions where id = $1 for update', [session]);
  const expiring = expireApprovals(deps());
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 30_000 }).toBe(1);
  await other.query(`update approvals set status = 'APPROVED' where id = $1`, [id]);
  await other.query('commit');
  other.release();
  await expiring;
  const { rows } = await pool.query('select status from approvals where id = $1', [id]);
  expect(rows).toEqual([{ status: 'APPROVED' }]);
}, 60_000);

test('publishes changed approvals, but none of a hidden session', async () => {
  const [hidden, shown] = [await approval(), await approval()];
  await pool.query('update alert_sessions set deleted_at = now() where id = $1', [hidden.session]);
  const changes = createApprovalChanges({ db: pool, logger: pino({ level: 'silent' }) });
  const published: string[] = [];
  const stop = changes.subscribe().listen(({ id }) => published.push(id));
  const touch = 'update approvals set updated_at = clock_timestamp() where id = $1';
  const next = async () => {
    for (const { id } of [hidden, shown]) await pool.query(touch, [id]);
    return published;
  };
  await expect.poll(next, { timeout: 10_000 }).toContain(shown.id);
  expect(published).not.toContain(hidden.id);
  stop();
  changes.close();
});
