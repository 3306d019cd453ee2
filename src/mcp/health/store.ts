import { storableJson } from '../../common/storable.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { WARNING_CATEGORIES } from '../../warnings.ts';

/** What one check of a server found; `tools` null = as before. */
export interface HealthReport {
  healthy: boolean;
  error: string | null;
  tools: readonly McpToolValue[] | null;
}

/**
 * Takes or keeps the servers for this process: those that are its own already, and those that nobody looks after any
 * more. The lease is longer than the time between two claims, so a process that lives loses nothing.
 * @returns ids of the servers that are this process's until the lease ends
 */
export async function claimServers(
  db: Queryable,
  ids: readonly string[],
  holder: string,
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `insert into mcp_server_health as h (id, checked_by, lease_until)
     select unnest($1::text[]), $2, now() + $3 * interval '1 millisecond'
     on conflict (id) do update set checked_by = excluded.checked_by, lease_until = excluded.lease_until
     where h.checked_by = excluded.checked_by or h.lease_until < now()
     returning id`,
    [[...ids].sort(), holder, leaseMs],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Lets others take the servers at once. */
export async function releaseServers(db: Queryable, holder: string): Promise<void> {
  await db.query('update mcp_server_health set lease_until = now() where checked_by = $1', [holder]);
}

/** @returns false when another process looks after the server by now; nothing is written then */
export async function storeHealth(
  db: Queryable,
  id: string,
  holder: string,
  report: HealthReport,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update mcp_server_health
     set healthy = $3, error = $4, tools = coalesce($5, tools), last_checked_at = now()
     where id = $1 and checked_by = $2`,
    [id, holder, report.healthy, report.error, storableJson(report.tools)],
  );
  return rowCount === 1;
}

/** Forgets servers that are not looked after any more, with their warnings. */
export async function forgetOtherServers(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query('delete from mcp_server_health where id <> all($1) and lease_until < now()', [ids]);
  await db.query('delete from system_warnings where category = any($1) and server_id <> all($2)', [
    [WARNING_CATEGORIES.mcpHealth, WARNING_CATEGORIES.mcpTools],
    ids,
  ]);
}

/** Servers that could not be used when they were checked within the last `maxAgeMs`, with the reason, masked. */
export async function deadServers(db: Queryable, maxAgeMs: number): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; error: string | null }>(
    `select id, error from mcp_server_health
     where healthy = false and last_checked_at > now() - $1 * interval '1 millisecond'`,
    [maxAgeMs],
  );
  return new Map(rows.map(({ id, error }) => [id, error ?? 'it could not be used when it was last checked']));
}
