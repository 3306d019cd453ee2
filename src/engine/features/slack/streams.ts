import { createHash } from 'node:crypto';
import { isTerminalStatus, TERMINAL_SESSION_STATUSES } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { Edit, EditDeps } from './edit.ts';
import { isStreamOver, SlackCallError } from './failure.ts';
import { pointMessage, type SlackMessage, sessionLink, sessionUrl } from './message.ts';
import {
  type Plan,
  type PlanInput,
  planBlock,
  planChunks,
  planOf,
  planText,
  type StreamChunk,
} from './plan.ts';
import { type Block, formatted, plain, section } from './text.ts';

/** Age at which TARSy ends a stream (s). Slack ends it 5 minutes after its start and then shows an error. */
const STREAM_SECONDS = 240;

/** Time for which a refusal of streams is remembered. Afterwards the next session tries again. */
const REFUSED_FOR = '1 hour';

const ENDED = TERMINAL_SESSION_STATUSES.map((status) => `'${status}'`).join(', ');

/**
 * SQL condition: Slack refused to start a stream a short time ago, for a reason that concerns the workspace. A thread
 * that is gone concerns one session only.
 */
const STREAMS_REFUSED = `exists (select 1 from slack_posts f where f.point = 'PROGRESS' and f.status = 'FAILED'
  and f.error not in ('thread_not_found', 'message_not_found') and f.created_at > now() - interval '${REFUSED_FOR}')`;

export async function areStreamsRefused(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ refused: boolean }>(`select ${STREAMS_REFUSED} as refused`);
  return rows[0]?.refused === true;
}

/**
 * SQL that selects the running sessions that get a streaming message: a user in Slack asked for them, the message about
 * their start is posted, and there is no stream yet.
 */
export const STREAMABLE_SESSIONS = `select p.session_id, 'PROGRESS' as point, coalesce(p.thread_ts, p.message_ts) as thread_ts
  from slack_posts p join alert_sessions s on s.id = p.session_id
  where p.point = 'STARTED' and p.status = 'POSTED' and p.message_ts <> '' and p.recipient is not null
    and p.posted_at > now() - interval '24 hours' and s.deleted_at is null and s.status not in ('PENDING', ${ENDED})
    and not exists (select 1 from slack_posts g where g.session_id = p.session_id and g.point = 'PROGRESS')
    and not ${STREAMS_REFUSED}
  order by p.posted_at limit 50`;

export interface StreamDeps {
  db: Queryable;
  dashboardUrl: string;
  /** Returns the names of the configured stages of a chain, in order; none if the chain is gone. */
  stagesOf: (chainId: string) => readonly string[];
}

/** SQL that reads a `PlanInput` and the chain of the session `s`. */
const PLAN_COLUMNS = `s.id as "sessionId", s.status, s.chain_id as "chainId",
  (select name from stages c where c.id = s.current_stage_id) as stage,
  (select coalesce(json_agg(json_build_object('id', g.id, 'index', g.index, 'name', g.name, 'type', g.type,
     'status', g.status, 'seconds', extract(epoch from g.completed_at - g.started_at)::int,
     'agents', (select coalesce(json_agg(json_build_object('id', x.id, 'index', x.agent_index, 'name', x.agent_name,
       'status', x.status) order by x.agent_index), '[]') from agent_executions x where x.stage_id = g.id)
   ) order by g.index), '[]') from stages g where g.session_id = s.id and g.type <> 'CHAT') as stages,
  (select coalesce(json_agg(c), '[]') from (
     select t.stage_id as "stageId", t.execution_id as "executionId", count(*)::int as count from timeline_events t
     where t.session_id = s.id and t.type = 'LLM_TOOL_CALL' group by t.stage_id, t.execution_id) c) as calls`;

type PlanRow = PlanInput & { chainId: string };

/** The first chunks of a session's streaming message. */
export interface NewStream {
  /** User to whom Slack shows the stream live. */
  recipient: string;
  chunks: StreamChunk[];
  /** State that the chunks show. */
  state: string;
}

/** Returns the stream of a session; `null` if the session has ended, is deleted, or no user in Slack asked for it. */
export async function newStream(deps: StreamDeps, sessionId: string): Promise<NewStream | null> {
  const { rows } = await deps.db.query<PlanRow & { recipient: string }>(
    `select ${PLAN_COLUMNS}, p.recipient from alert_sessions s
     join slack_posts p on p.session_id = s.id and p.point = 'STARTED' and p.recipient is not null
     where s.id = $1 and s.deleted_at is null and s.status not in (${ENDED})`,
    [sessionId],
  );
  const [row] = rows;
  if (!row) return null;
  const plan = planOf(row, deps.stagesOf(row.chainId));
  const link = {
    type: 'markdown_text',
    text: `[Open the investigation](${sessionUrl(deps.dashboardUrl, sessionId)})`,
  } as const;
  return {
    recipient: row.recipient,
    chunks: [link, ...planChunks(plan, { withDetails: false })],
    state: stateOf(plan, false),
  };
}

