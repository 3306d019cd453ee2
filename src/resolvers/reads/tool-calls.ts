import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { eventKey } from '../../schema/views.ts';
import type { ReadDb } from './tables.ts';

type Tables = ReadDb['tables'];

/**
 * SQL of complete tool results. If a call was repeated after a crash, the last result counts, as when claims are
 * checked.
 */
export const OUTPUTS = `
  select t.id, m.result ->> 'content' as output from timeline_events t cross join lateral (
    select m.result from mcp_interactions m where m.session_id = t.session_id and m.execution_id = t.execution_id and m.type = 'TOOL_CALL'
      and m.tool_call_id = t.metadata ->> 'tool_call_id' order by m.id desc limit 1) m
  where t.id = any($1) and t.type = 'LLM_TOOL_CALL'`;

type Read = (db: Queryable, keys: readonly string[]) => Promise<(TimelineEventRow | null)[]>;

/** Returns the reader of tool calls by `eventKey`. */
export function readCitedEvents({ timelineEvent }: Tables): Read {
  const sql = `
    select ${timelineEvent.columns} from unnest($1::uuid[], $2::int[]) k (session_id, number)
    join timeline_events t on t.session_id = k.session_id and t.sequence_number = k.number and t.type = 'LLM_TOOL_CALL'
    where t.session_id = any($1)`;
  return async (db, keys) => {
    const parts = keys.map((key) => key.split(':'));
    const { rows } = await db.query<TimelineEventRow>(sql, [
      parts.map(([sessionId]) => sessionId),
      parts.map(([, number]) => Number(number)),
    ]);
    const found = new Map(rows.map((row) => [eventKey(row.sessionId, row.sequenceNumber), row]));
    return keys.map((key) => found.get(key) ?? null);
  };
}

/**
 * Returns the reader of the calls that approvals permitted, by id of the approval. Models reuse call ids, and an agent
 * that was interrupted opens a call twice. The call that began is the last one opened before `executing_at`.
 */
export function readCallsOfApprovals({ timelineEvent }: Tables): Read {
  const sql = `
    select ${timelineEvent.columns}, a.id as "ofApproval" from approvals a
    join timeline_events r on r.session_id = a.session_id and r.id = a.timeline_event_id
    cross join lateral (
      select * from timeline_events e
      where e.session_id = a.session_id and e.execution_id = a.execution_id and e.sequence_number > r.sequence_number and e.type = 'LLM_TOOL_CALL'
        and e.metadata ->> 'tool_call_id' = a.tool_call_id and e.created_at <= a.executing_at
      order by e.sequence_number desc limit 1) t
    where a.id = any($1)`;
  return async (db, ids) => {
    const { rows } = await db.query<TimelineEventRow & { ofApproval: string }>(sql, [ids]);
    const found = new Map(rows.map(({ ofApproval, ...row }) => [ofApproval, row]));
    return ids.map((id) => found.get(id) ?? null);
  };
}
