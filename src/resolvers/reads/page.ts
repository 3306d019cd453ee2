import type { Queryable } from '../../db/queryable.ts';
import type { Page } from '../../schema/context.ts';
import { badUserInput } from '../../schema/errors.ts';
import { isUuid } from '../../schema/ids.ts';
import type { PageArgs } from '../../schema/intake-context.ts';
import type { Table } from './tables.ts';

const DEFAULT_PAGE = 25;
const MAX_PAGE = 100;

/** A list in the order of a moment and, where that is the same, of its ids. */
export interface List<Row> {
  table: Table;
  /** Conditions on the row `t`, with their values from $1 on. */
  where: readonly string[];
  values: readonly unknown[];
  /** Column and property of the moment. */
  column: string;
  moment: (row: Row) => Date;
  newestFirst: boolean;
}

type Key = [at: string, id: string];

/**
 * One page of a list by keyset: rows that come in while a client pages neither shift nor repeat others.
 * @throws BAD_USER_INPUT
 */
export async function readPage<Row extends { id: string }>(
  db: Queryable,
  list: List<Row>,
  args: PageArgs,
): Promise<Page<Row>> {
  const { limit, backward } = pageSize(args);
  const after = args.after == null ? null : decodeCursor(args.after, 'after');
  const before = args.before == null ? null : decodeCursor(args.before, 'before');
  const select = async (borders: Border[], count: number, reverse: boolean) => {
    const { where, values } = conditions(list, borders);
    const direction = list.newestFirst !== reverse ? 'desc' : 'asc';
    const { rows } = await db.query<Row>(
      `select ${list.table.columns} from ${list.table.name} t ${where}
       order by t.${list.column} ${direction}, t.id ${direction} limit ${count}`,
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
  const keyOf = (row: Row): Key => [list.moment(row).toISOString(), row.id];
  const beyond = async (side: Border['side'], row: Row | undefined, cursor: Key | null) => {
    const key = row ? keyOf(row) : cursor;
    return key !== null && (await select([{ side, key }], 1, false)).length > 0;
  };
  return {
    edges: rows.map((node) => ({ cursor: encodeCursor(keyOf(node)), node })),
    hasNextPage: async () => (more && !backward) || (before !== null && beyond('after', rows.at(-1), before)),
    hasPreviousPage: async () => (more && backward) || (after !== null && beyond('before', rows[0], after)),
    totalCount: () => countOf(db, list),
  };
}

/**
 * The first page of each of several lists, which are told apart by an owner: read in one query, where one for each owner
 * would cost a page of owners a hundred.
 * @param owner column and property of the owner's id
 * @throws BAD_USER_INPUT
 */
export async function readFirstPages<Row extends { id: string }>(
  db: Queryable,
  list: Omit<List<Row>, 'where' | 'values'>,
  owner: { column: string; of: (row: Row) => string | null | undefined },
  ids: readonly string[],
  first: number | null,
): Promise<Page<Row>[]> {
  const { limit } = pageSize({ first });
  const order = `order by t.${list.column} ${list.newestFirst ? 'desc' : 'asc'}, t.id ${list.newestFirst ? 'desc' : 'asc'}`;
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
      totalCount: () => countOf(db, whole),
    };
  });
}

async function countOf<Row>(db: Queryable, list: List<Row>): Promise<number> {
  const { where, values } = conditions(list, []);
  const counted = await db.query<{ count: number }>(
    `select count(*)::int as count from ${list.table.name} t ${where}`,
    values,
  );
  return counted.rows[0]!.count;
}

interface Border {
  side: 'before' | 'after';
  key: Key;
}

function conditions<Row>(list: List<Row>, borders: readonly Border[]) {
  const values: unknown[] = [...list.values];
  const place = (value: unknown) => `$${values.push(value)}`;
  const edges = borders.map(({ side, key: [at, id] }) => {
    const operator = (side === 'after') === list.newestFirst ? '<' : '>';
    return `(t.${list.column}, t.id) ${operator} (${place(at)}::timestamptz, ${place(id)}::uuid)`;
  });
  const all = [...list.where, ...edges];
  return { where: all.length === 0 ? '' : `where ${all.join(' and ')}`, values };
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

function decodeCursor(text: string, name: string): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (
      Array.isArray(key) &&
      key.length === 2 &&
      isMoment(key[0]) &&
      typeof key[1] === 'string' &&
      isUuid(key[1])
    )
      return [key[0], key[1]];
  } catch {
    // no JSON: falls through
  }
  throw badUserInput(`The cursor given as \`${name}\` is not one that this list gave out.`);
}

function isMoment(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}
