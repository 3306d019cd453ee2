import type { Logger } from 'pino';
import { isPartitioned, type Partition, readPartitions } from '../../db/partitions/catalog.ts';
import { exclusively } from '../../db/partitions/exclusively.ts';
import { firstIdOf, type IdRange, PARTITIONED_TABLES } from '../../db/partitions/months.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Number of sessions deleted per statement. Stages, agents and reports are deleted with them. */
const BATCH = 100;
/** Days after the end of a month before it is dropped, because clocks differ and a session is stored after its id is made. */
const SETTLED_DAYS = 2;
const DAY_MS = 86_400_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface MonthsDeps {
  db: Queryable;
  graceDays: number;
  signal: AbortSignal;
  logger: Logger;
  /** Deletes the rows of a session that no longer exists. @returns false if `signal` aborted */
  removeRows: (sessionId: string) => Promise<boolean>;
  /** @default the current time */
  now?: Date;
}

/** Sessions of a month, or of the time before partitioning, and the partitions with their rows. */
interface Month extends IdRange {
  partitions: string[];
  /** True if each table has partitions for exactly these sessions. */
  isCovered: boolean;
  /** True if a round has begun to delete the sessions, and has not finished. */
  isBegun: boolean;
}

/** Comment on the first partition of a month while its sessions are deleted. */
const BEGUN = 'The sessions of this month are being deleted.';

/**
 * Deletes the sessions of months in which no session is kept, then drops the partitions with their rows. Sessions go first,
 * because nothing reads or writes rows without their session. Months with a kept session are left to the deletion by rows,
 * unless an interrupted round has begun them: rows of deleted sessions would stay. Each round resumes from what is stored.
 * @returns the number of deleted sessions
 */
export async function removeMonths(deps: MonthsDeps): Promise<number> {
  let removed = 0;
  for (const month of await settledMonths(deps)) {
    if (deps.signal.aborted) break;
    if (await hasSession(deps, month, 'true')) {
      if (!month.isCovered || (!month.isBegun && (await hasSession(deps, month, KEPT)))) continue;
      await comment(deps, month, BEGUN);
      removed += await removeSessions(deps, month);
      if (deps.signal.aborted) break;
    }
    if (!(await hasSession(deps, month, 'true'))) await dropPartitions(deps, month);
    else if (await removeOrphans(deps, month)) await comment(deps, month, null);
  }
  return removed;
}

async function comment({ db, signal, logger }: MonthsDeps, { partitions }: Month, text: string | null) {
  const value = text === null ? 'null' : `'${text}'`;
  await exclusively(db, `comment on table "${partitions[0]}" is ${value}`, { signal, logger });
}

/** Returns the months that are over and have partitions, oldest first. */
async function settledMonths({ db, now = new Date() }: MonthsDeps): Promise<Month[]> {
  const tables: Partition[][] = [];
  for (const table of PARTITIONED_TABLES) {
    if (!(await isPartitioned(db, table))) return []; // its rows must be deleted one by one
    tables.push(await readPartitions(db, table));
  }
  const end = firstIdOf(new Date(now.getTime() - SETTLED_DAYS * DAY_MS));
  return joined(tables.flat())
    .filter(({ to }) => to <= end)
    .map((month) => ({ ...month, isCovered: tables.every((partitions) => covers(partitions, month)) }));
}

/** Joins overlapping ranges. Tables have different first partitions if a month began while they were converted. */
function joined(partitions: readonly Partition[]): Omit<Month, 'isCovered'>[] {
  const months: Omit<Month, 'isCovered'>[] = [];
  for (const { name, from, to, comment } of partitions.toSorted((a, b) => compare(a.from, b.from))) {
    const last = months.at(-1);
    if (last && (from === null || from < last.to)) {
      last.partitions.push(name);
      last.isBegun ||= comment === BEGUN;
      if (last.to < to) last.to = to;
    } else months.push({ from, to, partitions: [name], isBegun: comment === BEGUN });
  }
  return months;
}

const compare = (a: string | null, b: string | null) => (a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1);

function covers(partitions: readonly Partition[], { from, to }: IdRange): boolean {
  let at = from;
  for (const each of partitions) if (each.from === at && each.to <= to) at = each.to;
  return at === to;
}

const IN_MONTH = 'id >= $1 and id < $2';
const REMOVABLE = `deleted_at < now() - $3 * interval '1 day'`;
const KEPT = `(${REMOVABLE}) is not true`;

const valuesOf = ({ graceDays }: MonthsDeps, { from, to }: IdRange) => [from ?? FIRST_ID, to, graceDays];

async function hasSession(deps: MonthsDeps, month: IdRange, condition: string): Promise<boolean> {
  const values = valuesOf(deps, month).slice(0, condition.includes('$3') ? 3 : 2);
  const sql = `select 1 from alert_sessions where ${IN_MONTH} and ${condition} limit 1`;
  return (await deps.db.query(sql, values)).rows.length > 0;
}

/** Deletes the month's sessions in batches. Skips those that are locked, or that a user brought back meanwhile. */
async function removeSessions(deps: MonthsDeps, month: IdRange): Promise<number> {
  let removed = 0;
  for (let batch = BATCH; batch > 0 && !deps.signal.aborted; removed += batch) {
    const { rowCount } = await deps.db.query(
      `delete from alert_sessions where id = any(array(
         select id from alert_sessions where ${IN_MONTH} and ${REMOVABLE} limit ${BATCH} for update skip locked))`,
      valuesOf(deps, month),
    );
    batch = rowCount ?? 0;
  }
  return removed;
}

/**
 * Deletes rows of deleted sessions, because a session that was brought back or is locked keeps the partitions.
 * @returns false if `signal` aborted
 */
async function removeOrphans(deps: MonthsDeps, month: IdRange): Promise<boolean> {
  for (const table of PARTITIONED_TABLES) {
    const { rows } = await deps.db.query<{ id: string }>(
      `select distinct session_id as id from ${table} t where session_id >= $1 and session_id < $2
         and not exists (select 1 from alert_sessions s where s.id = t.session_id)`,
      valuesOf(deps, month).slice(0, 2),
    );
    for (const { id } of rows) if (!(await deps.removeRows(id))) return false;
  }
  return true;
}

/** Drops the partitions one by one, so that no transaction locks two tables. The next round drops what is left. */
async function dropPartitions({ db, signal, logger }: MonthsDeps, { partitions }: Month): Promise<void> {
  for (const name of partitions) {
    if (signal.aborted) return;
    await exclusively(db, `drop table "${name}"`, { signal, logger });
    logger.info({ partition: name }, 'partition dropped');
  }
}
