import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { migrateDatabase, NewerDatabaseError } from './migrate.ts';
import { migrationNames } from './migrations.ts';
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
    expect(ENTITIES.length).toBe(25);
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
  expect(rounds.flatMap(({ applied }) => applied)).toEqual((await migrationNames()).sort());

  await client.query(`insert into mikro_orm_migrations (name) values ('Migration20990101000000_later')`);
  await expect(migrateDatabase(database.url, { logger })).rejects.toThrow(NewerDatabaseError);
  await client.end();
});
