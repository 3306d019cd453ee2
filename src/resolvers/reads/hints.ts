import type { Queryable } from '../../db/queryable.ts';

/** SQL condition that hint `h` is for execution `e`. Replicas have the name of their agent and a number. */
const IS_FOR = `(h.metadata ->> 'agent' is null or e.agent_name = h.metadata ->> 'agent'
  or starts_with(e.agent_name, (h.metadata ->> 'agent') || '-'))`;

/**
 * Selects when hints were delivered: once no agent that ran when the hint was added, and still runs, has it unread. The
 * time is when the last of these agents read it, or the first later agent if none did.
 */
const DELIVERIES = `
  with reads as (
    select h.id, r.execution_id, r.created_at as at from timeline_events h
    join timeline_events r on r.session_id = h.session_id and r.type = 'HINT_READ' and r.metadata -> 'hints' @> to_jsonb(h.sequence_number)
    where h.id = any($1)
  )
  select h.id, coalesce(max(r.at) filter (where x.started_at <= h.created_at), min(r.at)) as at
  from timeline_events h join reads r on r.id = h.id join agent_executions x on x.id = r.execution_id
  where h.id = any($1) and not exists (
    select 1 from agent_executions e join stages s on s.id = e.stage_id
    where e.session_id = h.session_id and e.status in ('ACTIVE', 'WAITING_FOR_APPROVAL') and s.type in ('INVESTIGATION', 'SYNTHESIS')
      and e.started_at <= h.created_at and ${IS_FOR}
      and not exists (select 1 from reads o where o.id = h.id and o.execution_id = e.id))
  group by h.id`;

export async function readHintDeliveries(db: Queryable, ids: readonly string[]): Promise<(Date | null)[]> {
  const { rows } = await db.query<{ id: string; at: Date }>(DELIVERIES, [ids]);
  const found = new Map(rows.map(({ id, at }) => [id, at]));
  return ids.map((id) => found.get(id) ?? null);
}
