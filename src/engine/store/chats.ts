import { v7 as uuidv7 } from 'uuid';
import type { AlertSessionRow, ChatRow, ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../live/event-log.ts';
import { AWAITS_DECISION, DECIDED } from './approvals.ts';
import {
  FENCE_CONDITION,
  type Fence,
  type RowChange,
  type RowWriter,
  writeRowsIf,
} from './event-statement.ts';
import { closeOpenWork } from './open-work.ts';
import type { WorkEnd } from './stages-and-executions.ts';

/** States in which a session's investigation can be talked about. */
const ACCEPTS_QUESTIONS = `s.status in ('COMPLETED', 'FAILED', 'TIMED_OUT')`;

/** The session's chat; null before its first question. */
async function readChat(tx: Queryable, sessionId: string): Promise<ChatRow | null> {
  const { rows } = await tx.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(c) as row from chats c where session_id = $1',
    [sessionId],
  );
  return rows[0] ? decodeRow(rows[0].row) : null;
}

const CHAT: RowWriter = {
  name: 'chat',
  columns: { id: 'uuid', created_by: 'text' },
  sql: (rows) =>
    `insert into chats as t (id, session_id, created_by) select r.id, l.id, r.created_by from locked l, ${rows}`,
  event: { type: 'ChatCreated', rank: 0, place: '0' },
};

const QUESTION: RowWriter = {
  name: 'question',
  columns: { id: 'uuid', chat_id: 'uuid', author: 'text', content: 'text' },
  sql: (rows) => `insert into chat_user_messages as t (id, chat_id, author, content)
    select r.id, r.chat_id, r.author, r.content from locked l, ${rows}`,
  event: {
    type: 'ChatMessageAdded',
    rank: 1,
    place: '0',
    payload: `to_jsonb(t) || jsonb_build_object('session_id', (select id from locked))`,
  },
};

/** The stage that will answer a question, waiting. */
const ANSWER: RowWriter = {
  name: 'answer',
  columns: { id: 'uuid', chat_message_id: 'uuid' },
  sql: (
    rows,
  ) => `insert into stages as t (id, session_id, name, index, type, status, expected_agent_count, chat_message_id)
    select r.id, l.id, 'Chat', coalesce((select max(o.index) from stages o where o.session_id = l.id), 0) + 1, 'CHAT',
      'PENDING', 1, r.chat_message_id from locked l, ${rows}`,
  event: { type: 'StageStatusChanged', rank: 2, place: 't.index' },
};

export interface AskedQuestion {
  chat: ChatRow;
  message: ChatUserMessageRow;
  stage: StageRow;
}

/** Adds a question to a session's chat, which its first one makes, and the stage that will answer it, waiting. */
export async function addQuestion(
  tx: Queryable,
  sessionId: string,
  { author, content }: { author: string; content: string },
): Promise<AskedQuestion> {
  const chat = await readChat(tx, sessionId);
  const chatId = chat?.id ?? uuidv7();
  const id = uuidv7();
  const changes: RowChange[] = [
    ...(chat ? [] : [{ writer: CHAT, row: { id: chatId, createdBy: author } }]),
    { writer: QUESTION, row: { id, chatId, author, content } },
    { writer: ANSWER, row: { id: uuidv7(), chatMessageId: id } },
  ];
  const rows = (await writeRowsIf(tx, sessionId, { guard: ACCEPTS_QUESTIONS, values: [] }, changes))!;
  const [message, stage] = rows.slice(-2).map(({ row }) => decodeRow<unknown>(row));
  return {
    chat: chat ?? decodeRow<ChatRow>(rows[0]!.row),
    message: message as ChatUserMessageRow,
    stage: stage as StageRow,
  };
}

/** Of a stage `t`: its answer waits for people, and nobody wants it stopped. */
const WAITS_FOR_PEOPLE = `t.cancel_requested_at is null
  and exists (select 1 from agent_executions e where e.stage_id = t.id and ${AWAITS_DECISION})`;

/** The answer of a session that somebody should go on with; locks the session's row. */
export async function findResumableAnswer(tx: Queryable, sessionId: string): Promise<string | null> {
  const open = await findOpenChatStage(tx, sessionId);
  if (open === null) return null;
  const { rows } = await tx.query(`select 1 from stages t where t.id = $1 and ${WAITS_FOR_PEOPLE}`, [
    open.id,
  ]);
  return rows.length === 0 ? open.id : null;
}

