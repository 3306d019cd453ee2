import { uuidv7 } from '../../common/uuidv7.ts';
import type { AlertGroupRow, AlertRow } from '../../db/entities/index.ts';
import type { IntakeOutcome } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../../engine/live/event-log.ts';
import type { Decision } from '../decide.ts';

/** Returns the rows of a statement that selects each row as JSON in a column `row`. */
export async function readRows<T>(
  db: Queryable,
  statement: Parameters<Queryable['query']>[0],
  values: unknown[],
): Promise<T[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(statement, values);
  return rows.map(({ row }) => decodeRow<T>(row));
}

export interface NewDecision extends Omit<Decision, 'outcome'> {
  outcome: IntakeOutcome;
  alertId: string | null;
  groupId: string;
}

interface IntakeRows {
  groups?: readonly AlertGroupRow[];
  alerts?: readonly AlertRow[];
  decisions?: readonly NewDecision[];
}

/** Inserts or updates rows in one statement: groups by id, alerts by fingerprint. @param at time of the decisions */
export async function writeRows(
  tx: Queryable,
  source: string,
  at: Date,
  { groups = [], alerts = [], decisions = [] }: IntakeRows,
): Promise<void> {
  const named = decisions.map((decision) => ({ ...decision, id: uuidv7(), at, source }));
  await tx.query(prepared(STORE), [
    JSON.stringify(groups.map((row) => record(row, GROUP_COLUMNS))),
    JSON.stringify(alerts.map((row) => record(row, ALERT_COLUMNS))),
    JSON.stringify(named.map((row) => record(row, DECISION_COLUMNS))),
  ]);
}

const columns = (names: string) =>
  names.split(/\s+/).map((name) => ({
    name,
    property: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  }));

/** Columns of groups and alerts. Updates change the `_STATE` columns, never the `_KEY` columns. */
const GROUP_KEY = columns('id source group_key alert_type team opened_at');
const GROUP_STATE =
  columns(`title severity state alert_count firing_count flapping last_outcome session_id investigated_at
  investigated_severity investigated_names longest_gap_ms last_received_at resolved_at is_stale`);
const ALERT_KEY = columns('id source fingerprint first_received_at');
const ALERT_STATE =
  columns(`group_id title severity state labels annotations url episode starts_at sent_starts_at ends_at
  reported_at deliveries last_received_at excluded rule object_id`);
const GROUP_COLUMNS = [...GROUP_KEY, ...GROUP_STATE];
const ALERT_COLUMNS = [...ALERT_KEY, ...ALERT_STATE];
const DECISION_COLUMNS = columns('id at source outcome reason rule alert_id group_id session_id silence_id');

type Columns = ReturnType<typeof columns>;

function record(row: object, of: Columns): Record<string, unknown> {
  const values = row as Record<string, unknown>;
  return Object.fromEntries(of.map(({ name, property }) => [name, values[property] ?? null]));
}

const list = (of: Columns) => of.map(({ name }) => name).join(', ');
const renewed = (of: Columns) => of.map(({ name }) => `${name} = excluded.${name}`).join(', ');
const rowsOf = (table: string, of: Columns, place: string) =>
  `insert into ${table} (${list(of)}) select ${list(of)} from jsonb_populate_recordset(null::${table}, ${place}::jsonb)`;

/** Alerts are written in the order of their fingerprints, so that two transactions never deadlock. */
const STORE = `with groups as (
    ${rowsOf('alert_groups', GROUP_COLUMNS, '$1')} on conflict (id) do update set ${renewed(GROUP_STATE)}
  ), alerts as (
    ${rowsOf('alerts', ALERT_COLUMNS, '$2')} order by fingerprint
    on conflict (source, fingerprint) do update set ${renewed(ALERT_STATE)}
  )
  ${rowsOf('intake_decisions', DECISION_COLUMNS, '$3')}`;
