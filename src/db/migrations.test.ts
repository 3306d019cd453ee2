import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { migrateDatabase, NewerDatabaseError } from './migrate.ts';
import { ENTITIES, openOrm } from './orm.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('entities and migrations describe the same database', async () => {
  const orm = await openOrm(database.url);
  try {
    expect(ENTITIES.length).toBe(24);
    expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  } finally {
    await orm.close(true);
  }
});

test('processes that start together migrate once', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  const rounds = await Promise.all([1, 2, 3].map(() => migrateDatabase(database.url, { logger })));
  expect(rounds.flatMap(({ applied }) => applied)).toEqual([
    'Migration20261121000000_initial',
    'Migration20261122010000_system',
    'Migration20261122010500_session_runbooks',
    'Migration20261122020500_slack_posts',
    'Migration20261122024500_retention',
    'Migration20261122060000_slots',
    'Migration20261122063500_session_search',
    'Migration20261122072000_shown_sessions',
    'Migration20261122170000_workers_lost_additive',
    'Migration20261122201500_intake_additive',
    'Migration20261122210000_provider_turns_additive',
    'Migration20261122233000_group_team_additive',
    'Migration20261122233500_cached_tokens_additive',
    'Migration20261122234500_alert_news',
    'Migration20261122235500_access_additive',
    'Migration20261122235500_due_sessions_additive',
    'Migration20261123001000_canaries_additive',
  ]);

  await client.query(`insert into mikro_orm_migrations (name) values ('Migration20990101000000_later')`);
  await expect(migrateDatabase(database.url, { logger })).rejects.toThrow(NewerDatabaseError);
  await client.end();
});
