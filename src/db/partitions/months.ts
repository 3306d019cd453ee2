/**
 * Tables with most rows, partitioned by the month of their session. The value names the unique keys that must contain
 * `session_id`, because PostgreSQL allows no others in a partitioned table: columns by name of the key.
 * The tables have no foreign keys (ADR 15), so nothing refers to an `id` alone.
 */
export const PARTITIONED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  session_events: { pkey: 'session_id, seq' },
  timeline_events: { pkey: 'id, session_id', session_sequence: 'session_id, sequence_number' },
  messages: { pkey: 'id, session_id', execution_sequence: 'execution_id, sequence_number, session_id' },
  llm_interactions: { pkey: 'id, session_id' },
  mcp_interactions: { pkey: 'id, session_id' },
};

export const PARTITIONED_TABLES: readonly string[] = Object.keys(PARTITIONED);

/** Session ids from `from` (inclusive) to `to` (exclusive). `null`: no limit. */
export interface IdRange {
  from: string | null;
  to: string;
}

/** Returns the first moment (UTC) of the month that is `offset` months after that of `at`. */
export function monthStart(at: Date, offset = 0): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset));
}

/** Returns the smallest id of a session that is created at `at` or later. */
export function firstIdOf(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns when a session with this id was created, if the id is a UUIDv7. */
export function createdAtOf(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

/** Returns the name of a month's partition, such as `messages_2027_01`. */
export function partitionName(table: string, month: Date): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}
