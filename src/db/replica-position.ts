import type { Queryable } from './queryable.ts';

/** State of the primary that a replica must reach. */
export interface PrimaryState {
  /** WAL position up to which everything is on disk (bytes since the start of the WAL). Commits before now are below it. */
  position: number;
  timeline: number;
  /** Names cluster and database; equal on the primary and its standbys. */
  database: string;
  /** Value of `synchronous_commit`. */
  commit: string;
  now: Date;
}

export interface ReplicaState {
  isStandby: boolean;
  /** WAL position up to which everything is replayed (bytes); `null` if the server replays no WAL. */
  position: number | null;
  timeline: number;
  database: string;
  /** Names the running server; another one after a restart. */
  server: string;
  /** Commit time of the last replayed transaction, by the primary's clock; `null` if there was none. */
  replayedAt: Date | null;
}

const DATABASE = `pg_control_system() c, pg_database d where d.datname = current_database()`;

const PRIMARY = `
  select pg_current_wal_flush_lsn() - '0/0'::pg_lsn as bytes, current_setting('synchronous_commit') as commit,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline,
    c.system_identifier || '/' || d.oid as database, clock_timestamp() as now
  from ${DATABASE}`;

/**
 * The timeline is the latest of that which streams, that of the last page on disk and that of the last restartpoint. Only
 * a role with `pg_read_all_stats` sees the first one. The others follow a promotion within minutes.
 */
const REPLICA = `
  select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn() - '0/0'::pg_lsn as bytes,
    greatest((select received_tli from pg_stat_wal_receiver), r.min_recovery_end_timeline, k.timeline_id) as timeline,
    c.system_identifier || '/' || d.oid as database,
    concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port()) as server,
    pg_last_xact_replay_timestamp() as "replayedAt"
  from pg_control_checkpoint() k, pg_control_recovery() r, ${DATABASE}`;

/** Names the server of a connection, like `ReplicaState.server`. */
export const SERVER = `select concat_ws(' ', pg_postmaster_start_time(), inet_server_addr(), inet_server_port()) as server`;

/** pg returns a numeric as text. */
type Row<T> = Omit<T, 'position'> & { bytes: string | null };

export async function readPrimary(db: Queryable): Promise<PrimaryState> {
  const { bytes, ...state } = (await db.query<Row<PrimaryState>>(PRIMARY)).rows[0]!;
  return { ...state, position: Number(bytes) };
}

export async function readReplica(db: Queryable): Promise<ReplicaState> {
  const { bytes, ...state } = (await db.query<Row<ReplicaState>>(REPLICA)).rows[0]!;
  return { ...state, position: bytes === null ? null : Number(bytes) };
}

/** Returns why a server is no standby of the primary, in a sentence's end; `null` if it is one. */
export function mismatchOf(primary: PrimaryState, replica: ReplicaState): string | null {
  if (replica.database !== primary.database) return 'it has another database than DATABASE_URL';
  if (!replica.isStandby) return 'it is no standby, or was promoted';
  if (replica.position === null) return 'it replays no WAL';
  if (replica.timeline !== primary.timeline)
    return `it is on timeline ${replica.timeline}, and the primary on ${primary.timeline}`;
  if (primary.commit === 'off')
    return 'the primary has synchronous_commit = off, so that commits have no position';
  return null;
}
