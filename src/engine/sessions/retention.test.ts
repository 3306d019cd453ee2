import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../test/helpers/investigation.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { idAt } from '../../../test/helpers/unpartitioned.ts';
import { readPartitions } from '../../db/partitions/catalog.ts';
import { maintainPartitions } from '../../db/partitions/maintain.ts';
import { monthStart, PARTITIONED_TABLES, partitionName } from '../../db/partitions/months.ts';
import type { Queryable } from '../../db/queryable.ts';
import { applyRetention } from './retention.ts';

const TABLES = [
  'alert_sessions',
  'stages',
  'agent_executions',
  'messages',
  'timeline_events',
  'llm_interactions',
  'mcp_interactions',
  'session_events',
  'chats',
  'chat_user_messages',
];

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
afterEach(() => pool.query('delete from alert_sessions'));

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const ended = (days: number, more: Record<string, unknown> = {}) =>
  insertSession(pool, {
    status: 'COMPLETED',
    completed_at: daysAgo(days),
    created_at: daysAgo(days),
    ...more,
  });
const apply = (more: Partial<Parameters<typeof applyRetention>[0]> = {}) =>
  applyRetention({
    db: pool,
    retentionDays: 30,
    graceDays: 7,
    signal: new AbortController().signal,
    logger: pino({ level: 'silent' }),
    ...more,
  });

async function states(): Promise<Record<string, 'shown' | 'hidden'>> {
  const { rows } = await pool.query<{ id: string; hidden: boolean }>(
    'select id, deleted_at is not null as hidden from alert_sessions',
  );
  return Object.fromEntries(rows.map(({ id, hidden }) => [id, hidden ? 'hidden' : 'shown']));
}

async function counts(): Promise<number[]> {
  return Promise.all(TABLES.map(async (table) => (await pool.query(`select 1 from ${table}`)).rowCount ?? 0));
}

test('hides sessions that ended long ago, and none that run, wait or have an open question', async () => {
  const old = await ended(31);
  const failed = await ended(400, { status: 'FAILED' });
  const young = await ended(29);
  const talked = await ended(400, { last_interaction_at: daysAgo(2) });
  const asked = await ended(400);
  await insertRow(pool, 'stages', {
    session_id: asked,
    name: 'chat',
    index: 1,
    type: 'CHAT',
    status: 'PENDING',
  });
  const kept = await Promise.all(
    ['PENDING', 'IN_PROGRESS', 'CANCELLING'].map((status) =>
      insertSession(pool, { status, created_at: daysAgo(400), started_at: daysAgo(400) }),
    ),
  );
  expect(await apply()).toEqual({ hidden: 2, removed: 0 });
  expect(await states()).toEqual({
    [old]: 'hidden',
    [failed]: 'hidden',
    ...Object.fromEntries([young, talked, asked, ...kept].map((id) => [id, 'shown'])),
  });
  expect(await apply()).toEqual({ hidden: 0, removed: 0 });
});

test('deletes sessions hidden long ago with all their rows, and nothing else', async () => {
  const { session } = await insertInvestigation(pool);
  const before = await counts();
  const gone = await insertInvestigation(pool);
  await pool.query(
    `insert into timeline_events (id, session_id, sequence_number, type, status, content)
     select gen_random_uuid(), $1, 100 + n, 'ERROR', 'COMPLETED', 'x' from generate_series(1, 2500) n`,
    [gone.session],
  );
  await pool.query(
    `insert into session_events (session_id, seq, type, payload) select $1, n, 'TimelineEventCreated', '{}' from generate_series(1, 2500) n`,
    [gone.session],
  );
  await pool.query('update alert_sessions set deleted_at = $1 where id = $2', [daysAgo(8), gone.session]);
  await pool.query('update alert_sessions set last_interaction_at = now(), deleted_at = null where id = $1', [
    session,
  ]);
  expect(await apply({ retentionDays: 36_500 })).toEqual({ hidden: 0, removed: 1 });
  expect(await counts()).toEqual(before);
  expect(Object.keys(await states())).toEqual([session]);
});

