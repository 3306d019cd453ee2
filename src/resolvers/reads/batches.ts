import DataLoader from 'dataloader';
import { type Visibility, visibilityParameter } from '../../access/visibility.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Loaders } from '../../schema/context.ts';
import type { Table } from './tables.ts';
import type { Shown } from './visible-rows.ts';

export type Batches = ReturnType<typeof createBatches>;
type Read<T> = (keys: readonly string[]) => Promise<T[]>;

export type LoaderMakers = { [Name in keyof Loaders]: () => Loaders[Name] };

/** Creates factories of DataLoaders for one pool and one viewer's visibility. `cache`: true if loaders keep results. */
export function createBatches(pool: Queryable, sight: Visibility, options: { cache: boolean }) {
  const rows = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
    (await pool.query(prepared(sql), values)).rows as T[];

  const one = <T>(read: Read<T>, property: string) =>
    new DataLoader<string, T | null>(async (keys) => {
      const found = new Map((await read(keys)).map((row) => [row[property as keyof T] as string, row]));
      return keys.map((key) => found.get(key) ?? null);
    }, options);

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
    /** Makes a DataLoader. `read` must return one value per key, in key order, because results match by position. */
    loader: <T>(read: (db: Queryable, keys: readonly string[]) => Promise<T[]>) =>
      new DataLoader<string, T>((keys) => read(pool, keys), options),
    one,
    many,
    byId: <T>(table: Table) => one<T>(select(table, 'id', ''), 'id'),
    shownById: <T>(table: Table, shown: Shown) => one<T>(shownById(table, shown), 'id'),
    oneOf: <T>(table: Table, { column, property }: Reference) => one<T>(select(table, column, ''), property),
    manyOf: <T>(table: Table, { column, property }: Reference, rest: string) =>
      many<T>(select(table, column, rest), property),
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

export interface Reference {
  column: string;
  property: string;
}
