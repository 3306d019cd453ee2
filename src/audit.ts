import { toStorableJson } from './common/storable.ts';
import { uuidv7 } from './common/uuidv7.ts';
import type { AuditAction } from './db/audit-actions.ts';
import { prepared } from './db/prepared.ts';
import type { Queryable } from './db/queryable.ts';

/** The user, token or console command that makes a change. */
export interface Actor {
  readonly name: string;
  /** How the actor was authenticated: NONE, PROXY, OIDC, TOKEN, SLACK, or CONSOLE for a command on the server itself. */
  readonly via: string;
  /** IP address of the request; `null` if there was none. */
  readonly address: string | null;
}

interface AuditEntry {
  action: AuditAction;
  /** GraphQL type and id of the changed object; `null` if the change concerns no single object. */
  target: { type: string; id: string } | null;
  /** Further data about the change, without secrets and alert texts. */
  detail?: Readonly<Record<string, unknown>>;
}

const COLUMNS = {
  id: 'uuid',
  actor: 'text',
  action: 'text',
  target_type: 'text',
  target_id: 'uuid',
  detail: 'jsonb',
  via: 'text',
  address: 'text',
};

export type AuditRow = Readonly<Record<keyof typeof COLUMNS, unknown>>;

export function auditRow({ name, via, address }: Actor, { action, target, detail }: AuditEntry): AuditRow {
  const { type: target_type = null, id: target_id = null } = target ?? {};
  return { id: uuidv7(), actor: name, action, target_type, target_id, detail: detail ?? null, via, address };
}

/** Returns the SQL that inserts audit rows. @param place number of the parameter that holds the rows as JSON */
export function auditInsert(place: number): string {
  const names = Object.keys(COLUMNS).join(', ');
  const typed = Object.entries(COLUMNS).map((column) => column.join(' '));
  return `insert into audit_events (${names}) select ${names} from json_to_recordset($${place}::json) as r (${typed.join(', ')})`;
}

/** Stores an audit entry within the transaction of the change. */
export async function recordAudit(tx: Queryable, by: Actor, entry: AuditEntry): Promise<void> {
  await tx.query(prepared(auditInsert(1)), [toStorableJson([auditRow(by, entry)])]);
}

/** Rows per delete statement, because deleting a year of rows at once would exceed the statement timeout. */
const BATCH = 1000;

/** Deletes audit entries older than `days` days, in batches. @returns the number of deleted entries */
export async function removeOldAudit(db: Queryable, days: number): Promise<number> {
  const sql = `delete from audit_events where id in (select id from audit_events
    where at < now() - make_interval(days => $1) limit ${BATCH} for update skip locked)`;
  let removed = 0;
  for (let count = BATCH; count > 0; removed += count) count = (await db.query(sql, [days])).rowCount ?? 0;
  return removed;
}
