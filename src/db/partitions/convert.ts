import type { Queryable } from '../queryable.ts';
import { isPartitioned, readIndexes, type TableIndex } from './catalog.ts';
import { createdAtOf, firstIdOf, monthStart, PARTITIONED } from './months.ts';

/*
 * Makes an ordinary table the first partition of a new partitioned table of the same name, without copying rows. Steps:
 *
 * 1. `drop index`: removes an index that an interrupted build left invalid.
 * 2. `create index`: builds each key that must contain `session_id`, while rows are written.
 * 3. `limit`: a CHECK, not yet validated, that all sessions of the table are older than its bound.
 * 4. `validate`: reads the table to prove the CHECK, while rows are written.
 * 5. `swap`: renames the table to `<name>_before`, creates the partitioned one and attaches the former. The proof of step 4
 *    makes this independent of the number of rows. One transaction, with an empty default partition.
 *
 * Each step follows from the database's catalog, so an interrupted conversion resumes with the step that was interrupted.
 * Statements of running processes fit the table before and after the swap.
 */

/** One step of the conversion. */
export interface ConversionStep {
  name: 'drop index' | 'create index' | 'limit' | 'validate' | 'swap';
  /** True if the step locks out readers and writers, for milliseconds. Such a step must give up a lock that it does not get soon. */
  isExclusive: boolean;
  /** Statements to send as one message. Several of them are one transaction. */
  sql: string;
}

/** A row belongs to a session whose id is no UUIDv7 of this time, so that its month is unknown. */
export class UnknownMonthError extends Error {
  override readonly name = 'UnknownMonthError';
  constructor(table: string, sessionId: string) {
    super(
      `The table ${table} is not partitioned, because the id of session ${sessionId} lies more than a year in the future. Correct the clocks, and remove the session.`,
    );
  }
}

/** Returns the next step of a table's conversion; `null` if it is complete. @throws UnknownMonthError */
export async function nextStep(db: Queryable, table: string, now: Date): Promise<ConversionStep | null> {
  if (await isPartitioned(db, table)) return null;
  const indexes = await readIndexes(db, table);
  const names = new Set(indexes.map(({ name }) => name));
  for (const { key, name, columns } of newKeys(table, indexes)) {
    const built = indexes.find((index) => index.name === name);
    if (built && !built.isValid) return open('drop index', `drop index concurrently "${name}"`);
    if (!built && names.has(`${table}_${key}`))
      return open('create index', `create unique index concurrently "${name}" on "${table}" (${columns})`);
  }
  const limit = await readLimit(db, table);
  const newest = await newestSession(db, table);
  // Far enough ahead for an interrupted conversion, and for older processes to end before the next partition has rows.
  if (
    limit === null ||
    limit.bound < firstIdOf(new Date(now.getTime() + FORTNIGHT_MS)) ||
    (newest !== null && newest >= limit.bound)
  )
    return exclusive('limit', limitSql(table, boundFor(table, newest, now)));
  if (!limit.isValidated)
    return open('validate', `alter table "${table}" validate constraint "${limitName(table)}"`);
  return exclusive('swap', swapSql(table, indexes, limit.bound));
}

const open = (name: ConversionStep['name'], sql: string): ConversionStep => ({
  name,
  sql,
  isExclusive: false,
});
const exclusive = (name: ConversionStep['name'], sql: string): ConversionStep => ({
  name,
  sql,
  isExclusive: true,
});

const limitName = (table: string) => `${table}_before_bound`;

/** Returns the name that an index of the table gets once the table is the first partition. */
function nameBefore(table: string, name: string): string {
  return name.startsWith(`${table}_`) ? `${table}_before_${name.slice(table.length + 1)}` : `before_${name}`;
}

/** Returns the keys of the partitioned table that the table does not have yet, with their names as its partition. */
function newKeys(table: string, indexes: readonly TableIndex[]) {
  return Object.entries(PARTITIONED[table]!).flatMap(([key, columns]) => {
    const held = indexes.find(({ name }) => name === `${table}_${key}`);
    const has = held?.definition.includes(`(${columns})`);
    return has ? [] : [{ key, columns, name: `${table}_before_${key}` }];
  });
}

