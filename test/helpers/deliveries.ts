import pg from 'pg';
import type { Queryable } from '../../src/db/queryable.ts';

/** Token of the test sources. */
export const SOURCE_TOKEN = 'a-token-for-the-tests-of-intake';

/** Configures a source `prod` of alerts in TARSy's own format. `more` adds settings. */
export function intakeConfig(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { sources: { prod: { type: 'generic', tokens: [SOURCE_TOKEN] } }, ...more };
}

/** Opens a test's connections to its application's database. */
export function openTestPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  pool.on('error', () => {}); // the database is dropped while the last connection ends
  return pool;
}

/** Tables of received deliveries and their outcomes. */
const DELIVERED =
  'alert_groups, alerts, intake_decisions, intake_deliveries, alert_sessions, alert_submissions';

/** Deletes everything received, or everything except silences. */
export const emptyIntake = (pool: pg.Pool, keep: 'silences' | null = null): Promise<void> =>
  emptyTables(pool, keep ? DELIVERED : `${DELIVERED}, silences`);

/**
 * Deletes all rows of these tables and of those that refer to them. Retries after a deadlock with the application, which
 * updates its groups at the same time.
 */
export async function emptyTables(db: Queryable, tables: string): Promise<void> {
  const isDone = await db.query(`truncate ${tables} cascade`).then(
    () => true,
    (error: pg.DatabaseError) => {
      if (error.code !== '40P01') throw error; // code of a deadlock
      return false;
    },
  );
  if (!isDone) await emptyTables(db, tables);
}

/** An alert in TARSy's own format. */
export function alertBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    title: 'Disk full',
    severity: 'critical',
    fingerprint: 'disk',
    group: 'db',
    labels: { host: 'db-03' },
    ...more,
  };
}

export interface Delivered {
  status: number;
  headers: Headers;
  body: {
    status?: string;
    message?: string;
    notes?: string[];
    decisions?: { group: string; alerts: number; outcome: string; reason: string; session: string | null }[];
    errors?: { message: string; extensions: { code: string } }[];
  };
  /** Intake outcome of the delivery's first group. */
  outcome: string | undefined;
  session: string | null | undefined;
}

/** Sends a delivery as a monitoring system does. */
export async function sendDelivery(
  url: string,
  body: unknown,
  { source = 'prod', headers = {}, token = SOURCE_TOKEN as string | null } = {},
): Promise<Delivered> {
  const response = await fetch(`${url}/webhooks/${source}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as Delivered['body'];
  const [first] = answer.decisions ?? [];
  return {
    status: response.status,
    headers: response.headers,
    body: answer,
    outcome: first?.outcome,
    session: first?.session,
  };
}

/** Moves the times of everything received so far `seconds` seconds into the past. */
export async function passTime(pool: pg.Pool, seconds: number): Promise<void> {
  const columns: Record<string, string[]> = {
    alert_groups: ['investigated_at', 'opened_at', 'last_received_at', 'resolved_at'],
    alerts: [
      'starts_at',
      'sent_starts_at',
      'ends_at',
      'reported_at',
      'first_received_at',
      'last_received_at',
    ],
    alert_sessions: ['created_at', 'started_at', 'completed_at', 'run_at'],
    intake_decisions: ['at'],
    silences: ['created_at', 'starts_at', 'ends_at'],
  };
  for (const [table, names] of Object.entries(columns)) {
    const moved = names.map((name) => `${name} = ${name} - $1 * interval '1 second'`);
    await pool.query(`update ${table} set ${moved.join(', ')}`, [seconds]);
  }
}

/** Gives a session a final status, although no run worked on it. */
export async function endSession(pool: pg.Pool, id: string, status = 'COMPLETED'): Promise<void> {
  await pool.query(
    `update alert_sessions set status = $2, started_at = now(), completed_at = now(), dispatched_at = null, attempt = 1 where id = $1`,
    [id, status],
  );
}