test('deletes rows that are written while their session is deleted', async () => {
  const { session } = await insertInvestigation(pool);
  const before = await counts();
  const gone = await insertInvestigation(pool);
  await pool.query('update alert_sessions set deleted_at = $1 where id = $2', [daysAgo(8), gone.session]);
  await pool.query('update alert_sessions set last_interaction_at = now() where id = $1', [session]);
  const late = { session_id: gone.session, sequence_number: 100, type: 'ERROR', status: 'COMPLETED' };
  const db: Queryable = {
    async query(text, values) {
      if (`${text}`.includes('delete from alert_sessions')) await insertRow(pool, 'timeline_events', late);
      return pool.query(text as string, values);
    },
  };
  await apply({ db, retentionDays: 36_500 });
  expect(await counts()).toEqual(before);
});

test('skips locked sessions, and stops between batches', async () => {
  const held = await ended(31);
  const free = await ended(32);
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select 1 from alert_sessions where id = $1 for update', [held]);
  expect(await apply()).toEqual({ hidden: 1, removed: 0 });
  await client.query('commit');
  client.release();
  expect(await states()).toEqual({ [held]: 'shown', [free]: 'hidden' });
  expect(await apply({ signal: AbortSignal.abort() })).toEqual({ hidden: 0, removed: 0 });
  expect(await apply()).toEqual({ hidden: 1, removed: 0 });
});

test('handles more than one batch', async () => {
  await pool.query(
    `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, completed_at, deleted_at)
     select gen_random_uuid(), 'a', 'b', 'c', 'd', 'COMPLETED', now() - interval '40 days', null from generate_series(1, 450)`,
  );
  expect(await apply()).toEqual({ hidden: 450, removed: 0 });
  expect(await apply({ graceDays: 0 })).toEqual({ hidden: 0, removed: 450 });
});

