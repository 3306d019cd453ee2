import type pg from 'pg';
import type { Logger } from 'pino';
import { connectOnce } from '../connect.ts';
import { MIGRATIONS_TABLE, MONTHS_BEGAN } from '../migrations.ts';
import { missingMonths } from './ahead.ts';
import { isPartitioned, readPartitions } from './catalog.ts';
import { type ConversionStep, nextStep } from './convert.ts';
import { exclusively, isLocked } from './exclusively.ts';
import { firstIdOf, PARTITIONED_TABLES } from './months.ts';

/** Key of the advisory lock that lets one process at a time change partitions ("months" as bytes). */
const PARTITION_LOCK = 0x6d6f6e746873;

export interface MaintainOptions {
  logger: Logger;
  /** Interrupts the work. The next round resumes it. */
  signal?: AbortSignal;
  /** True to convert only tables without rows, which takes no time. Others are left to a worker. */
  onlyEmpty?: boolean;
  /** @default the current time */
  now?: Date;
}

/**
 * Converts tables that are not partitioned yet, and creates the partitions of the coming months. Returns at once if another
 * process does so. Each step can be interrupted and repeated. A table that fails does not stop the others.
 * @param url of PostgreSQL itself, because a pooler offers neither session locks nor settings
 * @throws the first error
 */
export async function maintainPartitions(url: string, options: MaintainOptions): Promise<void> {
  const { logger, signal } = options;
  const client = await connectOnce(url, { application: 'tarsy-partitions', logger });
  const interrupt = () => void cancel(url, client, logger);
  try {
    // Keeps the silent connection of a long step open, and frees the lock if this machine disappears.
    await client.query('set statement_timeout = 0; set tcp_keepalives_idle = 60');
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      PARTITION_LOCK,
    ]);
    if (!rows[0]!.locked) return;
    signal?.addEventListener('abort', interrupt);
    const failures: unknown[] = [];
    for (const table of PARTITIONED_TABLES) {
      signal?.throwIfAborted();
      await maintainTable(client, table, options).catch((error: unknown) => {
        if (isLocked(error)) throw error; // a backup locks the other tables too
        failures.push(error);
      });
    }
    await recordBegunMonths(client, options.now ?? new Date());
    if (failures.length > 0) throw failures[0];
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    await client.end(); // releases the lock
  }
}

async function maintainTable(client: pg.Client, table: string, options: MaintainOptions): Promise<void> {
  const { logger, onlyEmpty = false, now = new Date() } = options;
  const level = onlyEmpty ? 'debug' : 'info'; // empty tables take no time at a start
  if (onlyEmpty && !(await isPartitioned(client, table)) && !(await isEmpty(client, table))) return;
  for (
    let step = await nextStep(client, table, now);
    step !== null;
    step = await nextStep(client, table, now)
  ) {
    logger[level]({ table, step: step.name }, 'partitioning table');
    await runStep(client, step, options);
  }
  for (const { name, strays, isCrowded, sql } of await missingMonths(client, table, now)) {
    if (isCrowded) {
      logger.warn(
        { partition: name },
        'month stays in the default partition, which has too many of its rows',
      );
      continue;
    }
    await runStep(client, { sql, isExclusive: true }, options);
    logger[level]({ partition: name, moved: strays }, 'partition created');
  }
}

const DAY_MS = 86_400_000;

/** Records that the first month with a partition of its own begins, so that versions without partitions refuse to start. */
async function recordBegunMonths(client: pg.Client, now: Date): Promise<void> {
  const soon = firstIdOf(new Date(now.getTime() + DAY_MS));
  for (const table of PARTITIONED_TABLES) {
    const partitions = (await isPartitioned(client, table)) ? await readPartitions(client, table) : [];
    if (!partitions.some(({ from }) => from !== null && from <= soon)) continue;
    const sql = `insert into ${MIGRATIONS_TABLE} (name) select $1::text where not exists (select 1 from ${MIGRATIONS_TABLE} where name = $1::text)`;
    await client.query(sql, [MONTHS_BEGAN]);
    return;
  }
}

async function isEmpty(client: pg.Client, table: string): Promise<boolean> {
  return (await client.query(`select 1 from "${table}" limit 1`)).rows.length === 0;
}

async function runStep(
  client: pg.Client,
  { sql, isExclusive }: Pick<ConversionStep, 'sql' | 'isExclusive'>,
  { signal, logger }: MaintainOptions,
): Promise<void> {
  if (isExclusive) return exclusively(client, sql, { signal, logger });
  await client.query(sql);
}

/** Cancels the statement that `client` runs, because closing its connection would let the server finish it. */
async function cancel(url: string, client: pg.Client, logger: Logger): Promise<void> {
  const { processID } = client as pg.Client & { readonly processID: number };
  try {
    const other = await connectOnce(url, { application: 'tarsy-partitions', logger });
    await other.query('select pg_cancel_backend($1)', [processID]).finally(() => other.end());
  } catch (error) {
    logger.debug({ err: error }, 'partitioning not cancelled');
  }
}
