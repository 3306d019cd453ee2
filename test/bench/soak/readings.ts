import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { deleteOldIntakeRows } from '../../../src/intake/retention.ts';
import { residentMemory } from '../children.ts';
import { KEPT_DAYS } from './options.ts';
import type { Parts } from './parts.ts';

/** Resources that the processes and the database hold while they have no work. */
export interface Readings {
  memoryMiB: Record<string, number>;
  files: Record<string, number>;
  connections: number;
  temporaryFiles: number;
  databaseMiB: number;
  rows: number;
}

const CONNECTIONS = `select count(*)::int as n from pg_stat_activity
  where backend_type = 'client backend' and application_name <> 'soak'`;
const SIZE = 'select pg_database_size(current_database()) / 1048576.0 as mib';
/** All tables with their partitions counted once. */
const TABLES = `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`;
const TIMES = `select c.oid::regclass::text as table, array_agg(a.attname::text) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where n.nspname = 'public' and c.relkind = 'r' and not c.relispartition and a.atttypid = 'timestamptz'::regtype
    and not a.attisdropped and c.relname not in ('running_configurations', 'mikro_orm_migrations', 'audit_events') group by c.oid`;

export async function readAll({ apis, workers, sql, temporaryDir }: Parts): Promise<Readings> {
  const memoryMiB: Record<string, number> = {};
  const files: Record<string, number> = {};
  for (const { name, pid } of [...apis, ...workers]) {
    memoryMiB[name] = Math.round((await residentMemory(pid)) / 2 ** 20);
    files[name] = (await readdir(`/proc/${pid}/fd`)).length;
  }
  const { rows: tables } = await sql.query<{ name: string }>(TABLES);
  const counts = tables.map(({ name }) => `(select count(*) from ${name})`);
  const one = async (text: string) => Number(Object.values((await sql.query(text)).rows[0]!)[0]);
  return {
    ...{ memoryMiB, files },
    connections: await one(CONNECTIONS),
    temporaryFiles: (await readdir(temporaryDir, { recursive: true })).length,
    databaseMiB: Math.round(await one(SIZE)),
    rows: await one(`select ${counts.join(' + ')} as n`),
  };
}

/** Returns what still waits or runs: sessions, deliveries of notifications, groups without an investigation, jobs. */
export async function openWork(sql: pg.Pool): Promise<string[]> {
  const { rows } = await sql.query<{ what: string; n: number }>(`
    select 'sessions ' || status as what, count(*)::int as n from alert_sessions
      where status not in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT') group by status
    union all select 'notifications', count(*)::int from notification_deliveries where status = 'PENDING'
    union all select 'groups ' || last_outcome, count(*)::int from alert_groups
      where last_outcome in ('WAITING', 'QUEUED') group by last_outcome
    union all select 'search', count(*)::int from session_search_due`);
  return rows.filter(({ n }) => n > 0).map(({ what, n }) => `${n} ${what}`);
}

/** Moves the times of all rows one day into the past, and begins the budgets of a new day. */
export async function passDay(sql: pg.Pool): Promise<void> {
  const { rows } = await sql.query<{ table: string; columns: string[] }>(TIMES);
  for (const { table, columns } of rows) {
    const moved = columns.map((column) => `"${column}" = "${column}" - interval '1 day'`);
    await sql.query(`update ${table} set ${moved.join(', ')}`);
  }
  await sql.query('delete from budget_uses');
}

/** Runs both cleanups as their schedules do, and waits for their end. */
export async function cleanUp(
  sql: pg.Pool,
  waitFor: (done: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  await sql.query(`select graphile_worker.add_job('apply-retention', job_key := 'soak')`);
  await waitFor(async () => {
    const { rows } = await sql.query(`select 1 from graphile_worker._private_jobs where key = 'soak'`);
    return rows.length === 0;
  });
  await deleteOldIntakeRows(sql, KEPT_DAYS);
}
