import type pg from 'pg';

/** The parts of a database that programs rely on, each by name with its definition. */
type Schema = Map<string, { kind: Kind; of: string; how: string }>;
type Kind = 'table' | 'column' | 'constraint' | 'unique index' | 'trigger' | 'function';

const PARTS = `
  with tables as (
    select c.oid, c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  )
  select 'table' as kind, name as of, '' as name, '' as how from tables
  union all select 'column', t.name, a.attname, format_type(a.atttypid, a.atttypmod) ||
      case when a.attnotnull and not a.atthasdef then ' required' else '' end || case when a.attnotnull then ' not null' else '' end
    from pg_attribute a join tables t on t.oid = a.attrelid where a.attnum > 0 and not a.attisdropped
  union all select 'constraint', t.name, c.conname, pg_get_constraintdef(c.oid)
    from pg_constraint c join tables t on t.oid = c.conrelid where c.contype <> 'n'
  union all select 'unique index', t.name, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    from pg_index i join tables t on t.oid = i.indrelid where i.indisunique
  union all select 'trigger', t.name, g.tgname, pg_get_triggerdef(g.oid)
    from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal
  union all select 'function', '', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
    from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

/** Reads the current schema `public`. */
export async function readSchema(db: pg.ClientBase): Promise<Schema> {
  const { rows } = await db.query<{ kind: Kind; of: string; name: string; how: string }>(PARTS);
  return new Map(rows.map(({ kind, of, name, how }) => [`${kind} ${of}.${name}`, { kind, of, how }]));
}

/**
 * Returns the differences that can break a program written for the first schema: removed or changed objects,
 * and stricter requirements on rows; [] if the change is additive. Removing a CHECK or a foreign key only
 * relaxes the schema.
 */
export function breakingChanges(before: Schema, after: Schema): string[] {
  const isLess = (name: string, how: string) => /^(CHECK|FOREIGN KEY)/.test(how) && !after.has(name);
  const gone = [...before]
    .filter(([name, { how }]) => after.get(name)?.how !== how && !isLess(name, how))
    .map(([name]) => name);
  const asked = [...after].filter(([name, { kind, of, how }]) => {
    if (before.has(name) || !before.has(`table ${of}.`)) return false;
    return kind === 'column' ? how.includes(' required') : true;
  });
  return [...gone, ...asked.map(([name]) => name)];
}