/** The stage of a session's question that is not answered yet; locks the session's row. */
export async function findOpenChatStage(tx: Queryable, sessionId: string): Promise<StageRow | null> {
  await tx.query('select 1 from alert_sessions where id = $1 for no key update', [sessionId]);
  const { rows } = await tx.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(t) as row from stages t
     where session_id = $1 and type = 'CHAT' and status in ('PENDING', 'ACTIVE')`,
    [sessionId],
  );
  return rows[0] ? decodeRow(rows[0].row) : null;
}

/**
 * Takes a question to answer, in one transaction: null when it is answered or cancelled, or another worker is at it. A lease that ran out
 * counts as a worker lost. `elapsedMs` runs from when an answer was first begun, by the database's clock, without what passed since the
 * last sign of life of its worker.
 */
export async function claimChatStage(
  tx: Queryable,
  stageId: string,
  lease: { workerId: string; leaseMs: number },
): Promise<{ fence: Fence; stage: StageRow; elapsedMs: number } | null> {
  const { rows } = await tx.query<{ id: string; attempt: number; lost: number; at: Date | null; now: Date }>(
    `with free as (
       select s.id, (s.lease_expires_at is not null)::int as lost, s.last_interaction_at as at from alert_sessions s join stages t on t.session_id = s.id
       where t.id = $1 and t.type = 'CHAT' and t.status in ('PENDING', 'ACTIVE')
         and ${ACCEPTS_QUESTIONS} and (s.lease_expires_at is null or s.lease_expires_at < now())
       for no key update of s
     )
     update alert_sessions s set worker_id = $2, attempt = s.attempt + 1,
       lease_expires_at = now() + $3 * interval '1 millisecond', last_interaction_at = now()
     from free where s.id = free.id returning s.id, s.attempt, free.lost, free.at, now() as now`,
    [stageId, lease.workerId, lease.leaseMs],
  );
  if (!rows[0]) return null;
  const { id, attempt, lost, at, now } = rows[0];
  const fence = { sessionId: id, attempt };
  const taken = { writer: TAKEN, row: { id: stageId, lost, at } };
  const [begun] = (await writeRowsIf(tx, id, { guard: FENCE_CONDITION, values: [attempt] }, [taken])) ?? [];
  if (!begun) {
    await giveBack(tx, fence); // answered, or cancelled, by then
    return null;
  }
  const stage = decodeRow<StageRow>(begun.row);
  const elapsedMs = Math.max(0, now.getTime() - (stage.startedAt ?? now).getTime());
  return { fence, stage, elapsedMs };
}

const TAKEN: RowWriter = {
  name: 'taken',
  columns: { id: 'uuid', lost: 'int', at: 'timestamptz' },
  // The time that it may take begins anew when it has waited for people, and later by the time in which nobody worked on it.
  sql: (rows) => `update stages t set status = 'ACTIVE', started_at = case when exists (
        select 1 from agent_executions e where e.stage_id = t.id and ${DECIDED}) then now()
        else coalesce(t.started_at + (now() - greatest(r.at, t.started_at)), now()) end,
      attempt = t.attempt + 1, workers_lost = t.workers_lost + r.lost
    from locked l, ${rows} where t.id = r.id and t.status in ('PENDING', 'ACTIVE')`,
  event: { type: 'StageStatusChanged', rank: 1, place: 't.index' },
};

/**
 * Ends the answer with all that is open of it, and no question that was asked since its stage ended; nothing happens when it is not
 * this run's any more.
 */
export async function endAnswer(tx: Queryable, fence: Fence, stageId: string, end: WorkEnd): Promise<void> {
  const condition = { guard: FENCE_CONDITION, values: [fence.attempt] };
  await writeRowsIf(tx, fence.sessionId, condition, closeOpenWork(end, stageId));
}

/**
 * Gives the session's lease back: the answer is complete, or another worker shall go on with it. A question that is open
 * by then is queued: one asked since the answer's end may have found the lease taken, and its job is gone.
 */
export async function releaseChat(
  tx: Queryable,
  fence: Fence,
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>,
): Promise<void> {
  await giveBack(tx, fence);
  const next = await findResumableAnswer(tx, fence.sessionId);
  if (next !== null) await enqueueAnswer(tx, next);
}

async function giveBack(tx: Queryable, { sessionId, attempt }: Fence): Promise<void> {
  await tx.query(
    'update alert_sessions set lease_expires_at = null, worker_id = null where id = $1 and attempt = $2',
    [sessionId, attempt],
  );
}

/** Marks the running answer of a session as to be stopped; false when there is none. */
export async function requestChatCancel(db: Queryable, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update stages set cancel_requested_at = coalesce(cancel_requested_at, now())
     where session_id = $1 and type = 'CHAT' and status in ('PENDING', 'ACTIVE')`,
    [sessionId],
  );
  return (rowCount ?? 0) > 0;
}

/** A question that nobody took for this long (seconds) is queued again: its job may have been lost. */
const STALE_QUESTION_S = 60;

/** Questions whose worker is gone, and those that none has taken. */
export async function findAbandonedChatStages(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select t.id from alert_sessions s join stages t on t.session_id = s.id
     where (s.lease_expires_at < now()
         or s.lease_expires_at is null and t.created_at < now() - interval '${STALE_QUESTION_S} seconds')
       and ${ACCEPTS_QUESTIONS} and t.type = 'CHAT' and t.status in ('PENDING', 'ACTIVE') and not (${WAITS_FOR_PEOPLE})`,
  );
  return rows.map(({ id }) => id);
}

/** The session with its alert's text, and the question, of a chat stage. */
export async function readQuestion(
  db: Queryable,
  stage: StageRow,
): Promise<{ session: AlertSessionRow; question: ChatUserMessageRow } | null> {
  const { rows } = await db.query<{ session: Record<string, unknown>; question: Record<string, unknown> }>(
    `select to_jsonb(s) as session, to_jsonb(m) as question from alert_sessions s, chat_user_messages m
     where s.id = $1 and m.id = $2 and s.deleted_at is null`,
    [stage.sessionId, stage.chatMessageId],
  );
  return rows[0] ? { session: decodeRow(rows[0].session), question: decodeRow(rows[0].question) } : null;
}
