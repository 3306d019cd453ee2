import pg from 'pg';
import { ALERT, ANALYSIS, CONTENT, TYPE, UNIQUE } from './texts.ts';

export interface Size {
  sessions: number;
  /** Approximate number of timeline events in all sessions. */
  events: number;
  /**
   * The number of teams. `team-0` is the largest, and the oldest sessions have no team. Default: no teams.
   */
  teams?: number;
}

/** The oldest session in this many has no team, as data from before teams existed. */
const TEAMLESS = 20;

/** The number of newest sessions with messages and interactions. */
const TRACED = 200;
/** Number of items in the longest timeline, which belongs to the newest ended session. */
export const LONGEST = 4000;

/**
 * Number of kinds of sessions. Sessions of a kind share all words except unique ones, so that only few search
 * documents must be parsed.
 */
const kindsOf = ({ sessions }: Size) => Math.min(2000, sessions / 10);

/**
 * Fills an empty database, with equal data each time. Includes JSON alerts, Markdown analyses, equal creation
 * times and deleted sessions. A few authors and types have most sessions.
 */
export async function fillDatabase(url: string, size: Size): Promise<void> {
  const [first, second] = await Promise.all([connect(url), connect(url)]);
  try {
    const indexes = await dropIndexes(first);
    await first.query(sessions(size));
    await first.query(timelines(size));
    const half = Math.floor(size.sessions / 2);
    await Promise.all([
      load(first, [stages(), executions(), ...traces(), events(1, half), searchDocuments(1, half)]),
      load(second, [events(half + 1, size.sessions), searchDocuments(half + 1, size.sessions)]),
    ]);
    await Promise.all([
      load(
        first,
        indexes.filter((_, index) => index % 2 === 0),
      ),
      load(
        second,
        indexes.filter((_, index) => index % 2 === 1),
      ),
    ]);
    await first.query('drop table bench_sessions, bench_timelines');
    await first.query('vacuum analyze alert_sessions, session_search, stages, agent_executions');
    await first.query('analyze');
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Disables foreign keys and triggers: the rows are valid, and the search documents are built below.
  await client.query(
    `set session_replication_role = replica; set maintenance_work_mem = '512MB'; set work_mem = '128MB'`,
  );
  return client;
}

async function load(client: pg.Client, statements: string[]): Promise<void> {
  for (const sql of statements) await client.query(sql);
}

/** Drops the indexes of large tables that no constraint needs. Returns the statements that recreate them. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'
       and tablename in ('alert_sessions', 'timeline_events', 'session_search')
       and not exists (select 1 from pg_constraint where conname = indexname)`,
  );
  await client.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows.map(({ definition }) => definition);
}

/** Returns SQL of a version 7 UUID for a time, with parts that distinguish UUIDs of equal times. */
const uuid = (moment: string, three: string, rest: string) =>
  `(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '7' || ${three} || '8' || substr(md5(${rest}), 1, 15))::uuid`;

/** Returns SQL of a session's team. A few teams have most of the sessions. */
const teamOf = ({ sessions: count, teams = 0 }: Size) =>
  teams === 0
    ? 'null'
    : `case when n > ${count / TEAMLESS} then 'team-' || floor(${teams} * power((hashint4(n * 31) & 65535) / 65536.0, 2)) end`;

const sessions = (size: Size) => `
  create table bench_sessions as
    select n, case when n = ${size.sessions} - 30 then -1 else n % ${kindsOf(size)} end as k, ${uuid('at', `'000'`, `'s' || n`)} as id, ${uuid('at', `'001'`, `'s' || n`)} as stage1, ${uuid('at', `'002'`, `'s' || n`)} as stage2,
      ${uuid('at', `'003'`, `'s' || n`)} as execution1, ${uuid('at', `'004'`, `'s' || n`)} as execution2, at, random
    from (select n, date_trunc('second', timestamptz '2026-10-21' - (${size.sessions} - n) / 3 * interval '210 seconds') as at,
            (hashint4(n) & 65535) / 65536.0 as random from generate_series(1, ${size.sessions}) n) s;
  insert into alert_sessions (id, alert_type, alert_data, chain_id, status, author, final_analysis, executive_summary, current_stage_id,
    team, created_at, started_at, completed_at, last_interaction_at, deleted_at, last_event_seq, last_timeline_sequence, input_tokens, total_tokens)
  select id, 'type-' || type, ${ALERT}, 'chain-' || type / 3, status, 'user' || floor(60 * power(random, 3)) || '@example.com',
    case when status = 'COMPLETED' then ${ANALYSIS} end, case when status = 'COMPLETED' then left(${ANALYSIS}, 150) end, stage2,
    ${teamOf(size)}, at, case when status <> 'PENDING' then at + interval '1 second' end, ended, ended, case when n % 100 = 50 then ended end, 120, 50, 9000, 12000
  from (select *, floor(20 * random * random)::int as type,
          case when status not in ('PENDING', 'IN_PROGRESS') then at + (30 + n % 977) * interval '1.1 second' end as ended
        from (select *, case when n > ${size.sessions} - 5 then 'IN_PROGRESS' when n > ${size.sessions} - 25 then 'PENDING' when n % 20 = 3 then 'FAILED'
                when n % 50 = 7 then 'CANCELLED' when n % 80 = 11 then 'TIMED_OUT' else 'COMPLETED' end as status from bench_sessions) b) s
  order by n`;

const timelines = (size: Size) => {
  const count = kindsOf(size);
  const average = size.events / size.sessions;
  return `
    create table bench_timelines as
      select k, s, ${TYPE} as type, ${CONTENT} as content
      from generate_series(0, ${count - 1}) k, generate_series(1, (${average} * (1 + (k % 101 - 50) / 125.0))::int) s;
    insert into bench_timelines select -1, s, ${TYPE}, ${CONTENT} from generate_series(1, ${LONGEST}) s, (values (17)) v(k);
    create index on bench_timelines (k, s);
    create index on bench_sessions (n);
    analyze bench_sessions, bench_timelines`;
};

const stages = () => `
  insert into stages (id, session_id, name, index, type, status, created_at, started_at, completed_at)
  select unnest(array[stage1, stage2]), id, unnest(array['investigate', 'conclude']), unnest(array[1, 2]), 'INVESTIGATION', 'COMPLETED',
    at, at, at + interval '1 minute' from bench_sessions`;

const executions = () => `
  insert into agent_executions (id, session_id, stage_id, agent_name, agent_index, iteration_strategy, status, created_at)
  select unnest(array[execution1, execution2]), id, unnest(array[stage1, stage2]), 'KubernetesAgent', 1, 'LANGCHAIN', 'COMPLETED', at
  from bench_sessions`;

const events = (from: number, to: number) => `
  insert into timeline_events (id, session_id, stage_id, execution_id, sequence_number, type, status, content, metadata, created_at, updated_at)
  select ${uuid('b.at', `lpad(to_hex(t.s), 3, '0')`, 'b.id::text')}, b.id, case when t.s <= 25 then stage1 else stage2 end,
    case when t.s <= 25 then execution1 else execution2 end, t.s, t.type, 'COMPLETED', t.content,
    case when t.s % 5 in (1, 2) then jsonb_build_object('server_name', 'kubernetes', 'tool_call_id', t.s) end,
    b.at + t.s * interval '1 second', b.at + t.s * interval '1 second'
  from bench_sessions b join bench_timelines t using (k) where b.n between ${from} and ${to} order by b.n, t.s`;

/**
 * Returns SQL that builds the search documents with the triggers' functions, but parses the shared text of a
 * kind only once.
 */
const searchDocuments = (from: number, to: number) => `
  insert into session_search (session_id, words, document, scope)
  with kinds as materialized (
    select k, tarsy_search_words(content) as words, tarsy_search_document(content) as document
    from (select k, concat_ws(E'\\n', ${ALERT}, ${ANALYSIS}, timeline) as content
          from (select k, null::int as n, string_agg(content, E'\\n' order by s) as timeline from bench_timelines group by k) t) c)
  select id, tarsy_search_words(${UNIQUE}) || ' ' || words, tarsy_search_document(${UNIQUE}) || document,
    array[coalesce(s.team, '')]
  from bench_sessions join kinds using (k) join alert_sessions s using (id) where n between ${from} and ${to}`;

const traces = () => [
  `create table bench_traced as select * from bench_sessions order by n desc offset 30 limit ${TRACED}`,
  `insert into messages (id, session_id, stage_id, execution_id, sequence_number, role, content, created_at)
   select gen_random_uuid(), id, stage1, execution1, s, case when s = 1 then 'SYSTEM' when s % 2 = 0 then 'USER' else 'ASSISTANT' end,
     repeat('What the model was told, or said. ', 30), at + s * interval '1 second' from bench_traced, generate_series(1, 41) s`,
  `insert into llm_interactions (id, session_id, stage_id, execution_id, type, iteration, provider, model_name, request, response,
     last_message_sequence, duration_ms, created_at)
   select gen_random_uuid(), id, stage1, execution1, 'ITERATION', s, 'openai', 'gpt', '{"model":"gpt"}', jsonb_build_object('text', repeat('said ', 200)),
     2 * s, 900, at + s * interval '2 seconds' from bench_traced, generate_series(1, 20) s`,
  `insert into mcp_interactions (id, session_id, stage_id, execution_id, type, server_name, tool_name, arguments, result, duration_ms, created_at)
   select gen_random_uuid(), id, stage1, execution1, 'TOOL_CALL', 'kubernetes', 'get_pod', '{"name":"x"}',
     jsonb_build_object('text', repeat('found ', 500)), 80, at + s * interval '2 seconds' from bench_traced, generate_series(1, 20) s`,
  'drop table bench_traced',
];
