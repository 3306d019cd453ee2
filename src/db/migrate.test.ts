import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { breakingChanges, readSchema } from '../../test/helpers/schema-changes.ts';
import { migrateDatabase, NewerDatabaseError } from './migrate.ts';
import { openMigrator } from './migrator.ts';

/** The last migration before `THIS`. `THIS` changes a table that all processes read. */
const BEFORE = 'Migration20261122072000_shown_sessions';
const THIS = 'Migration20261122201500_intake_additive';
/** Last migration whose name may lack the suffix `_additive`, because databases already store the name. */
const UNNAMED = 'Migration20261123004500_search_due';
/** Code of a TLS request in the first packet; a plain connection sends the protocol version instead. */
const SSL_REQUEST = 80877103;
const PATIENCE = { lockTimeoutMs: 50, retryMs: [50] };

const logs: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void logs.push(JSON.parse(line).msg) });
let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = await connected();
});
beforeEach(() => void logs.splice(0));
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function connected(): Promise<pg.Client> {
  const opened = new pg.Client({ connectionString: database.url });
  await opened.connect();
  return opened;
}

/** Empties the database and migrates it up to the migration `name`. */
async function migrateTo(name: string): Promise<void> {
  await client.query('drop schema public cascade; create schema public');
  const orm = await openMigrator(database.url);
  await orm.migrator.up({ to: name });
  await orm.close(true);
}

const triesAgain = (times: number) =>
  expect
    .poll(() => logs.filter((line) => line.includes('retrying')).length, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(times);

describe('during a backup, which locks every table', () => {
  test('a migration lets readers proceed and completes after the backup', async () => {
    await migrateTo(BEFORE);
    await client.query('begin; lock table alert_sessions in access share mode');
    const migrated = migrateDatabase(database.url, { logger, patience: PATIENCE });
    await triesAgain(2);
    const reader = await connected();
    await reader.query(`set lock_timeout = '20s'; select count(*) from alert_sessions`);
    await reader.end();
    await client.query('commit');
    expect(await migrated).toMatchObject({ applied: expect.arrayContaining([THIS]) });
  });

  test('migrations of the queue do too', async () => {
    await client.query('create table queued (id int)');
    await client.query('begin; lock table queued in access share mode');
    let done = 0;
    const extra = async (url: string) => {
      const queue = new pg.Client({ connectionString: url });
      await queue.connect();
      await queue.query('alter table queued add column at timestamptz').finally(() => queue.end());
      done += 1;
    };
    const migrated = migrateDatabase(database.url, { logger, extra, patience: PATIENCE });
    await triesAgain(2);
    await client.query('commit');
    await migrated;
    expect(done).toBe(1);
  });

  test('any other error fails the migration', async () => {
    await migrateTo(BEFORE);
    await client.query('alter table alert_sessions add column workers_lost int');
    await expect(migrateDatabase(database.url, { logger, patience: PATIENCE })).rejects.toThrow(
      /already exists/,
    );
    expect(logs).toEqual([]);
    await client.query('alter table alert_sessions drop column workers_lost');
    await migrateDatabase(database.url, { logger });
  });
});

test('follows the options of the database URL, such as TLS', async () => {
  const asked: number[] = [];
  const server = createServer((socket) =>
    socket.once('data', (first) => {
      asked.push(first.readInt32BE(4));
      socket.end('N'); // the answer of a server without TLS
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const orm = await openMigrator(`postgres://tarsy@127.0.0.1:${port}/tarsy?sslmode=verify-full`);
  await expect(orm.migrator.up()).rejects.toThrow('does not support SSL');
  await orm.close(true);
  server.close();
  expect(new Set(asked)).toEqual(new Set([SSL_REQUEST]));
});

describe('the previous version on an upgraded database', () => {
  async function record(...names: string[]): Promise<void> {
    await client.query(`delete from mikro_orm_migrations where name like 'Migration2099%'`);
    await client.query('insert into mikro_orm_migrations (name) select unnest($1::text[])', [names]);
  }

  test('keeps working if the newer migrations are additive', async () => {
    await record('Migration20990101000000_one_additive', 'Migration20990102000000_two_additive');
    expect(await migrateDatabase(database.url, { logger })).toEqual({ applied: [] });
  });

  test('refuses the database if one is not additive, and names it', async () => {
    await record('Migration20990101000000_one_additive', 'Migration20990102000000_two');
    const refused = migrateDatabase(database.url, { logger });
    await expect(refused).rejects.toThrow(NewerDatabaseError);
    await expect(refused).rejects.toThrow(/\(Migration20990102000000_two\)/);
  });
});

/** Functions that an additive migration replaces. The previous version calls the new ones with the same effect. */
const REPLACED: Record<string, string[]> = {
  Migration20261128030000_search_scope_additive: [
    'function .tarsy_index_due(integer)',
    'function .tarsy_index_session(uuid)',
  ],
};

describe('additive migrations', () => {
  test.each([
    ['create table more (id int primary key, of_session uuid references alert_sessions)', []],
    ['create index more on alert_sessions (author, id)', []],
    ['drop index alert_sessions_by_author', []],
    ['alter table alert_sessions add column more int', []],
    [`alter table alert_sessions add column more int not null default 1`, []],
    ['create function more() returns int language sql return 1', []],
    ['alter table alert_sessions add column more int not null', ['column alert_sessions.more']],
    ['alter table alert_sessions drop column error_message', ['column alert_sessions.error_message']],
    [
      'alter table alert_sessions rename author to sender',
      ['column alert_sessions.author', 'column alert_sessions.sender'],
    ],
    ['alter table alert_sessions alter error_message set not null', ['column alert_sessions.error_message']],
    ['alter table alert_sessions alter attempt type bigint', ['column alert_sessions.attempt']],
    ['alter table alert_sessions alter author drop not null', ['column alert_sessions.author']],
    [`alter table stages add constraint more check (name <> '')`, ['constraint stages.more']],
    ['alter table slack_posts drop constraint slack_posts_status_check', []],
    [
      'alter table stages drop constraint stages_session_index',
      expect.arrayContaining(['constraint stages.stages_session_index']),
    ],
    ['create unique index more on stages (name, session_id)', ['unique index stages.more']],
    ['drop table slack_posts', expect.arrayContaining(['table slack_posts.'])],
  ])('%s: %j', async (sql, broken) => {
    const before = await readSchema(client);
    await client.query(`begin; ${sql}`);
    expect(breakingChanges(before, await readSchema(client))).toEqual(broken);
    await client.query('rollback');
  });

  test('every migration named additive is additive', async () => {
    const files = (await readdir(new URL('../../migrations', import.meta.url))).toSorted();
    await client.query('drop schema public cascade; create schema public');
    const orm = await openMigrator(database.url);
    for (const name of files.map((file) => file.replace(/\.ts$/, ''))) {
      const isMeant = name.endsWith('_additive') || name === THIS;
      const before = isMeant || name > UNNAMED ? await readSchema(client) : null;
      await orm.migrator.up({ to: name });
      if (before === null) continue;
      const broken = breakingChanges(before, await readSchema(client));
      if (isMeant) expect(broken.toSorted(), name).toEqual(REPLACED[name] ?? []);
      else
        expect(
          broken,
          `${name} only adds: say so by its name, or the version before does not start`,
        ).not.toEqual([]);
    }
    await orm.close(true);
  });
});