interface Limit {
  bound: string;
  isValidated: boolean;
}

async function readLimit(db: Queryable, table: string): Promise<Limit | null> {
  const { rows } = await db.query<Limit>(
    `select substring(pg_get_constraintdef(oid) from '''([^'']+)''') as bound, convalidated as "isValidated"
     from pg_constraint where conrelid = $1::regclass and conname = $2`,
    [table, limitName(table)],
  );
  return rows[0] ?? null;
}

async function newestSession(db: Queryable, table: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `select session_id as id from "${table}" order by session_id desc limit 1`,
  );
  return rows[0]?.id ?? null;
}

const FORTNIGHT_MS = 14 * 86_400_000;
const YEAR_MS = 366 * 86_400_000;

/** Returns the bound: the start of the month after the next, or after the newest session if that is later. */
function boundFor(table: string, newest: string | null, now: Date): string {
  const latest = newest === null ? now : createdAtOf(newest);
  if (latest.getTime() > now.getTime() + YEAR_MS) throw new UnknownMonthError(table, newest!);
  const bound = monthStart(now, 2);
  return firstIdOf(latest < bound ? bound : monthStart(latest, 1));
}

function limitSql(table: string, bound: string): string {
  const name = limitName(table);
  return `alter table "${table}" drop constraint if exists "${name}",
    add constraint "${name}" check (session_id < '${bound}') not valid`;
}

function swapSql(table: string, indexes: readonly TableIndex[], bound: string): string {
  const before = `${table}_before`;
  const added = new Map(newKeys(table, indexes).map((key) => [`${table}_${key.key}`, key]));
  const kept = indexes.filter(({ name }) => ![...added.values()].some((key) => key.name === name));
  const onBefore = kept.map(({ name, constraint }) => {
    const key = added.get(name);
    if (!key) return `alter index "${name}" rename to "${nameBefore(table, name)}"`;
    return `alter table "${before}" drop constraint "${name}",
      add constraint "${key.name}" ${keyword(constraint!)} using index "${key.name}"`;
  });
  const onParent = kept.map(({ name, constraint, definition }) => {
    if (constraint === null) return createIndexSql(name, table, definition);
    const columns = added.get(name)?.columns;
    const key = columns === undefined ? constraint : `${keyword(constraint)} (${columns})`;
    return `alter table "${table}" add constraint "${name}" ${key}`;
  });
  return [
    `lock table "${table}" in access exclusive mode`,
    `alter table "${table}" rename to "${before}"`,
    ...onBefore,
    `create table "${table}" (like "${before}" including all excluding indexes) partition by range (session_id)`,
    `alter table "${table}" drop constraint "${limitName(table)}"`,
    ...onParent,
    grantSql(before, table),
    `alter table "${table}" attach partition "${before}" for values from (minvalue) to ('${bound}')`,
    `create table "${table}_default" partition of "${table}" default`,
    `alter table "${before}" drop constraint "${limitName(table)}"`,
  ].join(';\n');
}

const keyword = (constraint: string) => (constraint.startsWith('PRIMARY KEY') ? 'primary key' : 'unique');

function createIndexSql(name: string, table: string, definition: string): string {
  const [, unique = '', rest] = /^(unique )?(.*)$/s.exec(definition) ?? [];
  return `create ${unique}index "${name}" on "${table}" ${rest}`;
}

/** Returns SQL that gives roles, such as one for reports, the rights on `to` that they have on `from`. */
function grantSql(from: string, to: string): string {
  return `do $$ declare g record; begin
    for g in select privilege_type as right, case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as role
      from pg_class c, aclexplode(c.relacl) where c.oid = '${from}'::regclass and grantee <> c.relowner
    loop execute format('grant %s on "${to}" to %s', g.right, g.role); end loop; end $$`;
}
