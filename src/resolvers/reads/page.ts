import type { Queryable } from '../../db/queryable.ts';
import type { PageArgs } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import { isUuid } from '../../schema/ids.ts';
import type { Page } from '../../schema/views.ts';
import { type Parameters, parameters } from './parameters.ts';
import type { Table } from './tables.ts';

const DEFAULT_PAGE = 25;
const MAX_PAGE = 100;

/** One column of a list's sort key; the rows have the alias `t`. */
export interface KeyColumn<Row> {
  sql: string;
  type: string;
  of(row: Row): string | number;
  /** True if a cursor may contain the value. */
  fits(value: unknown): boolean;
}

export interface List<Row> {
  table: Table;
  /** Sort key. Must be unique, so that pages neither skip nor repeat a row. */
  key: readonly KeyColumn<Row>[];
  descending: boolean;
  /** First values of each cursor, so that a cursor of another sort order is refused. */
  cursorStart?: readonly string[];
  where(params: Parameters): string[];
}

export const momentColumn = <Row>(column: string, of: (row: Row) => Date): KeyColumn<Row> => ({
  sql: `t.${column}`,
  type: 'timestamptz',
  of: (row) => of(row).toISOString(),
  fits: (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
});

export const ID_COLUMN: KeyColumn<{ id: string }> = {
  sql: 't.id',
  type: 'uuid',
  of: ({ id }) => id,
  fits: (value) => typeof value === 'string' && isUuid(value),
};

type Key = (string | number)[];
type Side = 'before' | 'after';

interface Border {
  side: Side;
  key: Key;
  inclusive?: boolean;
}

/**
 * Returns one page by cursors (keyset), so that added rows do not shift later pages. The rows are read when they are first
 * needed, so that their query and the count run at the same time. @throws BAD_USER_INPUT
 */
export async function readPage<Row extends { id: string }>(
  db: Queryable,
  list: List<Row>,
  args: PageArgs,
  countAll = () => count(db, list),
): Promise<Page<Row>> {
  const { limit, backward } = pageSize(args);
  const after = decodeCursor(list, args, 'after');
  const before = decodeCursor(list, args, 'before');
  const { where, values } = conditions(list, [
    ...(after ? [{ side: 'after' as const, key: after }] : []),
    ...(before ? [{ side: 'before' as const, key: before }] : []),
  ]);
  const order = orderOf(list, backward);
  const { name, columns } = list.table;
  // Selects ids first, because an index may contain all filter columns, so that only rows of the page are read.
  const sql = `select ${columns} from ${name} t where t.id in (
     select t.id from ${name} t ${where} ${order} limit ${limit + 1}) ${order}`;
  const read = once(async () => {
    const { rows: found } = await db.query<Row>(sql, values);
    const rows = found.slice(0, limit);
    if (backward) rows.reverse();
    return { rows, more: found.length > limit };
  });
  const hasOutside = (side: Side, cursor: Key | null) =>
    once(async () => {
      const { rows, more } = await read();
      if (more && backward === (side === 'before')) return true;
      if (cursor === null) return false;
      const edge = rows.at(side === 'before' ? 0 : -1);
      // An empty page lies at its cursor. The cursor's row then counts as outside the page.
      const border = edge ? { side, key: keyOf(list, edge) } : { side, key: cursor, inclusive: true };
      return (await count(db, list, border)) > 0;
    });
  return {
    edges: once(async () => edgesOf(list, (await read()).rows)),
    hasNextPage: hasOutside('after', before),
    hasPreviousPage: hasOutside('before', after),
    totalCount: once(countAll),
  };
}

export interface FirstPages<Row> {
  list: Omit<List<Row>, 'where'>;
  owner: { column: string; of: (row: Row) => string | null | undefined };
  ids: readonly string[];
  /** Page size; `null` for the default size. */
  first: number | null;
}

/** Returns the first page of each owner (`ids`) in one query. @throws BAD_USER_INPUT for an invalid page size */
export async function readFirstPages<Row extends { id: string }>(
  db: Queryable,
  { list, owner, ids, first }: FirstPages<Row>,
): Promise<Page<Row>[]> {
  const { limit } = pageSize({ first });
  const { name, columns } = list.table;
  const order = orderOf(list, false);
  const { rows } = await db.query<Row>(
    `select ${columns} from unnest($1::uuid[]) owner(id) cross join lateral (
       select * from ${name} t where t.${owner.column} = owner.id ${order} limit ${limit + 1}) t ${order}`,
    [ids],
  );
  const byOwner = Map.groupBy(rows, owner.of);
  return ids.map((id) => {
    const own = byOwner.get(id) ?? [];
    const whole = { ...list, where: ({ given }: Parameters) => given(`${owner.column} =`, id) };
    return {
      edges: once(async () => edgesOf(list, own.slice(0, limit))),
      hasNextPage: async () => own.length > limit,
      hasPreviousPage: async () => false,
      totalCount: once(() => count(db, whole)),
    };
  });
}

async function count<Row>(db: Queryable, list: List<Row>, beyond?: Border): Promise<number> {
  const { where, values } = conditions(list, beyond ? [beyond] : []);
  const sql = beyond
    ? `select exists (select 1 from ${list.table.name} t ${where})::int as count`
    : `select count(*)::int as count from ${list.table.name} t ${where}`;
  return (await db.query<{ count: number }>(sql, values)).rows[0]!.count;
}

function conditions<Row>({ key, descending, where }: List<Row>, borders: readonly Border[]) {
  const params = parameters();
  const own = where(params);
  const edges = borders.map((border) => {
    const operator = (border.side === 'after') === descending ? '<' : '>';
    const places = key.map(({ type }, index) => `${params.add(border.key[index])}::${type}`);
    const columns = key.map(({ sql }) => sql).join(', ');
    return `(${columns}) ${operator}${border.inclusive ? '=' : ''} (${places.join(', ')})`;
  });
  const all = [...own, ...edges];
  return { where: all.length === 0 ? '' : `where ${all.join(' and ')}`, values: params.values };
}

type Order<Row> = Pick<List<Row>, 'key' | 'descending' | 'cursorStart'>;

function orderOf<Row>({ key, descending }: Order<Row>, reverse: boolean): string {
  const direction = descending === reverse ? 'asc' : 'desc';
  return `order by ${key.map(({ sql }) => `${sql} ${direction}`).join(', ')}`;
}

function pageSize({ first, last }: PageArgs): { limit: number; backward: boolean } {
  if (first != null && last != null) throw badUserInput('Give either `first` or `last`, not both.');
  const [name, limit] = last != null ? ['last', last] : ['first', first ?? DEFAULT_PAGE];
  if (limit < 1 || limit > MAX_PAGE)
    throw badUserInput(`\`${name}\` must be from 1 to ${MAX_PAGE}, not ${limit}.`);
  return { limit, backward: last != null };
}

const keyOf = <Row>({ key }: Order<Row>, row: Row): Key => key.map((column) => column.of(row));

function edgesOf<Row>(order: Order<Row>, rows: readonly Row[]) {
  return rows.map((node) => {
    const parts = [...(order.cursorStart ?? []), ...keyOf(order, node)];
    return { cursor: Buffer.from(JSON.stringify(parts)).toString('base64url'), node };
  });
}

function decodeCursor<Row>(
  { key, cursorStart = [] }: Order<Row>,
  args: PageArgs,
  name: 'after' | 'before',
): Key | null {
  const text = args[name];
  if (!text) return null; // some clients send an empty cursor for the first page
  const fits = [
    ...cursorStart.map((start) => (part: unknown) => part === start),
    ...key.map(({ fits }) => fits),
  ];
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isKey = Array.isArray(parts) && parts.length === fits.length;
    if (isKey && fits.every((isValid, index) => isValid(parts[index])))
      return parts.slice(cursorStart.length);
  } catch {
    // Not JSON: refused below.
  }
  throw badUserInput(`The cursor given as \`${name}\` is not one that this list returned in this order.`);
}

/** Returns a function that calls `ask` at most once, even if a document selects the field under several aliases. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}