interface StreamRow extends PlanRow {
  ts: string;
  shown: string | null;
  isDeleted: boolean;
  isStreaming: boolean;
  /** True if Slack ends the stream soon. */
  isOld: boolean;
}

/** Returns the changes of streaming messages, and of messages that were streaming, the oldest first. */
export async function dueStreams(deps: StreamDeps & EditDeps, hours: number): Promise<Edit[]> {
  const { rows } = await deps.db.query<StreamRow>(
    `select ${PLAN_COLUMNS}, p.message_ts as ts, p.shown, s.deleted_at is not null as "isDeleted",
       p.streaming_since is not null as "isStreaming",
       coalesce(p.streaming_since < now() - interval '${STREAM_SECONDS} seconds', false) as "isOld"
     from slack_posts p join alert_sessions s on s.id = p.session_id
     where p.point = 'PROGRESS' and p.created_at > now() - make_interval(hours => $1) and p.status = 'POSTED'
       and p.message_ts <> '' and (p.streaming_since is not null or (coalesce(p.shown, '') not like 'END:%' and s.deleted_at is null))
     order by p.created_at limit 200`,
    [hours],
  );
  return rows.flatMap((row) => changeOf(deps, row) ?? []);
}

function changeOf(deps: StreamDeps & EditDeps, row: StreamRow): Edit | null {
  const { db, logger } = deps;
  const { sessionId, ts, isDeleted, isStreaming } = row;
  const isLast = isDeleted || isTerminalStatus(row.status);
  const plan = planOf(row, deps.stagesOf(row.chainId));
  const state = stateOf(plan, isLast);
  const shownBy = (block: Block) => progressMessage(deps, sessionId, { text: plan.title, block });
  const { metadata } = shownBy(planBlock(plan));

  async function edit(): Promise<void> {
    let code = await orFinal(deps.openClient().update(ts, shownBy(planBlock(plan))));
    if (code === 'invalid_blocks')
      code = await orFinal(deps.openClient().update(ts, shownBy(section(plain(planText(plan))))));
    if (code !== null) logger.warn({ code, sessionId }, 'slack message not edited');
    await storeStream(db, row, { shown: state, isStreaming: false });
  }

  /** Ends a stream that Slack refuses to change, unless it has ended, and shows the plan by an edit. */
  async function replace(code: string): Promise<void> {
    logger.info({ code, sessionId }, 'slack stream replaced by edits');
    if (!isStreamOver(code)) await orFinal(deps.openClient().stopStream(ts, { metadata }));
    await storeStream(db, row, { shown: null, isStreaming: false });
    if (!isDeleted) await edit();
  }

  async function append(): Promise<void> {
    const chunks = planChunks(plan, { withDetails: false });
    const code = await orFinal(deps.openClient().appendStream(ts, chunks));
    if (code !== null) return replace(code);
    await storeStream(db, row, { shown: state, isStreaming: true });
  }

  async function stop(): Promise<void> {
    const chunks = isDeleted ? [] : planChunks(plan, { withDetails: true });
    const end = { ...(chunks.length === 0 ? {} : { chunks }), metadata };
    const code = await orFinal(deps.openClient().stopStream(ts, end));
    if (code !== null) return replace(code);
    await storeStream(db, row, { shown: isLast ? state : null, isStreaming: false });
    // In a stream that has ended, Slack shows running tasks as failed.
    if (!isLast) await edit();
  }

  if (isStreaming && (isLast || row.isOld)) return { sessionId, call: 'stop', apply: stop };
  if (row.shown === state) return null;
  return isStreaming
    ? { sessionId, call: 'append', apply: append }
    : { sessionId, call: 'update', apply: edit };
}

/** Returns the code of a final failure; `null` after success. @throws SlackCallError after a temporary failure */
async function orFinal(call: Promise<void>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.failure.isTemporary) throw error;
    return error.failure.code;
  }
}

/** Returns a text that is equal for equal plans. Begins with END if nothing follows. */
function stateOf(plan: Plan, isLast: boolean): string {
  const digest = createHash('sha256').update(JSON.stringify(plan)).digest('base64url');
  return `${isLast ? 'END:' : ''}${digest}`;
}

function progressMessage(
  { dashboardUrl }: StreamDeps,
  sessionId: string,
  { text, block }: { text: string; block: Block },
): SlackMessage {
  const link = section(formatted(sessionLink(dashboardUrl, sessionId)));
  return pointMessage('PROGRESS', sessionId, { text, blocks: [link, block] });
}

async function storeStream(
  db: Queryable,
  { sessionId, ts }: StreamRow,
  { shown, isStreaming }: { shown: string | null; isStreaming: boolean },
): Promise<void> {
  await db.query(
    `update slack_posts set shown = $3, streaming_since = case when $4 then streaming_since end
     where session_id = $1 and point = 'PROGRESS' and message_ts = $2`,
    [sessionId, ts, shown, isStreaming],
  );
}
