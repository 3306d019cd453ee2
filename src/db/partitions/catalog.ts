import type { Queryable } from '../queryable.ts';
import type { IdRange } from './months.ts';

export interface Partition extends IdRange {
  name: string;
  /** Comment of the table in PostgreSQL's catalog; `null` without one. */
  comment: string | null;
}

/** Returns true if the table is partitioned; false if it is an ordinary one, as before its conversion. */
export async function isPartitioned(db: Queryable, table: string): Promise<boolean> {
  const { rows } = await db.query(`select 1 from pg_class where oid = $1::regclass and relkind = 'p'`, [
    table,
  ]);
  return rows.length > 0;
}

const BOUND = /^FOR VALUES FROM \((?:MINVALUE|'([^']+)')\) TO \('([^']+)'\)$/;

/** Returns the partitions of a table in the order of their ranges, without the default partition. */
export async function readPartitions(db: Queryable, table: string): Promise<Partition[]> {
  const { rows } = await db.query<{ name: string; bound: string; comment: string | null }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, obj_description(c.oid, 'pg_class') as comment
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
    [table],
  );
  return rows
    .flatMap(({ name, bound, comment }) => {
      const [, from = null, to] = BOUND.exec(bound) ?? [];
      return to === undefined ? [] : [{ name, from, to, comment }];
    })
    .sort((a, b) => (a.to < b.to ? -1 : 1));
}

/** An index of a table. `constraint`: definition of the key that it enforces; `null` for a plain index. */
export interface TableIndex {
  name: string;
  isValid: boolean;
  /** Everything of its definition after the table's name. */
  definition: string;
  constraint: string | null;
}

export async function readIndexes(db: Queryable, table: string): Promise<TableIndex[]> {
  const { rows } = await db.query<TableIndex>(
    `select c.relname as name, x.indisvalid as "isValid", pg_get_constraintdef(k.oid) as constraint,
       (case when x.indisunique then 'unique ' else '' end) || substring(pg_get_indexdef(x.indexrelid) from ' (USING .*)$') as definition
     from pg_index x join pg_class c on c.oid = x.indexrelid
     left join pg_constraint k on k.conindid = x.indexrelid and k.conrelid = x.indrelid and k.contype in ('p', 'u')
     where x.indrelid = $1::regclass order by c.relname`,
    [table],
  );
  return rows;
}