describe('of whole months', () => {
  const month = (offset: number) => monthStart(new Date(), offset);
  const later = month(9);

  /** Inserts an investigation that began in the month, and was hidden long ago unless it is kept. */
  async function investigationOf(offset: number, isKept = false): Promise<string> {
    const id = idAt(new Date(month(offset).getTime() + 1_000));
    const { session } = await insertInvestigation(pool, 'disk full', { id, last_interaction_at: new Date() });
    if (!isKept)
      await pool.query('update alert_sessions set deleted_at = $1 where id = $2', [daysAgo(8), id]);
    return session;
  }

  const partitions = async () => (await readPartitions(pool, 'messages')).map(({ name }) => name);
  const nameOf = (offset: number) => partitionName('messages', month(offset));
  const remove = (more: Partial<Parameters<typeof applyRetention>[0]> = {}) =>
    apply({ retentionDays: 36_500, now: later, ...more });
  const messagesOf = async (id: string) =>
    (await pool.query('select 1 from messages where session_id = $1', [id])).rowCount;

  beforeEach(async () => {
    for (const offset of [3, 6])
      await maintainPartitions(database.url, { logger: pino({ level: 'silent' }), now: month(offset) });
  });

  test('drops the partitions of months without kept sessions, and deletes the rows of other months', async () => {
    const [first, second] = [await investigationOf(3), await investigationOf(3)];
    const [gone, kept] = [await investigationOf(4), await investigationOf(4, true)];
    const other = await investigationOf(5, true); // its rows have the same places (ctid) as those of `gone`
    const byRows = new Set<unknown>();
    const db: Queryable = {
      query(text, values) {
        if (`${text}`.includes('delete from messages where')) byRows.add(values![0]);
        return pool.query(text as string, values);
      },
    };
    expect(await remove({ db })).toEqual({ hidden: 0, removed: 3 });
    expect(byRows).toEqual(new Set([gone]));
    expect(await partitions()).not.toContain(nameOf(3));
    expect(await partitions()).toContain(nameOf(4));
    const left = await Promise.all([first, second, gone, kept, other].map(messagesOf));
    expect(left).toEqual([0, 0, 0, 5, 5]);
    expect(Object.keys(await states()).sort()).toEqual([kept, other].sort());
  });

  test('keeps the current month, and a month that has just ended', async () => {
    expect(await remove({ now: new Date(month(5).getTime() + 86_400_000) })).toMatchObject({ removed: 0 });
    expect(await partitions()).toEqual(expect.arrayContaining([nameOf(4), nameOf(5)]));
  });

  test('keeps a session that a user brings back while its month is removed', async () => {
    const [back, gone] = [await investigationOf(5), await investigationOf(5)];
    const db: Queryable = {
      async query(text, values) {
        if (`${text}`.includes('delete from alert_sessions where id = any'))
          await pool.query('update alert_sessions set deleted_at = null where id = $1', [back]);
        return pool.query(text as string, values);
      },
    };
    expect(await remove({ db })).toEqual({ hidden: 0, removed: 1 });
    expect([await messagesOf(back), await messagesOf(gone)]).toEqual([5, 0]);
    expect(Object.keys(await states())).toEqual([back]);
  });

  test('deletes the rows of deleted sessions if a locked session keeps the partitions', async () => {
    const [held, gone] = [await investigationOf(5), await investigationOf(5)];
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select 1 from alert_sessions where id = $1 for update', [held]);
    const round = await remove();
    const left = [await messagesOf(gone), Object.keys(await states())];
    await client.query('commit');
    client.release();
    expect(round).toEqual({ hidden: 0, removed: 1 });
    expect(left).toEqual([0, [held]]);
    expect(await remove()).toEqual({ hidden: 0, removed: 1 });
    expect(await partitions()).not.toContain(nameOf(5));
  });

  test('drops the partitions that an interrupted round left', async () => {
    const gone = await investigationOf(5);
    let drops = 0;
    const db: Queryable = {
      async query(text, values) {
        if (`${text}`.includes(`drop table "${PARTITIONED_TABLES[2]}`) && ++drops === 1)
          throw new Error('the process ends here');
        return pool.query(text as string, values);
      },
    };
    await expect(remove({ db })).rejects.toThrow('the process ends here');
    await remove();
    const left = PARTITIONED_TABLES.map(async (table) =>
      (await readPartitions(pool, table)).map(({ name }) => name.slice(table.length)),
    );
    expect(new Set((await Promise.all(left)).map(String)).size).toBe(1);
    expect(await partitions()).not.toContain(nameOf(5));
    expect(await messagesOf(gone)).toBe(0);
  });

  test('deletes the rows of deleted sessions if a user brings another one back after an interruption', async () => {
    const sessions = [await investigationOf(5), await investigationOf(5)];
    let back = '';
    const db: Queryable = {
      async query(text, values) {
        if (back !== '') throw new Error('the process ends here');
        if (!`${text}`.includes('delete from alert_sessions where id = any'))
          return pool.query(text as string, values);
        const result = await pool.query(`${text}`.replace('limit 100', 'limit 1'), values);
        if (result.rowCount === 1) back = Object.keys(await states())[0]!;
        return result as never;
      },
    };
    await expect(remove({ db })).rejects.toThrow('the process ends here');
    await pool.query('update alert_sessions set deleted_at = null where id = $1', [back]);
    await remove();
    const [gone] = sessions.filter((id) => id !== back);
    expect([await messagesOf(back), await messagesOf(gone!)]).toEqual([5, 0]);
  });

  test('waits briefly for readers, lets later ones pass, and drops the partition after they end', async () => {
    await investigationOf(6);
    const reader = await pool.connect();
    await reader.query('begin; select 1 from messages limit 1');
    const removed = remove();
    const waits = async () =>
      (
        await pool.query(
          `select 1 from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and query like '%drop table%'`,
        )
      ).rowCount;
    const waited = expect.poll(waits, { timeout: 20_000, interval: 5 }).toBe(1);
    await waited
      .then(() => pool.query('select 1 from messages limit 1'))
      .finally(() => reader.query('commit'));
    reader.release();
    expect(await removed).toEqual({ hidden: 0, removed: 1 });
    expect(await partitions()).not.toContain(nameOf(6));
  });
});
