import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { uuidv7 } from '../../src/common/uuidv7.ts';
import { openMigrator } from '../../src/db/migrator.ts';
import { PARTITIONED_TABLES } from '../../src/db/partitions/months.ts';
import { migrate } from '../../src/start/wiring/app.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { SHORT_LEASE, testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { type ScriptedLlm, startScriptedLlm } from '../helpers/scripted-llm/index.ts';

/**
 * Tests the upgrade from the first schema to the current one with data that the first version wrote: one
 * ended investigation (two agents, a synthesis, a chat) and one queued. A writer and a reader that know only
 * the old columns run before, during and after the upgrade, as old processes do.
 */
const OLD_MIGRATION = 'Migration20261121000000_initial';
const OLD_DATA = join(import.meta.dirname, 'fixtures/data-of-20261121.jsonl');
/** Number of rounds that the old writer must complete before and after the migration. */
const ROUNDS = 20;

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Row = Record<string, unknown>;
type Data = Record<string, Row[]>;

/** Reads the rows of the first version from a file with one row per line. */
function readOldData(): Data {
  const data: Data = {};
  for (const line of readFileSync(OLD_DATA, 'utf8').trim().split('\n')) {
    const [table, row] = JSON.parse(line) as [string, Row];
    data[table] ??= [];
    data[table].push(row);
  }
  return data;
}

async function databaseOfOld(): Promise<{ database: TestDatabase; sql: pg.Client; data: Data }> {
  const database = await createTestDatabase();
  stops.push(() => database.drop());
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  stops.push(() => sql.end());
  await sql.query('drop schema public cascade; create schema public; drop schema graphile_worker cascade');
  const orm = await openMigrator(database.url);
  await orm.migrator.up({ to: OLD_MIGRATION });
  await orm.close(true);
  const data = readOldData();
  // Disables foreign keys, because stages and sessions reference each other.
  await sql.query('set session_replication_role = replica');
  for (const [table, rows] of Object.entries(data))
    await sql.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(rows),
    ]);
  // Makes the sessions recent, so that retention does not delete them.
  await sql.query('update alert_sessions set created_at = now()');
  await sql.query('set session_replication_role = default');
  return { database, sql, data };
}

/** Plays an old process: copies, changes and reads rows with the columns that it knows, in a loop. */
async function oldProcess(url: string, data: Data) {
  const sql = new pg.Client({ connectionString: url });
  await sql.connect();
  const columnsOf = (table: string) => Object.keys(data[table]![0]!);
  const like = data.alert_sessions!.find(({ status }) => status === 'COMPLETED')!.id;
  const round = async () => {
    const columns = columnsOf('alert_sessions');
    const id = uuidv7();
    const copied = columns.map((column) => (column === 'id' ? '$2' : column));
    await sql.query(
      `insert into alert_sessions (${columns}) select ${copied} from alert_sessions where id = $1`,
      [like, id],
    );
    for (const table of ['timeline_events', 'session_events']) {
      const own = columnsOf(table).map((column) =>
        column === 'session_id' ? '$2' : column === 'id' ? 'gen_random_uuid()' : column,
      );
      await sql.query(
        `insert into ${table} (${columnsOf(table)}) select ${own} from ${table} where session_id = $1`,
        [like, id],
      );
    }
    await sql.query(
      `update alert_sessions set last_event_seq = last_event_seq + 1, lease_expires_at = now() where id = $1`,
      [id],
    );
    for (const table of Object.keys(data))
      await sql.query(`select ${columnsOf(table)} from ${table} limit 50`);
  };
  let rounds = 0;
  let going = true;
  const waiting: { count: number; resolve: () => void }[] = [];
  const done = (async () => {
    while (going) {
      await round();
      rounds += 1;
      for (const { count, resolve } of waiting) if (rounds >= count) resolve();
    }
  })();
  done.catch(() => {}); // stop() and more() report the error
  return {
    /** Resolves after ROUNDS more rounds. @throws the error that ended the loop */
    more: () =>
      Promise.race([done, new Promise<void>((resolve) => waiting.push({ count: rounds + ROUNDS, resolve }))]),
    async stop() {
      going = false;
      await done.finally(() => sql.end());
    },
  };
}

