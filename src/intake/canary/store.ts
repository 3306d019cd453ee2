import type { CanaryRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

/** Records that a canary arrived. @param rule the rule that matched it; '' for the process's own canary */
export async function recordArrival(
  tx: Queryable,
  arrival: { source: string; rule: string; at: Date; sessionId: string | null },
): Promise<void> {
  await tx.query(
    prepared(`insert into canaries (source, rule, arrived_at, session_id) values ($1, $2, $3, $4)
     on conflict (source, rule) do update set arrived_at = excluded.arrived_at, session_id = excluded.session_id,
       error = case when excluded.session_id is null then null else canaries.error end`),
    [arrival.source, arrival.rule, arrival.at, arrival.sessionId],
  );
}

export async function recordFailure(db: Queryable, source: string, error: string): Promise<void> {
  await db.query(
    `insert into canaries (source, rule, error) values ($1, '', $2)
     on conflict (source, rule) do update set error = excluded.error`,
    [source, error],
  );
}

export async function readCanaries(db: Queryable): Promise<CanaryRow[]> {
  const { rows } = await db.query<CanaryRow>(
    `select source, rule, arrived_at as "arrivedAt", session_id as "sessionId", completed_at as "completedAt",
       duration_ms as "durationMs", error from canaries order by source, rule`,
  );
  return rows;
}

/** Records how canaries' investigations ended. After a success, soft-deletes the group's earlier completed sessions. */
export async function recordOutcomes(db: Queryable): Promise<void> {
  await db.query(
    `with ended as (
       select c.source, c.rule, c.arrived_at, s.id, s.group_id, s.completed_at, s.status, case
         when s.status <> 'COMPLETED' then 'The investigation ended as ' || s.status || coalesce(': ' || s.error_message, '.')
         when not exists (
           select 1 from mcp_interactions m where m.session_id = s.id and m.type = 'TOOL_CALL' and m.error_message is null
             and not coalesce((m.result->>'isError')::boolean, false)
         ) then 'No tool answered its investigation.'
       end as error
       from canaries c join alert_sessions s on s.id = c.session_id where s.completed_at is not null
     ), judged as (
       update canaries c set session_id = null, error = e.error,
         completed_at = case when e.error is null then e.completed_at else c.completed_at end,
         duration_ms = case when e.error is null then (extract(epoch from e.completed_at - e.arrived_at) * 1000)::int
           else c.duration_ms end
       from ended e where c.source = e.source and c.rule = e.rule and c.session_id = e.id returning c.source
     )
     update alert_sessions s set deleted_at = now()
     from ended e where s.group_id = e.group_id and s.status = 'COMPLETED' and s.deleted_at is null
       and e.error is null and s.completed_at < e.completed_at`,
  );
}
