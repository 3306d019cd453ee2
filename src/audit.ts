import type { AuditAction } from './db/enums.ts';
import { prepared } from './db/prepared.ts';
import type { Queryable } from './db/queryable.ts';
import { uuidv7 } from './text/uuidv7.ts';

/** Who changes something. */
export interface Actor {
  readonly name: string;
  /** How they were recognised: NONE, PROXY, OIDC, TOKEN, or CONSOLE for who has the server itself. */
  readonly via: string;
  /** IP address that the request came from; null when there was none. */
  readonly address: string | null;
}

export interface AuditEntry {
  action: AuditAction;
  /** Type of the API with a global id, and the key of its object; null = of nothing in particular. */
  target: { type: string; id: string } | null;
  /** What else is worth knowing; never a secret, nor text of an alert. */
  detail?: Readonly<Record<string, unknown>>;
}

const COLUMNS = ['id', 'actor', 'action', 'target_type', 'target_id', 'detail', 'via', 'address'];

/** The insert of an entry, for a statement that makes the change with it. @param first number of its first placeholder */
export function auditInsert(first: number): string {
  return `insert into audit_events (${COLUMNS}) values (${COLUMNS.map((_, index) => `$${first + index}`)})`;
}

/** … and its values. */
export function auditValues(
  { name, via, address }: Actor,
  { action, target, detail }: AuditEntry,
): unknown[] {
  return [uuidv7(), name, action, target?.type ?? null, target?.id ?? null, detail ?? null, via, address];
}

/** Keeps that somebody changed something; within the transaction that changes it, so that neither is without the other. */
export async function recordAudit(tx: Queryable, by: Actor, entry: AuditEntry): Promise<void> {
  await tx.query(prepared(auditInsert(1)), auditValues(by, entry));
}

/** Removes what is older. @returns how many */
export async function removeOldAudit(db: Queryable, days: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from audit_events where at < now() - make_interval(days => $1)`,
    [days],
  );
  return rowCount ?? 0;
}
