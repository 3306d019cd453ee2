/** Runs SQL statements: a pool, or a connection within a transaction. */
export interface Queryable {
  query<T extends object>(
    statement: string | { name: string; text: string },
    values?: unknown[],
  ): Promise<{ rows: T[]; rowCount: number | null }>;
}

/** Runs `work` in one transaction: either all of it commits, or nothing does. */
export type Transaction = <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;
