import type { Queryable } from '../../db/queryable.ts';
import { STORED_RESULT_MAX_UNITS } from '../../engine/agent/tool-calls.ts';
import { BUILTIN_SERVER } from '../../engine/features/tool-outputs/tools.ts';
import type { InvestigationHealth } from '../../schema/views.ts';

/** Smallest possible size of a cut result (bytes), because a cut at a line end drops at most a fifth of the limit. */
const LEAST_CUT = Math.floor(STORED_RESULT_MAX_UNITS * 0.8);

/**
 * Selects problems that made investigations incomplete, from the records of agents and sub-agents. Answers to questions
 * and built-in tools do not count.
 * - A tool failed for good if no call succeeded after its last failure.
 * - A result was shortened if the model received it summarized or in part, or if it was evicted later.
 * - A server was missing for an agent if its last tool listing failed.
 * - A session was resumed if a worker claimed it again, except after a wait for approval.
 */
const HEALTH = `
  with own as (select id, session_id from stages where session_id = any($1) and type <> 'CHAT'),
  exchanges as (
    select m.session_id, m.execution_id, m.type, m.server_name, m.tool_name, m.error_message, m.result,
      row_number() over (partition by m.execution_id, m.type, m.server_name, m.tool_name order by m.created_at desc, m.id desc) as age
    from mcp_interactions m join own s on s.id = m.stage_id where m.session_id = any($1)
  ),
  calls as (
    select session_id, count(*)::int as calls, count(*) filter (where error_message is not null)::int as failed,
      bool_or(error_message is not null and age = 1) as lost
    from exchanges where type = 'TOOL_CALL' and server_name <> '${BUILTIN_SERVER}' group by session_id
  ),
  missing as (
    select session_id, json_agg(json_build_object('name', server_name, 'reason', reason) order by server_name) as servers
    from (
      select session_id, server_name, min(error_message) as reason from exchanges
      where type = 'TOOL_LIST' and age = 1 and error_message is not null group by session_id, server_name
    ) m group by session_id
  ),
  withheld as (
    select e.session_id, count(distinct (e.server_name, t ->> 'name'))::int as tools
    from exchanges e cross join jsonb_array_elements(coalesce(e.result -> 'leftOut', '[]')) t
    where e.type = 'TOOL_LIST' group by e.session_id
  ),
  evicted as (
    select distinct on (i.execution_id) i.session_id, i.request -> 'evicted' as numbers
    from llm_interactions i join own s on s.id = i.stage_id
    where i.session_id = any($1) and i.type <> 'SUMMARIZATION' and i.request ? 'evicted' order by i.execution_id, i.id desc
  ),
  shortened as (
    select session_id, count(*)::int as outputs from (
      select t.session_id, t.execution_id, coalesce(t.metadata ->> 'tool_call_id', t.id::text) from timeline_events t join own s on s.id = t.stage_id
      where t.session_id = any($1) and (t.type = 'MCP_TOOL_SUMMARY' or t.type = 'LLM_TOOL_CALL' and (t.metadata ? 'shortened' or (
        octet_length(t.content) > ${LEAST_CUT} and right(t.content, 120) ~ '\\[… cut: \\d+ of \\d+ characters left out\\]$')))
      union
      select t.session_id, t.execution_id, coalesce(t.metadata ->> 'tool_call_id', t.id::text) from evicted e
      cross join jsonb_array_elements_text(e.numbers) n
      join timeline_events t on t.session_id = e.session_id and t.sequence_number = n::int where t.session_id = any($1)
    ) o group by session_id
  ),
  fallen as (
    select t.session_id, count(*)::int as times from timeline_events t
    where t.session_id = any($1) and t.type = 'PROVIDER_FALLBACK' and (t.stage_id is null or t.stage_id in (select id from own))
    group by t.session_id
  ),
  early as (
    select t.session_id, json_agg(json_build_object('agentName', e.agent_name, 'reason', upper(t.metadata ->> 'reason'))
      order by t.sequence_number) as conclusions
    from timeline_events t join own s on s.id = t.stage_id join agent_executions e on e.id = t.execution_id
    where t.session_id = any($1) and t.type = 'FINAL_ANALYSIS' and t.metadata ? 'reason' group by t.session_id
  ),
  unreported as (
    select session_id, min(coalesce(error_message, lower(status))) as problem from stages
    where session_id = any($1) and type = 'REPORT' and status in ('FAILED', 'TIMED_OUT', 'CANCELLED')
      and session_id not in (select session_id from reports where session_id = any($1)) group by session_id
  ),
  begun as (
    select session_id, count(distinct attempt) - count(*) filter (where parked) as times from (
      select session_id, payload ->> 'status' as status, payload ->> 'attempt' as attempt,
        lag(payload ->> 'parked_at') over (partition by session_id order by seq) is not null as parked
      from session_events where session_id = any($1) and type = 'SessionStatusChanged'
    ) e where status = 'IN_PROGRESS' group by session_id
  )
  select s.id, coalesce(c.calls, 0) as "toolCalls", coalesce(c.failed, 0) as "failedToolCalls",
    coalesce(c.lost, false) as lost, coalesce(m.servers, '[]') as "missingServers",
    coalesce(w.tools, 0) as "withheldTools", r.problem as "runbookProblem", n.problem as "reportProblem",
    greatest(coalesce(b.times, 0) - 1, 0)::int as resumed, coalesce(h.outputs, 0) as "shortenedOutputs",
    coalesce(f.times, 0) as fallbacks, coalesce(y.conclusions, '[]') as "earlyConclusions"
  from alert_sessions s
  left join calls c on c.session_id = s.id left join missing m on m.session_id = s.id
  left join withheld w on w.session_id = s.id left join shortened h on h.session_id = s.id
  left join begun b on b.session_id = s.id left join session_runbooks r on r.session_id = s.id
  left join fallen f on f.session_id = s.id left join unreported n on n.session_id = s.id
  left join early y on y.session_id = s.id
  where s.id = any($1)`;

type Row = Omit<InvestigationHealth, 'whole'> & { id: string; lost: boolean };

const NOTHING: InvestigationHealth = {
  whole: true,
  toolCalls: 0,
  failedToolCalls: 0,
  missingServers: [],
  withheldTools: 0,
  runbookProblem: null,
  reportProblem: null,
  resumed: 0,
  shortenedOutputs: 0,
  fallbacks: 0,
  earlyConclusions: [],
};

export async function readHealth(db: Queryable, ids: readonly string[]): Promise<InvestigationHealth[]> {
  const { rows } = await db.query<Row>(HEALTH, [ids]);
  const found = new Map(rows.map(({ id, lost, ...health }) => [id, { ...health, lost }]));
  return ids.map((id) => {
    const row = found.get(id);
    if (!row) return NOTHING;
    const { lost, ...health } = row;
    const whole = !lost && health.missingServers.length === 0 && health.runbookProblem === null;
    return { ...health, whole };
  });
}
