import type { TimelineEventStatus, TimelineEventType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { MAX_PARTICIPANTS } from '../../schema/presence.ts';
import type { AgentNow, ChangeView, ParticipantView } from '../../schema/views.ts';

type OfSession<T> = T & { sessionId: string };

const byId = <T>(ids: readonly string[], rows: readonly OfSession<T>[]): T[][] => {
  const groups = Map.groupBy(rows, ({ sessionId }) => sessionId);
  return ids.map((id) => groups.get(id) ?? []);
};

/** SQL: the people who acted on sessions, with what they did; at most MAX_PARTICIPANTS of each session. */
const PARTICIPANTS = `
  with acts as (
    select session_id, metadata ->> 'author' as name, case type when 'HINT' then 'hint' else 'conclude' end as did, created_at as at
      from timeline_events where session_id = any($1) and type in ('HINT', 'CONCLUSION_REQUESTED')
    union all select c.session_id, m.author, 'question', m.created_at
      from chats c join chat_user_messages m on m.chat_id = c.id where c.session_id = any($1)
    union all select session_id, actor, 'review', at from review_activities where session_id = any($1)
    union all select a.session_id, d.actor, 'approval', d.at
      from approvals a join approval_decisions d on d.approval_id = a.id where a.session_id = any($1)
  )
  select session_id as "sessionId", name, role, since, false as present from (
    select session_id, name, string_agg(distinct did, ', ') as role, min(at) as since,
      row_number() over (partition by session_id order by min(at), name) as place
    from acts where name <> '' group by session_id, name) p
  where place <= ${MAX_PARTICIPANTS} order by since, name`;

export async function readParticipants(db: Queryable, ids: readonly string[]): Promise<ParticipantView[][]> {
  const { rows } = await db.query<OfSession<ParticipantView>>(PARTICIPANTS, [ids]);
  return byId(ids, rows);
}

/** Agents named in a summary, at most. */
const MAX_AGENTS = 3;

/** SQL: the current stage of sessions with its running agents and the last event of each. */
const AGENTS_NOW = `
  select t.id as "sessionId", s.name as stage, e.agent_name as agent, l.type, l.status, l.tool
  from alert_sessions t join stages s on s.id = t.current_stage_id
  left join lateral (
    select id, agent_name, agent_index from agent_executions e
    where e.stage_id = s.id and e.status in ('ACTIVE', 'WAITING_FOR_APPROVAL') order by agent_index limit ${MAX_AGENTS}) e on true
  left join lateral (
    select type, status, concat_ws('.', metadata ->> 'server_name', metadata ->> 'tool_name') as tool
    from timeline_events l where l.session_id = t.id and l.execution_id = e.id order by sequence_number desc limit 1) l on true
  where t.id = any($1) order by e.agent_index`;

export async function readAgentsNow(db: Queryable, ids: readonly string[]): Promise<AgentNow[][]> {
  const { rows } = await db.query<OfSession<AgentNow>>(AGENTS_NOW, [ids]);
  return byId(ids, rows);
}

/** Changes of a session, at most: the newest. */
const MAX_CHANGES = 50;

/** Characters of a text that a change shows. */
const SHOWN = 300;

const CHANGE_TYPES: readonly TimelineEventType[] = [
  ...([
    'LLM_TOOL_CALL',
    'FINAL_ANALYSIS',
    'EXECUTIVE_SUMMARY',
    'ERROR',
    'HINT',
    'CONCLUSION_REQUESTED',
  ] as const),
  ...(['USER_QUESTION', 'APPROVAL_REQUESTED', 'APPROVAL_DECIDED', 'ALERT_JOINED', 'ALERT_RESOLVED'] as const),
  ...(['BUDGET_REACHED', 'PROVIDER_FALLBACK'] as const),
];

/** SQL: the newest changes of sessions after the time $2, of events that ended, hypotheses and reports. */
const CHANGES = `
  select o.id as "sessionId", c.* from unnest($1::uuid[]) o (id) cross join lateral (
    select * from (
      (select updated_at as at, id as "eventId", type::text as kind, status::text as status, left(content, ${SHOWN}) as text,
          concat_ws('.', metadata ->> 'server_name', metadata ->> 'tool_name') as tool, metadata ->> 'author' as author
        from timeline_events where session_id = o.id and status <> 'STREAMING' and type = any($3) and updated_at > $2
        order by updated_at desc limit ${MAX_CHANGES})
      union all (select updated_at, null, 'HYPOTHESIS', state::text, left(text, ${SHOWN}), '', null
        from hypotheses where session_id = o.id and updated_at > $2 order by updated_at desc limit ${MAX_CHANGES})
      union all select created_at, null, 'REPORT', verdict::text, left(headline, ${SHOWN}), '', null
        from reports where session_id = o.id and created_at > $2
    ) u order by at desc limit ${MAX_CHANGES}
  ) c order by c.at`;

interface ChangeRow {
  at: Date;
  eventId: string | null;
  kind: TimelineEventType | 'HYPOTHESIS' | 'REPORT';
  status: TimelineEventStatus | string;
  text: string;
  tool: string;
  author: string | null;
}

/** Reads the changes of sessions after `since` (`null`: all), the newest last; at most MAX_CHANGES each. */
export function readChanges(since: Date | null) {
  return async (db: Queryable, ids: readonly string[]): Promise<ChangeView[][]> => {
    const { rows } = await db.query<OfSession<ChangeRow>>(CHANGES, [ids, since ?? new Date(0), CHANGE_TYPES]);
    return byId(ids, rows).map((changes) =>
      changes.map((change) => ({ at: change.at, eventId: change.eventId, text: textOf(change) })),
    );
  };
}

const ENDINGS: Readonly<Record<string, string>> = {
  COMPLETED: 'ended',
  FAILED: 'failed',
  CANCELLED: 'was cancelled',
  TIMED_OUT: 'timed out',
};

/** Labels of the events whose text says the rest. */
const LABELS: Readonly<Partial<Record<ChangeRow['kind'], string>>> = {
  FINAL_ANALYSIS: 'Analysis',
  EXECUTIVE_SUMMARY: 'Summary',
  ERROR: 'Error',
  HINT: 'Hint',
  USER_QUESTION: 'Question',
  APPROVAL_REQUESTED: 'Approval requested',
  APPROVAL_DECIDED: 'Approval decided',
};

function textOf({ kind, status, text, tool, author }: ChangeRow): string {
  if (kind === 'LLM_TOOL_CALL') {
    const ending = `Call of ${tool} ${ENDINGS[status] ?? 'ended'}`;
    return status === 'COMPLETED' ? `${ending}.` : `${ending}: ${oneLine(text)}`;
  }
  if (kind === 'HYPOTHESIS') return `Hypothesis ${status.toLowerCase()}: ${oneLine(text)}`;
  if (kind === 'REPORT') return `Report: ${oneLine(text)}`;
  const label = LABELS[kind];
  if (label === undefined) return oneLine(text);
  return `${label}${author === null ? '' : ` by ${author}`}: ${oneLine(text)}`;
}

/** Returns a text as one line of at most 200 characters. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line;
}
