import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maintainPartitions } from '../../src/db/partitions/maintain.ts';
import { firstIdOf, monthStart, PARTITIONED_TABLES, partitionName } from '../../src/db/partitions/months.ts';
import { removeMonths } from '../../src/engine/sessions/retention-months.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { makeUnpartitioned, type OlderProcess, openOlderProcess } from '../helpers/unpartitioned.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const SESSIONS = scaled(1_000, 20_000, 1_000_000);
const MONTHS = 10;
/** Alerts a second while the tables are converted, each a session with a row in every table. */
const RATE = 20;
const WRITERS = 4;
const logger = pino({ level: 'silent' });
const LONG = 3_600_000;

let database: TestDatabase;
let sql: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  await makeUnpartitioned(database.url);
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
}, LONG);
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** Number of rows of a session in each table. */
const ROWS: Record<string, number> = {
  session_events: 40,
  timeline_events: 20,
  messages: 15,
  llm_interactions: 5,
  mcp_interactions: 10,
};

/** Shorter for 90 million rows, which then take about 30 GB. */
const REPEATS = scaled(30, 30, 3);
const TEXT = `repeat('the disk of node-' || n || ' is almost full ', ${REPEATS})`;
const FILL: Record<string, string> = {
  session_events: `(session_id, seq, type, payload) select s.id, n, 'TimelineEventCreated', jsonb_build_object('content', ${TEXT})`,
  timeline_events: `(id, session_id, sequence_number, type, status, content) select uuidv7(), s.id, n, 'LLM_RESPONSE', 'COMPLETED', ${TEXT}`,
  messages: `(id, session_id, stage_id, execution_id, sequence_number, role, content) select uuidv7(), s.id, s.id, s.id, n, 'USER', ${TEXT}`,
  llm_interactions: `(id, session_id, type, provider, model_name, request, response, duration_ms) select uuidv7(), s.id, 'ITERATION', 'p', 'm', '{}', jsonb_build_object('text', ${TEXT}), 1`,
  mcp_interactions: `(id, session_id, stage_id, execution_id, type, server_name, duration_ms, result) select uuidv7(), s.id, s.id, s.id, 'TOOL_CALL', 's', 1, jsonb_build_object('content', ${TEXT})`,
};

/** Adds ended sessions with their rows. `id` is an SQL expression of `n`, from 1 to `count`. */
async function fill(count: number, id: string): Promise<void> {
  await sql.query(
    `set session_replication_role = replica; create temporary table filled as select ${id} as id from generate_series(1, ${count}) n`,
  );
  await sql.query(
    `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, completed_at, deleted_at)
     select id, 'a', 'b', 'c', 'd', 'COMPLETED', now() - interval '400 days', now() - interval '40 days' from filled`,
  );
  for (const [table, rows] of Object.entries(FILL))
    await sql.query(`insert into ${table} ${rows} from filled s, generate_series(1, ${ROWS[table]}) n`);
  await sql.query('drop table filled; set session_replication_role = default; analyze alert_sessions');
}

/**
 * Returns the longest wait (ms) of a client for the lock of a table, as seen every few milliseconds. The conversion itself
 * may wait for an autovacuum (1 s), with a lock for which no client waits.
 */
async function watchLocks(isGoing: () => boolean): Promise<number> {
  let longest = 0;
  while (isGoing()) {
    const { rows } = await sql.query<{ ms: number | null }>(
      `select max(extract(epoch from clock_timestamp() - waitstart) * 1000)::float8 as ms from pg_locks
       join pg_stat_activity a using (pid)
       where not granted and locktype = 'relation' and a.application_name <> 'tarsy-partitions'`,
    );
    longest = Math.max(longest, rows[0]!.ms ?? 0);
    await delay(2);
  }
  return longest;
}

test('conversion while alerts arrive', { timeout: LONG }, async () => {
  await fill(SESSIONS, `uuidv7((n - ${SESSIONS + 1}) * interval '30 seconds')`);
  const waits: number[] = [];
  const errors: string[] = [];
  let going = true;
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => openOlderProcess(database.url)));
  const writing = writers.map(async (writer: OlderProcess) => {
    while (going) {
      const begun = performance.now();
      await writer.addSession().catch((error: Error) => errors.push(error.message));
      waits.push(performance.now() - begun);
      await delay(Math.max(0, (WRITERS / RATE) * 1_000 - (performance.now() - begun)));
    }
  });
  await delay(5_000);
  const quiet = waits.splice(0);
  const watching = watchLocks(() => going);
  const begun = performance.now();
  await maintainPartitions(database.url, { logger });
  const seconds = (performance.now() - begun) / 1_000;
  going = false;
  await Promise.all(writing);
  const longestLock = await watching;
  await Promise.all(writers.map((writer) => writer.close()));
  expect(errors).toEqual([]);
  const line = { baseline: null, baselineName: null };
  report({ name: `${SESSIONS} sessions: conversion`, value: seconds, unit: 's', ...line });
  report({
    name: 'longest wait of a client for the lock of a table',
    value: longestLock,
    unit: 'ms',
    ...line,
  });
  report({ name: 'errors of writers', value: errors.length, unit: '', ...line });
  const baseline = { baselineName: 'before the conversion' };
  report({
    name: 'alert stored, longest',
    value: Math.max(...waits),
    unit: 'ms',
    baseline: Math.max(...quiet),
    ...baseline,
  });
  report({
    name: 'alert stored, p50',
    value: percentile(waits, 0.5),
    unit: 'ms',
    baseline: percentile(quiet, 0.5),
    ...baseline,
  });
});

