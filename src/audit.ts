import { storableJson } from './common/storable.ts';
import { uuidv7 } from './common/uuidv7.ts';
import type { AuditAction } from './db/enums.ts';
import { prepared } from './db/prepared.ts';
import type { Queryable } from './db/queryable.ts';

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

/** An entry as its table has it. */
export type AuditRow = Readonly<Record<keyof typeof COLUMNS, unknown>>;

export function auditRow({ name, via, address }: Actor, { action, target, detail }: AuditEntry): AuditRow {
  const { type: target_type = null, id: target_id = null } = target ?? {};
  return { id: uuidv7(), actor: name, action, target_type, target_id, detail: detail ?? null, via, address };
}

/** The insert of entries, for a statement that makes the changes with them. @param place of the parameter with their rows, as JSON */
export function auditInsert(place: number): string {
  const names = Object.keys(COLUMNS).join(', ');
  const typed = Object.entries(COLUMNS).map((column) => column.join(' '));
  return `insert into audit_events (${names}) select ${names} from json_to_recordset($${place}::json) as r (${typed.join(', ')})`;
}

/** Keeps that somebody changed something; within the transaction that changes it, so that neither is without the other. */
export async function recordAudit(tx: Queryable, by: Actor, entry: AuditEntry): Promise<void> {
  await tx.query(prepared(auditInsert(1)), [storableJson([auditRow(by, entry)])]);
}

/** Rows removed in one statement: of a year's at once, after a shorter retention, none would be gone when its time is up. */
const BATCH = 1000;

/** Removes what is older, a batch at a time. @returns how many */
export async function removeOldAudit(db: Queryable, days: number): Promise<number> {
  const sql = `delete from audit_events where id in (select id from audit_events
    where at < now() - make_interval(days => $1) limit ${BATCH} for update skip locked)`;
  let removed = 0;
  for (let count = BATCH; count > 0; removed += count) count = (await db.query(sql, [days])).rowCount ?? 0;
  return removed;
}
