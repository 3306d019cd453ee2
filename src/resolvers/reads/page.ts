import type { Queryable } from '../../db/queryable.ts';
import type { PageArgs } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import { isUuid } from '../../schema/ids.ts';
import type { Page } from '../../schema/views.ts';
import { once } from './once.ts';
import type { Table } from './tables.ts';

const DEFAULT_PAGE = 25;
const MAX_PAGE = 100;

/** A list ordered by a timestamp and then by id. An optional leading column sorts before both. */
export interface List<Row> {
  table: Table;
  /** Conditions on the row `t`; their values start at $1. */
  where: readonly string[];
  values: readonly unknown[];
  /** Column and property of the timestamp. */
  column: string;
  moment: (row: Row) => Date;
  newestFirst: boolean;
  lead?: Lead<Row>;
}

/** Leading column, its property and possible values; sorted in the direction of the timestamp. */
interface Lead<Row> {
  column: string;
  of: (row: Row) => string;
  words: readonly string[];
}

/** Sort key of a row: leading value if there is one, timestamp, id. */
type Key = string[];

/** Returns one page by keyset, so that added rows neither shift nor repeat others. @throws BAD_USER_INPUT */
export async function readPage<Row extends { id: string }>(
  db: Queryable,
  list: List<Row>,
  args: PageArgs,
): Promise<Page<Row>> {
  const { limit, backward } = pageSize(args);
  const after = args.after == null ? null : decodeCursor(list, args.after, 'after');
  const before = args.before == null ? null : decodeCursor(list, args.before, 'before');
  const select = async (borders: Border[], count: number, reverse: boolean) => {
    const { where, values } = conditions(list, borders);
    const direction = list.newestFirst !== reverse ? 'desc' : 'asc';
    const order = columnsOf(list)
      .map(({ sql }) => `${sql} ${direction}`)
      .join(', ');
    const { rows } = await db.query<Row>(
      `select ${list.table.columns} from ${list.table.name} t ${where}
       order by ${order} limit ${count}`,
      values,
    );
    return rows;
  };
  const borders: Border[] = [
    ...(after ? [{ side: 'after' as const, key: after }] : []),
    ...(before ? [{ side: 'before' as const, key: before }] : []),
  ];
  const found = await select(borders, limit + 1, backward);
  const more = found.length > limit;
  const rows = found.slice(0, limit);
  if (backward) rows.reverse();
  const keyOf = (row: Row): Key => [
    ...(list.lead ? [list.lead.of(row)] : []),
    list.moment(row).toISOString(),
    row.id,
  ];
  const beyond = async (side: Border['side'], row: Row | undefined, cursor: Key | null) => {
    const key = row ? keyOf(row) : cursor;
    return key !== null && (await select([{ side, key }], 1, false)).length > 0;
  };
  return {
    edges: rows.map((node) => ({ cursor: encodeCursor(keyOf(node)), node })),
    hasNextPage: once(
      async () => (more && !backward) || (before !== null && beyond('after', rows.at(-1), before)),
    ),
    hasPreviousPage: once(
      async () => (more && backward) || (after !== null && beyond('before', rows[0], after)),
    ),
    totalCount: once(() => countOf(db, list)),
  };
}

export interface FirstPages<Row> {
  list: Omit<List<Row>, 'where' | 'values' | 'lead'>;
  /** Column and property of the owner id. */
  owner: { column: string; of: (row: Row) => string | null | undefined };
  ids: readonly string[];
  /** Page size; `null` for the default. */
  first: number | null;
}

/** Returns the first page of each owner in one query. @throws BAD_USER_INPUT for an invalid page size */
export async function readFirstPages<Row extends { id: string }>(
  db: Queryable,
  { list, owner, ids, first }: FirstPages<Row>,
): Promise<Page<Row>[]> {
  const { limit } = pageSize({ first });
  const direction = list.newestFirst ? 'desc' : 'asc';
  const order = `order by t.${list.column} ${direction}, t.id ${direction}`;
  const { rows } = await db.query<Row>(
    `select p.* from unnest($1::uuid[]) owner(id) cross join lateral (
       select ${list.table.columns} from ${list.table.name} t where t.${owner.column} = owner.id ${order} limit ${limit + 1}
     ) p`,
    [ids],
  );
  const byOwner = Map.groupBy(rows, owner.of);
  const place = (row: Row) => `${list.moment(row).toISOString()} ${row.id}`;
  return ids.map((id) => {
    const own = (byOwner.get(id) ?? []).toSorted((a, b) =>
      place(a) < place(b) === list.newestFirst ? 1 : -1,
    );
    const whole = { ...list, where: [`t.${owner.column} = $1`], values: [id] };
    return {
      edges: own.slice(0, limit).map((node) => ({
        cursor: encodeCursor([list.moment(node).toISOString(), node.id]),
        node,
      })),
      hasNextPage: async () => own.length > limit,
      hasPreviousPage: async () => false,
      totalCount: once(() => countOf(db, whole)),
    };
  });
}

async function countOf<Row>(db: Queryable, list: List<Row>): Promise<number> {
  const { where, values } = conditions(list, []);
  const sql = `select count(*)::int as count from ${list.table.name} t ${where}`;
  return (await db.query<{ count: number }>(sql, values)).rows[0]!.count;
}

interface Border {
  side: 'before' | 'after';
  key: Key;
}

function conditions<Row>(list: List<Row>, borders: readonly Border[]) {
  const values: unknown[] = [...list.values];
  const place = (value: unknown) => `$${values.push(value)}`;
  const columns = columnsOf(list);
  const edges = borders.map(({ side, key }) => {
    const operator = (side === 'after') === list.newestFirst ? '<' : '>';
    const places = columns.map(({ type }, index) => `${place(key[index])}::${type}`);
    return `(${columns.map(({ sql }) => sql).join(', ')}) ${operator} (${places.join(', ')})`;
  });
  const all = [...list.where, ...edges];
  return { where: all.length === 0 ? '' : `where ${all.join(' and ')}`, values };
}

function columnsOf<Row>({ lead, column }: List<Row>): { sql: string; type: string }[] {
  return [
    ...(lead ? [{ sql: `t.${lead.column}`, type: 'text' }] : []),
    { sql: `t.${column}`, type: 'timestamptz' },
    { sql: 't.id', type: 'uuid' },
  ];
}

function pageSize({ first, last }: PageArgs): { limit: number; backward: boolean } {
  if (first != null && last != null) throw badUserInput('Give either `first` or `last`, not both.');
  const [name, limit] = last != null ? ['last', last] : ['first', first ?? DEFAULT_PAGE];
  if (limit < 1 || limit > MAX_PAGE)
    throw badUserInput(`\`${name}\` must be from 1 to ${MAX_PAGE}, not ${limit}.`);
  return { limit, backward: last != null };
}

function encodeCursor(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

function decodeCursor<Row>({ lead }: List<Row>, text: string, name: string): Key {
  const parts = [...(lead ? [(word: string) => lead.words.includes(word)] : []), isMoment, isUuid];
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isKey = Array.isArray(key) && key.length === parts.length;
    if (isKey && parts.every((fits, index) => typeof key[index] === 'string' && fits(key[index]))) return key;
  } catch {
    // no JSON: falls through
  }
  throw badUserInput(`The cursor given as \`${name}\` is not one that this list gave out.`);
}

function isMoment(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && !Number.isNaN(Date.parse(value));
}
