import { uuidv7 } from '../../common/uuidv7.ts';
import type { AlertGroupRow, AlertRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { NewDecision } from './decisions.ts';

export interface DeliveryRows {
  groups: readonly AlertGroupRow[];
  alerts: readonly AlertRow[];
  decisions: readonly NewDecision[];
}

/** Stores all rows of a delivery in one statement. Groups are matched by id, alerts by fingerprint. */
export async function writeDelivery(
  tx: Queryable,
  source: string,
  at: Date,
  left: DeliveryRows,
): Promise<void> {
  await tx.query(prepared(STORE), [
    JSON.stringify(left.groups.map((row) => record(row, GROUP_COLUMNS))),
    JSON.stringify(left.alerts.map((row) => record(row, ALERT_COLUMNS))),
    JSON.stringify(
      left.decisions.map((decision) => record({ ...decision, id: uuidv7(), at, source }, DECISION_COLUMNS)),
    ),
  ]);
}

const named = (names: string) =>
  names.split(/\s+/).map((name) => ({
    name,
    property: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  }));

/** The columns of a row that never change, and those that do. */
const GROUP_KEY = named('id source group_key alert_type team opened_at');
const GROUP_STATE =
  named(`title severity state alert_count firing_count flapping last_outcome session_id investigated_at
  investigated_severity investigated_names longest_gap_ms last_received_at resolved_at is_stale`);
const ALERT_KEY = named('id source fingerprint first_received_at');
const ALERT_STATE =
  named(`group_id title severity state labels annotations url episode starts_at sent_starts_at ends_at
  deliveries last_received_at excluded rule`);
const GROUP_COLUMNS = [...GROUP_KEY, ...GROUP_STATE];
const ALERT_COLUMNS = [...ALERT_KEY, ...ALERT_STATE];
const DECISION_COLUMNS = named('id at source outcome reason rule alert_id group_id session_id silence_id');

type Columns = ReturnType<typeof named>;

function record(row: object, columns: Columns): Record<string, unknown> {
  const values = row as Record<string, unknown>;
  const named: Record<string, unknown> = {};
  for (const { name, property } of columns) named[name] = values[property] ?? null;
  return named;
}

const list = (columns: Columns) => columns.map(({ name }) => name).join(', ');
const renewed = (columns: Columns) => columns.map(({ name }) => `${name} = excluded.${name}`).join(', ');
const rowsOf = (table: string, columns: Columns, place: string) =>
  `insert into ${table} (${list(columns)}) select ${list(columns)} from jsonb_populate_recordset(null::${table}, ${place}::jsonb)`;

/** Alerts are written in the order of their fingerprints, so that two transactions never deadlock. */
const STORE = `with groups as (
    ${rowsOf('alert_groups', GROUP_COLUMNS, '$1')} on conflict (id) do update set ${renewed(GROUP_STATE)}
  ), alerts as (
    ${rowsOf('alerts', ALERT_COLUMNS, '$2')} order by fingerprint
    on conflict (source, fingerprint) do update set ${renewed(ALERT_STATE)}
  )
  ${rowsOf('intake_decisions', DECISION_COLUMNS, '$3')}`;