async function startNew(database: TestDatabase): Promise<{ api: TarsyProcess; llm: ScriptedLlm }> {
  const llm = await startScriptedLlm();
  stops.push(() => llm.close());
  llm.otherwise({ text: 'Memory is full.' });
  const env = {
    DATABASE_URL: database.url,
    LLM_SERVICE_ADDR: llm.address,
    CONFIG_DIR: await writeConfig(testConfig({ queue: SHORT_LEASE })),
  };
  const [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  stops.push(() => Promise.all([api!.end('SIGTERM'), worker!.end('SIGTERM')]));
  return { api: api!, llm };
}

test('migrates a database of an earlier version while old processes use it, without losing data', {
  timeout: 120_000,
}, async () => {
  const { database, sql, data } = await databaseOfOld();
  const old = await oldProcess(database.url, data);
  await old.more();
  const { applied } = await migrate(database.url, pino({ level: 'silent' }));
  expect(applied.length).toBeGreaterThan(0);
  await old.more();

  const { api } = await startNew(database);
  const client = apiClient(api.url!);
  const waiting = data.alert_sessions!.find(({ status }) => status === 'PENDING')!;
  const ended = await client.waitFor(String(waiting.id), ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Memory is full.' });
  const unpartitioned = async () =>
    (
      await sql.query(`select relname from pg_class where relkind = 'r' and relname = any($1)`, [
        PARTITIONED_TABLES,
      ])
    ).rows;
  await expect.poll(unpartitioned, { timeout: 60_000 }).toEqual([]);
  await old.more();
  await old.stop();

  // The upgrade leaves every old row unchanged, column by column.
  for (const [table, rows] of Object.entries(data)) {
    const kept = rows.filter(({ id, session_id }) => id !== waiting.id && session_id !== waiting.id);
    const columns = Object.keys(rows[0]!).filter((column) => column !== 'created_at');
    const { rows: missing } = await sql.query(
      `select ${columns.map((column) => `r."${column}"::text`)} from json_populate_recordset(null::${table}, $1) r
       except select ${columns.map((column) => `"${column}"::text`)} from ${table}`,
      [JSON.stringify(kept)],
    );
    expect(missing, table).toEqual([]);
  }
});

test('shows the complete findings of an earlier version', { timeout: 60_000 }, async () => {
  const { database, data } = await databaseOfOld();
  await migrate(database.url, pino({ level: 'silent' }));
  const { api } = await startNew(database);
  const over = data.alert_sessions!.find(({ status }) => status === 'COMPLETED')!;
  const { session } = await apiClient(api.url!).query<{ session: Shown }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis executiveSummary
       stages { type executions { agentName messages { role } } } timeline { sequenceNumber content }
       trace { stages { executions { llmInteractions { id conversation { role } } mcpInteractions { id } } } }
       chat { messages { content } } } }`,
    { id: over.id },
  );
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis: over.final_analysis });
  expect(session.stages.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['INVESTIGATION', 'SYNTHESIS', 'CHAT']),
  );
  expect(session.timeline.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
    data.timeline_events!.map((_, index) => index + 1),
  );
  const traced = session.trace.stages.flatMap(({ executions }) => executions);
  const interactions = traced.flatMap(({ llmInteractions }) => llmInteractions);
  expect(interactions.length).toBe(data.llm_interactions!.filter(({ execution_id }) => execution_id).length);
  for (const { conversation } of interactions) expect(conversation[0]!.role).toBe('SYSTEM');
  expect(session.chat.messages.map(({ content }) => content)).toEqual(['Which file?']);
});

interface Shown {
  stages: { type: string }[];
  timeline: { sequenceNumber: number }[];
  trace: { stages: { executions: { llmInteractions: { conversation: { role: string }[] }[] }[] }[] };
  chat: { messages: { content: string }[] };
}
