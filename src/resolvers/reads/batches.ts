import DataLoader from 'dataloader';
import { type Visibility, visibilityParameter } from '../../access/visibility.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Loaders } from '../../schema/context.ts';
import type { Shown } from './in-sight.ts';
import type { Table } from './tables.ts';

export type Batches = ReturnType<typeof createBatches>;
type Read<T> = (keys: readonly string[]) => Promise<T[]>;

/** For each loader, the function that creates it when it is first used. */
export type LoaderMakers = { [Name in keyof Loaders]: () => Loaders[Name] };

/** Makers of loaders over one pool, for one sight; `cache` says whether a loader remembers what it has read. */
export function createBatches(pool: Queryable, sight: Visibility, options: { cache: boolean }) {
  const rows = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
    (await pool.query(sql, values)).rows as T[];

  /** One row per key; `property` of a row is its key. */
  const one = <T>(read: Read<T>, property: string) =>
    new DataLoader<string, T | null>(async (keys) => {
      const found = new Map((await read(keys)).map((row) => [row[property as keyof T] as string, row]));
      return keys.map((key) => found.get(key) ?? null);
    }, options);

  /** Any number of rows per key, in the order in which they were read. */
  const many = <T>(read: Read<T>, property: string) =>
    new DataLoader<string, T[]>(async (keys) => {
      const groups = Map.groupBy(await read(keys), (row) => row[property as keyof T] as string);
      return keys.map((key) => groups.get(key) ?? []);
    }, options);

  const select = <T>(table: Table, column: string, rest: string): Read<T> => {
    const sql = `select ${table.columns} from ${table.name} t where t.${column} = any($1) ${rest}`;
    return (keys) => rows<T>(sql, keys);
  };

  const shownById = (table: Table, shown: Shown) => {
    const sql = `select ${table.columns} from ${table.name} t where t.id = any($1) and ${shown('$2')}`;
    return <T>(keys: readonly string[]) => rows<T>(sql, keys, visibilityParameter(sight));
  };

  return {
    rows,
    sight: visibilityParameter(sight),
    /** What `read` gives for each key, in their order. */
    loader: <T>(read: (db: Queryable, keys: readonly string[]) => Promise<T[]>) =>
      new DataLoader<string, T>((keys) => read(pool, keys), options),
    one,
    many,
    byId: <T>(table: Table) => one<T>(select(table, 'id', ''), 'id'),
    /** … that is shown to who asks. */
    shownById: <T>(table: Table, shown: Shown) => one<T>(shownById(table, shown), 'id'),
    /** The row that refers to the key by a column, of which there is at most one. */
    oneOf: <T>(table: Table, { column, property }: Reference) => one<T>(select(table, column, ''), property),
    /** The rows that refer to the key by a column. */
    manyOf: <T>(table: Table, { column, property }: Reference, rest: string) =>
      many<T>(select(table, column, rest), property),
    /** One property of what another loader reads. */
    pick: <T>(loader: DataLoader<string, Record<string, T> | null>, property: string) =>
      new DataLoader<string, T | null>(
        async (keys) =>
          (await loader.loadMany(keys)).map((row) =>
            row instanceof Error ? row : (row?.[property] ?? null),
          ),
        options,
      ),
  };
}

/** A foreign key: its column, and the property that holds it in a row. */
export interface Reference {
  column: string;
  property: string;
}
