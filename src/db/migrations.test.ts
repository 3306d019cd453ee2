import type { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { migrateDatabase, NewerDatabaseError } from './migrate.ts';
import { migrationNames } from './migrations.ts';
import { ENTITIES, openMigrator } from './migrator.ts';
import { tableOf } from './table-of.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('entities and migrations describe the same database', async () => {
  const orm = await openMigrator(database.url);
  try {
    expect(ENTITIES.length).toBe(45);
    expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
  } finally {
    await orm.close(true);
  }
});

test('tableOf agrees with the ORM', async () => {
  const orm = await openMigrator(database.url);
  await orm.close(true);
  for (const entity of ENTITIES) {
    const { tableName, props } = orm.getMetadata().get(entity.meta.class);
    const columns = new Map(props.map(({ name, fieldNames }) => [name as string, fieldNames[0]]));
    expect(tableOf(entity)).toEqual({ name: tableName, columns });
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

/** The last migration that the test below does not check. */
const LAST_WITHOUT = 'Migration20261122210000_provider_turns_additive';

/** A migration that locks several tables can deadlock with old processes that lock these tables in another order. */
test('no migration changes several used tables in one transaction', async () => {
  const orm = await openMigrator(database.url);
  for (const name of (await migrationNames()).filter((each) => each > LAST_WITHOUT)) {
    const { [name]: Class } = (await import(`../../migrations/${name}.ts`)) as Record<
      string,
      typeof Migration
    >;
    const migration = new (Class as new (...parts: unknown[]) => Migration)(orm.em.getDriver(), orm.config);
    await migration.up();
    if (!migration.isTransactional()) continue;
    const text = migration.getQueries().join('\n');
    const tables = (verb: string) =>
      new Set(
        [...text.matchAll(new RegExp(`${verb} table (?:if not exists )?"?(\\w+)`, 'g'))].map(
          ([, table]) => table,
        ),
      );
    const changed = [...tables('alter').difference(tables('create'))];
    expect(changed.length, `${name} changes ${changed.join(', ')}`).toBeLessThanOrEqual(1);
  }
  await orm.close(true);
});
