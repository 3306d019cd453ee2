import type { Queryable } from '../../db/queryable.ts';
import { headlineOf } from '../../engine/alert/headline.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import type {
  CutText,
  ExportedAgent,
  ExportedAlert,
  ExportedCall,
  ExportedEvent,
  ExportedHypothesis,
  ExportedScore,
  ExportSource,
} from '../../engine/features/export/source.ts';

/** Limits of an export: characters per text and in total, and rows per list. Longer texts are cut. */
const MAX_ALERT = 100_000;
const MAX_RESULT = 20_000;
const MAX_RESULTS = 700_000;
const MAX_TEXT = 20_000;
const MAX_TEXTS = 300_000;
const MAX_CALLS = 500;
const MAX_ROWS = 200;

export async function readExport(db: Queryable, session: SessionSnapshot): Promise<ExportSource> {
  const { id, groupId } = session;
  const rows = async <T extends object>(sql: string, ...values: unknown[]) =>
    (await db.query<T>(sql, values)).rows;
  const [alerts, decisions, agents, calls, events, reviews, hypotheses, [alert], [report], [score]] =
    await Promise.all([
      groupId == null ? [] : rows<ExportedAlert>(ALERTS, groupId),
      rows<ExportSource['decisions'][number]>(DECISIONS, id),
      rows<ExportedAgent>(AGENTS, id),
      rows<Omit<ExportedCall, 'result'> & { text: string | null; length: number | null }>(CALLS, id),
      rows<Omit<ExportedEvent, 'text'> & CutText>(EVENTS, id),
      rows<ExportSource['reviews'][number]>(REVIEWS, id),
      rows<ExportedHypothesis>(HYPOTHESES, id),
      rows<CutText>(ALERT, id),
      rows<NonNullable<ExportSource['report']>>(REPORT, id),
      rows<ExportedScore>(SCORE, id),
    ]);
  return {
    session,
    title: session.title ?? headlineOf(alert?.text ?? '').title,
    alert: alert ?? { text: '', length: 0 },
    report: report ?? null,
    hypotheses,
    score: score ?? null,
    alerts,
    decisions,
    agents,
    calls: calls.map(({ text, length, ...call }) => ({
      ...call,
      result: text === null || length === null ? null : { text, length },
    })),
    events: events.map(({ text, length, ...event }) => ({ ...event, text: { text, length } })),
    reviews,
  };
}

const ALERT = `select left(alert_data, ${MAX_ALERT}) as text, length(alert_data) as length from alert_sessions where id = $1`;

const REPORT = `
  select session_id as "sessionId", verdict, headline, confidence, entities, evidence_score as "evidenceScore", agreement, claims,
    created_at as "createdAt" from reports where session_id = $1`;

const SCORE = `
  select total, dimensions, failure_tags as "failureTags", analysis, model_name as "modelName", completed_at as "completedAt"
  from scores where session_id = $1 and status = 'COMPLETED' order by id desc limit 1`;

const ALERTS = `
  select title, severity, state, source, starts_at as "startsAt", ends_at as "endsAt", first_received_at as "firstReceivedAt"
  from alerts where group_id = $1 order by starts_at, id limit ${MAX_ROWS}`;

/** SQL of a session's intake decisions, without DUPLICATE ones, which only report an alert that did not change. */
const DECISIONS = `
  select at, outcome, reason from intake_decisions where session_id = $1 and outcome <> 'DUPLICATE'
  order by at, id limit ${MAX_ROWS}`;

const AGENTS = `
  select s.name as stage, s.index as "stageIndex", s.type as "stageType", e.agent_name as "agentName",
    e.model_name as "modelName", e.status, e.error_message as "errorMessage", e.started_at as "startedAt",
    e.completed_at as "completedAt"
  from agent_executions e join stages s on s.id = e.stage_id where e.session_id = $1
  order by s.index, e.agent_index limit ${MAX_ROWS}`;

/**
 * Selects the latest tool calls. Cited results come first. A call that was repeated after a crash has its last result.
 */
const CALLS = `
  with cited as (
    select distinct (c ->> 'source')::int as number from reports r, jsonb_array_elements(r.claims) claim,
      jsonb_array_elements(claim -> 'citations') c where r.session_id = $1 and jsonb_typeof(c -> 'source') = 'number'
  ),
  calls as (
    select t.sequence_number as number, t.created_at as at, t.status, coalesce(t.metadata ->> 'server_name', '') as server,
      coalesce(t.metadata ->> 'tool_name', '') as tool, left(coalesce(t.metadata ->> 'arguments', ''), 2000) as arguments,
      m.content, length(m.content) as length,
      sum(least(length(m.content), ${MAX_RESULT})) over (
        order by (t.sequence_number in (select number from cited)) desc, t.sequence_number desc) as units
    from (
      select * from timeline_events where session_id = $1 and type = 'LLM_TOOL_CALL'
      order by sequence_number desc limit ${MAX_CALLS}) t
    left join lateral (
      select m.result ->> 'content' as content from mcp_interactions m where m.session_id = $1 and m.execution_id = t.execution_id
        and m.type = 'TOOL_CALL' and m.tool_call_id = t.metadata ->> 'tool_call_id' order by m.id desc limit 1) m on true
  )
  select number, at, status, server, tool, arguments, length,
    case when units <= ${MAX_RESULTS} then left(content, ${MAX_RESULT}) end as text
  from calls order by number`;

const EVENTS = `
  with events as (
    select t.sequence_number, t.type, t.status, t.metadata, t.created_at, t.content, s.type as stage_type, s.index, e.agent_name,
      case when t.type = 'FINAL_ANALYSIS' then r.claims end as claims,
      sum(least(length(t.content), ${MAX_TEXT})) over (order by t.sequence_number desc) as units
    from timeline_events t left join stages s on s.id = t.stage_id left join agent_executions e on e.id = t.execution_id
      left join answer_reports r on r.stage_id = t.stage_id
    where t.session_id = $1 and t.type not in ('LLM_TOOL_CALL', 'LLM_THINKING', 'EXECUTIVE_SUMMARY') and t.status <> 'STREAMING'
    order by t.sequence_number desc limit ${MAX_CALLS}
  )
  select sequence_number as "sequenceNumber", type, status, metadata, created_at as at, stage_type as "stageType", index as "stageIndex", claims,
    agent_name as agent, case when units <= ${MAX_TEXTS} then left(content, ${MAX_TEXT}) else '' end as text,
    length(content) as length
  from events order by sequence_number`;

const HYPOTHESES = `
  select h.text, h.state, h.citations, h.facts, h.created_at as "createdAt", h.updated_at as "updatedAt", e.agent_name as agent
  from hypotheses h join agent_executions e on e.id = h.execution_id where h.session_id = $1 order by h.id limit ${MAX_ROWS}`;

const REVIEWS = `
  select at, actor, action, note from review_activities where session_id = $1 order by at, id limit ${MAX_ROWS}`;
