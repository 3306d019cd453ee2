import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { migrateDatabase } from './migrate.ts';
import { openMigrator } from './migrator.ts';

const BEFORE = 'Migration20261122060000_slots';
const THIS = 'Migration20261122063500_session_search';
/** Number of sessions: more than one batch of the migration. */
const SESSIONS = 45;

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let sql: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  await sql.query('drop schema public cascade; create schema public');
  const orm = await openMigrator(database.url);
  await orm.migrator.up({ to: BEFORE });
  await orm.close(true);
  await sql.query(
    `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, final_analysis)
     select gen_random_uuid(), 'host', 'Alert No-' || n, 'c', 'a', 'COMPLETED', 'It failed' from generate_series(1, ${SESSIONS}) n`,
  );
  await sql.query(
    `insert into timeline_events (id, session_id, sequence_number, type, status, content)
     select gen_random_uuid(), id, n, 'LLM_RESPONSE', case n when 1 then 'COMPLETED' else 'STREAMING' end, 'seen ' || n
     from alert_sessions, generate_series(1, 2) n`,
  );
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const documents = async () =>
  (
    await sql.query<{ words: string; document: string }>(
      'select words, document::text from session_search order by length(words), words',
    )
  ).rows;

// The tests are the steps of one migration.
describe('documents', { shuffle: false }, () => {
  test('sessions from before the search get documents', async () => {
    await migrateDatabase(database.url, { logger });
    const found = await documents();
    expect(found).toHaveLength(SESSIONS);
    expect(found[0]).toEqual({
      words: '1 alert failed it no-1 seen',
      document: "'1':3,7 'alert':1 'fail':5 'it':4 'no':2 'seen':6",
    });
  });

  test('creates each document once, even with concurrent writers, and none for a deleted session', async () => {
    const stored = await sql.query<{ id: string }>(
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, author)
     select gen_random_uuid(), 'host', 'afterwards ' || n, 'c', 'a' from generate_series(1, 20) n returning id`,
    );
    const count = async () => (await documents()).filter(({ words }) => words.includes('afterwards')).length;
    expect(await count()).toBe(0);
    await sql.query('delete from alert_sessions where id = $1', [stored.rows[0]!.id]);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    const made = await Promise.all(
      [sql, other].map((client) => client.query<{ made: number }>('select tarsy_index_due(10000) as made')),
    );
    await other.end();
    expect(made.reduce((sum, { rows }) => sum + rows[0]!.made, 0)).toBe(20);
    expect(await count()).toBe(19);
    await sql.query(`delete from alert_sessions where alert_data like 'afterwards %'`);
  });

  test('an interrupted migration resumes: existing documents stay, missing ones are created', async () => {
    const whole = await documents();
    await sql.query(`delete from mikro_orm_migrations where name = '${THIS}'`);
    await sql.query(`delete from session_search where words like '%no-_ %'`);
    await sql.query(`update session_search set words = 'newer' where words like '%no-45 %'`);
    await migrateDatabase(database.url, { logger });
    const after = await documents();
    expect(after).toHaveLength(SESSIONS);
    expect(after.filter(({ words }) => words === 'newer')).toHaveLength(1);
    const unchanged = after.filter(({ words }) => words !== 'newer');
    expect(unchanged).toEqual(whole.filter(({ words }) => !words.includes('no-45 ')));
  });

  test('a session that cannot be indexed is still stored and ended', async () => {
    await sql.query(
      `alter table session_search add constraint refuses check (words not like '%unindexable%') not valid`,
    );
    const { rows } = await sql.query<{ id: string }>(
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status)
     values (gen_random_uuid(), 'host', 'unindexable', 'c', 'a', 'IN_PROGRESS') returning id`,
    );
    await sql.query('select tarsy_index_due(10000)');
    const ended = await sql.query(`update alert_sessions set status = 'COMPLETED' where id = $1`, [
      rows[0]!.id,
    ]);
    expect(ended.rowCount).toBe(1);
    await sql.query('select tarsy_index_due(10000)');
    const found = await sql.query('select 1 from session_search where session_id = $1', [rows[0]!.id]);
    expect(found.rowCount).toBe(0);
  });

  test('teams of sessions from before are added to their documents, and documents wait while the index is built', async () => {
    await sql.query(
      `delete from mikro_orm_migrations where name = 'Migration20261128030000_search_scope_additive'`,
    );
    await sql.query(`update alert_sessions set team = 'alpha' where alert_data = 'Alert No-1'`);
    await sql.query('drop index session_search_terms');
    await sql.query('alter table session_search drop column scope');
    await migrateDatabase(database.url, { logger });
    const { rows } = await sql.query(
      'select scope, count(*)::int as count from session_search group by 1 order by 2',
    );
    expect(rows[0]).toEqual({ scope: ['alpha'], count: 1 });
    expect(rows[1]).toMatchObject({ scope: [''] });
    await sql.query(
      `insert into session_search_due (session_id) select session_id from session_search limit 1`,
    );
    const builder = new pg.Client({ connectionString: database.url });
    await builder.connect();
    await builder.query(`begin; select pg_advisory_xact_lock(${0x73656172})`);
    const made = async () => (await sql.query('select tarsy_index_due(10000) as made')).rows[0].made;
    expect(await made()).toBe(0);
    await builder.query('commit');
    expect(await made()).toBe(1);
    await builder.end();
  });
});
