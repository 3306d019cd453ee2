import type { Queryable } from './queryable.ts';

/**
 * Returns the identity of a database: letters, digits and "-", the same for every way to the database. Every other
 * database has another identity, except for physical copies of the server.
 */
export async function readDatabaseIdentity(db: Pick<Queryable, 'query'>): Promise<string> {
  const { rows } = await db.query<{ identity: string }>(
    `select concat(system_identifier, '-', oid) as identity
     from pg_control_system(), pg_database where datname = current_database()`,
  );
  return rows[0]!.identity;
}
