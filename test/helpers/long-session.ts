import pg from 'pg';
import { globalId } from './http-api.ts';

const ALERT =
  '{"title":"Checkout latency","severity":"critical","service":"checkout","labels":{"env":"prod"}}';

/** SQL expressions for a thought, a response and a tool result of realistic length. */
const THOUGHT = `'Entry ' || n || ': the latency of checkout rose with the number of open connections; the pool of the payment service comes next.'`;
const RESPONSE = `'### Finding ' || n || E'\\n\\nThe pool of **payment-service** is exhausted:\\n\\n- 50 of 50 connections are in use\\n- the oldest has been open for \`' || n || E' s\`\\n\\n| pod | open |\\n|---|---|\\n| payment-1 | ' || (n % 50) || E' |\\n\\nNext: who holds them?'`;
const RESULT = `'{"pod":"payment-' || n || '","connections":[' || (select string_agg('{"id":' || c || ',"age_s":' || (c * n) % 900 || ',"state":"idle in transaction"}', ',') from generate_series(1, 12) c) || ']}'`;

const ITEMS = `
  select n, gen_random_uuid() as id,
    (array['LLM_THINKING', 'LLM_TOOL_CALL', 'LLM_TOOL_CALL', 'LLM_RESPONSE'])[1 + n % 4] as type,
    case n % 4 when 0 then ${THOUGHT} when 3 then ${RESPONSE} else ${RESULT} end as content,
    case when n % 4 in (1, 2) then jsonb_build_object('server_name', 'kubernetes', 'tool_name', 'pods_log',
      'arguments', jsonb_build_object('pod', 'payment-' || n, 'tail', 100), 'is_error', false) end as metadata
  from generate_series(1, $3::int) n`;

interface Place {
  sessionId: string;
  stageId: string;
  executionId: string;
}

/**
 * Adds `count` completed timeline events to an execution, with their entries in the event log, as after hours
 * of investigation.
 */
async function addTimelineEvents(sql: pg.Client, place: Place, count: number): Promise<void> {
  await sql.query(
    `with bumped as (
       update alert_sessions set last_timeline_sequence = last_timeline_sequence + $3::int,
         last_event_seq = last_event_seq + 2 * $3::int
       where id = $1 returning last_timeline_sequence - $3::int as timeline, last_event_seq - 2 * $3::int as events
     ), added as (
       insert into timeline_events (id, session_id, stage_id, execution_id, sequence_number, type, status, content,
         metadata)
       select i.id, $1::uuid, $2::uuid, $4::uuid, b.timeline + i.n, i.type, 'COMPLETED', i.content, i.metadata
       from (${ITEMS}) i, bumped b returning *
     )
     insert into session_events (session_id, seq, type, payload)
     select $1::uuid, b.events + 2 * (a.sequence_number - b.timeline) - 1 + step,
       (array['TimelineEventCreated', 'TimelineEventCompleted'])[1 + step], to_jsonb(a)
     from added a, bumped b, generate_series(0, 1) step`,
    [place.sessionId, place.stageId, count, place.executionId],
  );
}

/** Adds `count` events to the first agent of a running session. */
export function lengthenSession(databaseUrl: string, globalSessionId: string, count: number): Promise<void> {
  return asClient(databaseUrl, async (sql) => {
    const { rows } = await sql.query<Place>(
      `select session_id as "sessionId", stage_id as "stageId", id as "executionId" from agent_executions
       where session_id = $1 order by agent_index limit 1`,
      [Buffer.from(globalSessionId, 'base64').toString().split(':')[1]],
    );
    await addTimelineEvents(sql, rows[0]!, count);
  });
}

/** Inserts a completed session of one stage with `count` timeline events. Returns its global id. */
export function insertLongSession(databaseUrl: string, count: number): Promise<string> {
  return asClient(databaseUrl, async (sql) => {
    const { rows } = await sql.query<Place>(
      `with session as (
         insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, started_at, completed_at,
           final_analysis, executive_summary)
         values (gen_random_uuid(), 'test', $1, 'test', 'ana', 'COMPLETED', now() - interval '3 hours', now(),
           'The pool of **payment-service** is exhausted by transactions that are never closed.',
           'Connections leak in payment-service.')
         returning id
       ), stage as (
         insert into stages (id, session_id, name, index, type, status, started_at, completed_at)
         select gen_random_uuid(), id, 'investigation', 1, 'INVESTIGATION', 'COMPLETED', now() - interval '3 hours',
           now()
         from session returning id, session_id
       ), execution as (
         insert into agent_executions (id, session_id, stage_id, agent_name, agent_index, iteration_strategy, status,
           started_at, completed_at)
         select gen_random_uuid(), session_id, id, 'KubernetesAgent', 1, 'LANGCHAIN', 'COMPLETED',
           now() - interval '3 hours', now() from stage returning id
       )
       select stage.session_id as "sessionId", stage.id as "stageId", execution.id as "executionId"
       from stage, execution`,
      [ALERT],
    );
    await addTimelineEvents(sql, rows[0]!, count);
    return globalId('Session', rows[0]!.sessionId);
  });
}

async function asClient<T>(databaseUrl: string, work: (sql: pg.Client) => Promise<T>): Promise<T> {
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
