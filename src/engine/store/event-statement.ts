import { toStorableJson } from '../../common/storable.ts';
import type { SessionEventType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { LeaseLostError } from '../common/interruptions.ts';
import { decodeRow, propertyName } from '../live/event-log.ts';

/**
 * Who may write for a session: the run that claimed it with this attempt number. A later claim raises the
 * number, and every write of an older run is refused from then on.
 */
export interface Fence {
  sessionId: string;
  attempt: number;
}

/** Rows of one kind that steps write: a part of their statement. */
export interface RowWriter {
  /** Of its CTE, which others may read. */
  name: string;
  /** Columns of `r`, which holds the rows that are to be written, with their types. */
  columns: Readonly<Record<string, string>>;
  /**
   * `insert into … as t …|update … t …` without what it returns, reading `locked l` (the session's row before the step) and
   * `rows` (its `r`).
   * @param alone the step has one row alone that may be an event
   */
  sql: (rows: string, alone: boolean) => string;
  /**
   * Each row `t` that was written is an event, or those for which `when` holds; those of a step are numbered by rank, then
   * by `place`, an expression of it. Its payload is the row, unless it says otherwise.
   */
  event?: { type: SessionEventType; rank: number; place: string; when?: string; payload?: string };
  /** One of its rows may change several. */
  many?: true;
  /** What else of a row `t` that was written is read by `set`. */
  returning?: string;
  /** Further assignments to the session's row `s`, reading `locked l` and `from`. */
  set?: (alone: boolean) => string;
  from?: string;
  /** Makes one row of those that change the same one, as a statement changes a row once. */
  merge?: (rows: readonly object[]) => readonly object[];
}

/**
 * Rows that are added as they are.
 * @param more further columns, each with what it gets
 */
export function insertInto(
  table: string,
  columns: RowWriter['columns'],
  more: (alone: boolean) => Record<string, string> = () => ({}),
): RowWriter['sql'] {
  return (rows, alone) => {
    const others = Object.entries(more(alone));
    const names = ['session_id', ...Object.keys(columns), ...others.map(([name]) => name)];
    const own = Object.keys(columns).map((name) => `r.${name}`);
    const values = ['l.id', ...own, ...others.map(([, value]) => value)];
    return `insert into ${table} as t (${names.join(', ')}) select ${values.join(', ')} from locked l, ${rows}`;
  };
}

/** One row of a part, as an object of the program: `stageId` for the column `stage_id`. What is no column is left out. */
export interface RowChange {
  writer: RowWriter;
  row: object;
}

/** A change of the session's row itself, which is the last event of its step. */
export interface SessionChange {
  /** Condition on the session's row `s`. Parameters from $2. */
  guard: string;
  /** SET list. */
  assign: string;
  values: readonly unknown[];
}

/** A row that was written and is an event, as the log has it: with the column names of its table. */
export interface LoggedRow {
  type: SessionEventType;
  row: Record<string, unknown>;
}

/** The run holds the session: its fence. Parameter $2 is its attempt. */
export const FENCE_CONDITION = 's.attempt = $2 and s.lease_expires_at is not null';

/** By id: places in the session's timeline. */
export type SequenceNumbers = ReadonlyMap<string, number>;

/**
 * Writes all that belongs together in one statement: rows, the numbers and the log of their events, and what is summed up
 * in the session's row. It commits together or not at all, and `db` has the events announced then.
 * @returns the places of the timeline items that it added
 * @throws LeaseLostError when the session is no longer this run's; nothing is written then
 */
export async function writeRows(
  db: Queryable,
  fence: Fence,
  changes: readonly RowChange[],
): Promise<SequenceNumbers> {
  if (changes.length === 0) return new Map();
  const written = await write(
    db,
    fence.sessionId,
    { guard: FENCE_CONDITION, values: [fence.attempt] },
    changes,
  );
  if (written === null) throw new LeaseLostError(fence.sessionId);
  return new Map(written.flatMap(({ item, place }) => (item ? [[item, place]] : [])));
}

/**
 * The same under a condition on the session's row, by whoever has no run.
 * @returns the rows that are events; null when the condition did not hold
 */
export function writeRowsIf(
  db: Queryable,
  sessionId: string,
  guard: Pick<SessionChange, 'guard' | 'values'>,
  changes: readonly RowChange[],
): Promise<LoggedRow[] | null> {
  return write(db, sessionId, guard, changes, true);
}

/**
 * Changes the session's row, and what changes with it.
 * @returns the row without its alert text; null when the condition did not hold
 */
export async function writeSession<T>(
  db: Queryable,
  sessionId: string,
  change: SessionChange,
  changes: readonly RowChange[] = [],
): Promise<T | null> {
  const written = await write(db, sessionId, change, changes, true);
  const last = written?.at(-1);
  return last ? decodeRow<T>(last.row) : null;
}

async function write(
  db: Queryable,
  sessionId: string,
  session: Condition,
  changes: readonly RowChange[],
  returning = false,
): Promise<Written[] | null> {
  const byPart = [...Map.groupBy(changes, ({ writer }) => writer)]
    // In one order, whatever that of the changes: fewer kinds of steps.
    .sort(([a], [b]) => (a.name < b.name ? -1 : 1))
    .map(([writer, ofPart]) => {
      const all = ofPart.map(({ row }) => row);
      return { writer, rows: writer.merge?.(all) ?? all };
    });
  const events = byPart.map(({ writer, rows }) => (writer.event ? rows.length * (writer.many ? 2 : 1) : 0));
  const alone = events.reduce((sum, count) => sum + count, session.assign === undefined ? 0 : 1) === 1;
  const values = byPart.map(({ writer, rows }) => toStorableJson(rows.map((row) => toRow(writer, row))));
  const { rows } = await db.query<Written & { announced: string | null }>(
    statementFor(
      byPart.map(({ writer }) => writer),
      session,
      { alone, returning },
    ),
    [sessionId, ...session.values, ...values],
  );
  return rows.length === 0 ? null : rows.filter(({ announced }) => announced !== null);
}

/** `item`: the id of a timeline item that was added. */
interface Written extends LoggedRow {
  item: string | null;
  place: number;
}

type Condition = Pick<SessionChange, 'guard' | 'values'> & Partial<Pick<SessionChange, 'assign'>>;

interface Form {
  /** One row at most is an event. */
  alone: boolean;
  /** The rows that are events are returned. */
  returning: boolean;
}

const statements = new Map<string, string>();

/** The statement of steps of one kind, whose text is made once: there are as many as there are kinds of steps. */
function statementFor(parts: readonly RowWriter[], session: Condition, form: Form) {
  const names = parts.map(({ name }) => name);
  const kind = [session.guard, session.assign, form.alone, form.returning, ...names].join('\n');
  let made = statements.get(kind);
  if (made === undefined) {
    made = statement(parts, session, form);
    statements.set(kind, made);
  }
  return prepared(made); // pg writes into what it is given
}

/** Of what was logged: a timeline item that was added, and where. */
const PLACED = `case when g.type = 'TimelineEventCreated' then g.payload->>'id' end as item,
      (g.payload->>'sequence_number')::int as place`;

/**
 * Locks the session's row first, so events are numbered in commit order without gaps. What one part of the statement hands
 * on to the next is as narrow as can be: each column costs the database something at every start.
 */
function statement(
  parts: readonly RowWriter[],
  { guard, values, assign }: Condition,
  { alone, returning }: Form,
): string {
  const changes = parts.flatMap(eventsOf);
  const isSession = assign !== undefined;
  const sets = [
    `last_event_seq = ${['l.last_event_seq', ...changes.map(({ from }) => `(select count(*) from ${from})`), ...(isSession ? ['1'] : [])].join(' + ')}`,
    ...parts.flatMap(({ set }) => set?.(alone) ?? []),
    assign ?? 'last_interaction_at = now()',
  ];
  const sources = ['locked l', ...parts.flatMap(({ from }) => from ?? [])].join(', ');
  const ctes = [
    `locked as (select s.id, s.last_event_seq, s.last_timeline_sequence from alert_sessions s where s.id = $1 and (${guard}) for no key update)`,
    ...parts.map((writer, n) => `${writer.name} as (${writing(writer, values.length + 2 + n, alone)})`),
    `written as (update alert_sessions s set ${sets.join(', ')} from ${sources} where s.id = l.id
      returning ${isSession ? `to_jsonb(s) - 'alert_data' as payload` : '1'})`,
  ];
  const events = isSession ? [...changes, OWN] : changes;
  if (events.length === 0) return `with ${ctes.join(',\n')} select null as announced from locked`;
  const numbered = alone
    ? events.map(
        ({ type, from }) => `select l.id, l.last_event_seq + 1, '${type}', c.payload from locked l, ${from}`,
      )
    : [
        `select l.id, l.last_event_seq + row_number() over (order by e.rank, e.place), e.type, e.payload
         from locked l, (${events.map(({ type, rank, from }) => `select ${rank} as rank, c.place, '${type}' as type, c.payload from ${from}`).join(' union all ')}) e`,
      ];
  return `with ${ctes.join(',\n')},
    logged as (
      insert into session_events (session_id, seq, type, payload) ${numbered.join()} returning seq, type, payload
    )
    select g.type, l.id || ':' || g.seq || ':' || g.type as announced, ${returning ? 'g.payload as row' : PLACED}
    from locked l left join logged g on true order by g.seq`;
}

/** The event of the session's own row, the last of its step. */
const OWN = {
  type: 'SessionStatusChanged',
  rank: 9,
  from: '(select 0 as place, w.payload from written w) c',
};

function eventsOf({ name, event }: RowWriter): (typeof OWN)[] {
  if (!event) return [];
  const { type, rank, when } = event;
  return [{ type, rank, from: `${name} c${when ? ' where c.payload is not null' : ''}` }];
}

/** A part's own statement, which returns what others read: a row's event, and what the session's row takes of it. */
function writing({ columns, sql, event, returning }: RowWriter, parameter: number, alone: boolean): string {
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const rows = `json_to_recordset($${parameter}::json) as r (${typed.join(', ')})`;
  const { payload = 'to_jsonb(t)', place, when } = event ?? {};
  const shown = when ? `case when ${when} then ${payload} end` : payload;
  const returned = [
    ...(event ? [`${shown} as payload`, `${place} as place`] : []),
    ...(returning ? [returning] : []),
  ];
  return sql(rows, alone) + (returned.length > 0 ? ` returning ${returned.join(', ')}` : '');
}

function toRow({ columns }: RowWriter, row: object): Record<string, unknown> {
  const properties = row as Record<string, unknown>;
  return Object.fromEntries(Object.keys(columns).map((column) => [column, properties[propertyName(column)]]));
}
