import { isTerminalStatus, TERMINAL_SESSION_STATUSES } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';

/** The status of a session whose message about the start is in Slack. */
export interface Progress {
  sessionId: string;
  /** Id of the message. */
  ts: string;
  /** Text that is equal for equal statuses. Begins with END after the session ended. */
  state: string;
  status: string;
  /** Name of the current stage; `null` if there is none. */
  stage: string | null;
  /** Number of tool calls so far; `null` if a streaming message shows them. */
  calls: number | null;
}

const ENDED = TERMINAL_SESSION_STATUSES.map((status) => `'${status}'`).join(', ');

/** Returns the sessions whose message shows an older status. @param hours age after which a message stays as it is */
export async function dueProgress(db: Queryable, hours: number): Promise<Progress[]> {
  const { rows } = await db.query<Progress>(
    `select * from (select p.session_id as "sessionId", p.message_ts as ts, s.status, st.name as stage, v.calls, p.posted_at, p.shown,
       case when s.status in (${ENDED}) then 'END:' || s.status else concat_ws(':', s.status, st.name, v.calls) end as state
     from slack_posts p
     join alert_sessions s on s.id = p.session_id
     left join stages st on st.id = s.current_stage_id
     cross join lateral (
       select count(*)::int as calls from timeline_events t where t.session_id = s.id and t.type = 'LLM_TOOL_CALL'
     ) c
     left join slack_posts g on g.session_id = p.session_id and g.point = 'PROGRESS' and g.status = 'POSTED'
     cross join lateral (select case when g.session_id is null then c.calls end as calls) v
     where p.point = 'STARTED' and p.posted_at > now() - make_interval(hours => $1) and p.status = 'POSTED'
       and p.message_ts <> '' and coalesce(p.shown, '') not like 'END:%' and s.deleted_at is null
     ) q where state is distinct from shown order by posted_at limit 200`,
    [hours],
  );
  return rows;
}

/** Returns the line that says where a session stands. */
export function statusLine({ status, stage, calls }: Pick<Progress, 'status' | 'stage' | 'calls'>): string {
  if (isTerminalStatus(status)) return 'The investigation has ended. The result follows.';
  if (status === 'WAITING_FOR_APPROVAL') return 'Waits for the approval of a tool call.';
  if (status === 'CANCELLING') return 'Is being cancelled.';
  if (status === 'PENDING') return 'Waits for a free slot.';
  if (stage === null) return 'Has started.';
  if (calls === null) return `Stage ${stage}.`;
  return `Stage ${stage}, ${calls === 1 ? '1 tool call' : `${calls} tool calls`} so far.`;
}
