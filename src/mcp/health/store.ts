import { toStorableJson } from '../../common/storable.ts';
import type { McpToolValue } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { deleteOtherWarnings, WARNING_CATEGORIES } from '../../warnings.ts';

export interface HealthReport {
  healthy: boolean;
  error: string | null;
  /** The server's tools; `null` if they have not changed. */
  tools: readonly McpToolValue[] | null;
}

/** Claims servers without a valid lease and renews this process's leases. @returns ids of this process's servers */
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

export async function releaseServers(db: Queryable, holder: string): Promise<void> {
  await db.query('update mcp_server_health set lease_until = now() where checked_by = $1', [holder]);
}

/** Stores a report. @returns false, with nothing written, if another process has claimed the server */
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
    [id, holder, report.healthy, report.error, toStorableJson(report.tools)],
  );
  return rowCount === 1;
}

/** Deletes the servers outside `ids` that no process checks, and the warnings of all servers outside `ids`. */
export async function deleteOtherServers(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query('delete from mcp_server_health where id <> all($1) and lease_until < now()', [ids]);
  for (const category of [WARNING_CATEGORIES.mcpHealth, WARNING_CATEGORIES.mcpTools])
    await deleteOtherWarnings(db, category, ids);
}

/** Returns the servers whose last check within `maxAgeMs` failed, by id, with the masked reason. */
export async function unavailableServersAtLastCheck(
  db: Queryable,
  maxAgeMs: number,
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; error: string | null }>(
    `select id, error from mcp_server_health
     where healthy = false and last_checked_at > now() - $1 * interval '1 millisecond'`,
    [maxAgeMs],
  );
  return new Map(rows.map(({ id, error }) => [id, error ?? 'unavailable at the last check']));
}