test('removal of one month of ten', { timeout: LONG }, async () => {
  await maintainPartitions(database.url, { logger }); // if it runs alone
  const now = new Date();
  for (let offset = 4; offset < 4 + MONTHS; offset += 1)
    for (const table of PARTITIONED_TABLES)
      await sql.query(
        `create table ${partitionName(table, monthStart(now, offset))} partition of ${table}
         for values from ('${firstIdOf(monthStart(now, offset))}') to ('${firstIdOf(monthStart(now, offset + 1))}')`,
      );
  const month = monthStart(now, 5);
  const ms = month.getTime() - now.getTime();
  for (let offset = 4; offset < 4 + MONTHS; offset += 1) {
    const start = monthStart(now, offset).getTime() - now.getTime();
    await fill(
      SESSIONS / MONTHS,
      `uuidv7(${start + 60_000} * interval '1 millisecond' + n * interval '1 second')`,
    );
  }
  await sql.query('update alert_sessions set deleted_at = null where id < $1 or id >= $2', [
    firstIdOf(month),
    firstIdOf(monthStart(now, 6)),
  ]);
  expect(ms).toBeGreaterThan(0);
  await sql.query('analyze');
  const pool = new pg.Pool({ connectionString: database.url });
  const before = readKept(pool, now);
  await delay(READ_BEFORE_MS);
  const quiet = await before.stop();
  const reading = readKept(pool, now);
  let dropping = 0;
  const begun = performance.now();
  const removed = await removeMonths({
    db: {
      async query(text: string | { text: string }, values?: unknown[]) {
        const from = performance.now();
        const done = await pool.query(text as string, values);
        if (`${text}`.includes('drop table')) dropping += performance.now() - from;
        return done as never;
      },
    },
    graceDays: 30,
    signal: new AbortController().signal,
    logger,
    removeRows: async () => true,
    now: monthStart(now, 20),
  });
  const seconds = (performance.now() - begun) / 1_000;
  const reads = await reading.stop();
  await pool.end();
  expect(removed).toBe(SESSIONS / MONTHS);
  const line = { baseline: null, baselineName: null };
  report({ name: `${removed} sessions of one month of ten removed`, value: seconds, unit: 's', ...line });
  report({ name: 'of which partitions dropped', value: dropping / 1_000, unit: 's', ...line });
  for (const share of [0.5, 0.99, 1])
    report({
      name: `a page and a timeline of another month read during it, ${share === 1 ? 'longest' : `p${share * 100}`}`,
      value: percentile(reads, share),
      unit: 'ms',
      baseline: percentile(quiet, share),
      baselineName: 'before it',
    });
  for (const [table, dead] of await deadShares())
    report({ name: `dead rows after it: ${table}`, value: dead, unit: '% of the table', ...line });
});

const READ_BEFORE_MS = 3_000;

/** Reads a page and a timeline of sessions that are kept, one after the other, and measures each pair (ms). */
function readKept(pool: pg.Pool, now: Date): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let going = true;
  const done = (async () => {
    for (let n = 0; going; n += 1) {
      const month = firstIdOf(monthStart(now, 7 + (n % 4)));
      const begun = performance.now();
      const page = await pool.query<{ id: string }>(
        'select id, status, created_at from alert_sessions where id >= $1 order by id limit 25',
        [month],
      );
      expect(page.rows).toHaveLength(25);
      const items = await pool.query(
        'select * from timeline_events where session_id = $1 order by sequence_number limit 100',
        [page.rows[n % 25]!.id],
      );
      expect(items.rows).toHaveLength(ROWS.timeline_events!);
      times.push(performance.now() - begun);
    }
  })();
  return {
    async stop() {
      going = false;
      await done;
      return times;
    },
  };
}

/** Returns the share of dead rows (% of bytes) of the sessions and of all partitions of each table that grows. */
async function deadShares(): Promise<[table: string, percent: number][]> {
  await sql.query('create extension if not exists pgstattuple');
  const shares: [string, number][] = [];
  for (const table of ['alert_sessions', ...PARTITIONED_TABLES]) {
    const { rows } = await sql.query<{ percent: number }>(
      `select 100 * sum(s.dead_tuple_len) / greatest(1, sum(s.table_len)) as percent
       from (values ($1::regclass)) t (own) left join pg_partition_tree(own) p on p.isleaf,
         pgstattuple(coalesce(p.relid, own)) s`,
      [table],
    );
    shares.push([table, Number(rows[0]!.percent)]);
  }
  return shares;
}
