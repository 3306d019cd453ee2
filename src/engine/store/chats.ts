import { v7 as uuidv7 } from 'uuid';
import type { AlertSessionRow, ChatRow, ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow, readRows } from '../live/event-log.ts';
import { AWAITS_DECISION, DECIDED } from './approvals.ts';
import {
  columnTypes,
  FENCE_CONDITION,
  type Fence,
  insertInto,
  type RowChange,
  type RowWriter,
  writeRowsIf,
} from './event-statement.ts';
import { closeOpenWork } from './open-work.ts';
import { UNCLAIMED_AFTER } from './sessions.ts';
import type { WorkEnd } from './stages-and-executions.ts';

const ACCEPTS_QUESTIONS = `s.status in ('COMPLETED', 'FAILED', 'TIMED_OUT')`;

const CHAT: RowWriter = {
  name: 'chat',
  ...insertInto('chats', 'id uuid, created_by text'),
  event: { type: 'ChatCreated', rank: 0, orderBy: '0' },
};

const QUESTION: RowWriter = {
  name: 'question',
  columns: columnTypes('id uuid, chat_id uuid, author text, content text'),
  sql: (rows) => `insert into chat_user_messages as t (id, chat_id, author, content)
    select r.id, r.chat_id, r.author, r.content from locked l, ${rows}`,
  event: {
    type: 'ChatMessageAdded',
    rank: 1,
    orderBy: '0',
    payload: `to_jsonb(t) || jsonb_build_object('session_id', (select id from locked))`,
  },
};

const ANSWER: RowWriter = {
  name: 'answer',
  ...insertInto('stages', 'id uuid, chat_message_id uuid', () => ({
    name: `'Chat'`,
    index: 'coalesce((select max(o.index) from stages o where o.session_id = l.id), 0) + 1',
    type: `'CHAT'`,
    status: `'PENDING'`,
    expected_agent_count: '1',
  })),
  event: { type: 'StageStatusChanged', rank: 2, orderBy: 't.index' },
};

export interface AskedQuestion {
  chat: ChatRow;
  message: ChatUserMessageRow;
  stage: StageRow;
}

/**
 * Adds a question and the pending stage that will answer it. The first question of a session creates its chat. Returns
 * `null` if the session is deleted or accepts no questions.
 */
export async function addQuestion(
  tx: Queryable,
  sessionId: string,
  { author, content, id: given }: { author: string; content: string; id: string | null },
): Promise<AskedQuestion | null> {
  const [chat] = await readRows<ChatRow>(tx, 'select to_jsonb(c) as row from chats c where session_id = $1', [
    sessionId,
  ]);
  const chatId = chat?.id ?? uuidv7();
  const id = given ?? uuidv7();
  const changes: RowChange[] = [
    ...(chat ? [] : [{ writer: CHAT, row: { id: chatId, createdBy: author } }]),
    { writer: QUESTION, row: { id, chatId, author, content } },
    { writer: ANSWER, row: { id: uuidv7(), chatMessageId: id } },
  ];
  const guard = `${ACCEPTS_QUESTIONS} and s.deleted_at is null`;
  const rows = await writeRowsIf(tx, sessionId, { guard }, changes);
  if (rows === null) return null;
  return {
    chat: chat ?? decodeRow(rows[0]!.row),
    message: decodeRow(rows.at(-2)!.row),
    stage: decodeRow(rows.at(-1)!.row),
  };
}

/** Returns a question with its chat and the stage that answers it; `null` if there is none with this id. */
export async function readAsked(db: Queryable, id: string): Promise<AskedQuestion | null> {
  const { rows } = await db.query<Record<'chat' | 'message' | 'stage', Record<string, unknown>>>(
    `select to_jsonb(c) as chat, to_jsonb(m) as message, to_jsonb(t) as stage from chat_user_messages m
     join chats c on c.id = m.chat_id join stages t on t.chat_message_id = m.id where m.id = $1`,
    [id],
  );
  if (!rows[0]) return null;
  const { chat, message, stage } = rows[0];
  return { chat: decodeRow(chat), message: decodeRow(message), stage: decodeRow(stage) };
}

/** The SQL condition that the answer of stage `t` waits for an approval and is not being cancelled. */
const WAITS_FOR_APPROVAL = `t.cancel_requested_at is null
  and exists (select 1 from agent_executions e where e.stage_id = t.id and ${AWAITS_DECISION})`;

/** Returns the id of a session's open chat stage that a worker can continue, or `null`. Locks the session's row. */
export async function findResumableAnswer(tx: Queryable, sessionId: string): Promise<string | null> {
  const open = await findOpenChatStage(tx, sessionId);
  if (open === null) return null;
  const waiting = `select 1 from stages t where t.id = $1 and ${WAITS_FOR_APPROVAL}`;
  return (await tx.query(waiting, [open.id])).rows.length === 0 ? open.id : null;
}

/** Returns the stage of the session's unanswered question; `null` if there is none. Locks the session's row. */
export async function findOpenChatStage(tx: Queryable, sessionId: string): Promise<StageRow | null> {
  await tx.query('select 1 from alert_sessions where id = $1 for no key update', [sessionId]);
  const [open = null] = await readRows<StageRow>(
    tx,
    `select to_jsonb(t) as row from stages t where session_id = $1 and type = 'CHAT' and status in ('PENDING', 'ACTIVE')`,
    [sessionId],
  );
  return open;
}

/**
 * Claims a question to answer. Must run in a transaction. An expired lease counts as a lost worker.
 * @returns `null` if the question is answered, cancelled or claimed. `elapsedMs`: time that workers spent on the answer
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
  const claim = { writer: CLAIM, row: { id: stageId, lost, at } };
  const [begun] = (await writeRowsIf(tx, id, { guard: FENCE_CONDITION, values: [attempt] }, [claim])) ?? [];
  if (!begun) {
    await releaseLease(tx, fence); // answered or cancelled in the meantime
    return null;
  }
  const stage = decodeRow<StageRow>(begun.row);
  const elapsedMs = Math.max(0, now.getTime() - (stage.startedAt ?? now).getTime());
  return { fence, stage, elapsedMs };
}

const CLAIM: RowWriter = {
  name: 'taken',
  columns: columnTypes('id uuid, lost int, at timestamptz'),
  // A wait for an approval restarts the time limit of the answer. Otherwise `started_at` moves by the time in
  // which no worker ran the answer.
  sql: (rows) => `update stages t set status = 'ACTIVE', started_at = case when exists (
        select 1 from agent_executions e where e.stage_id = t.id and ${DECIDED}) then now()
        else coalesce(t.started_at + (now() - greatest(r.at, t.started_at)), now()) end,
      attempt = t.attempt + 1, workers_lost = t.workers_lost + r.lost
    from locked l, ${rows} where t.id = r.id and t.status in ('PENDING', 'ACTIVE')`,
  event: { type: 'StageStatusChanged', rank: 1, orderBy: 't.index' },
};

/** Ends an answer and everything open in its stage. Does nothing if the run no longer owns the session. */
export async function endAnswer(tx: Queryable, fence: Fence, stageId: string, end: WorkEnd): Promise<void> {
  const condition = { guard: FENCE_CONDITION, values: [fence.attempt] };
  await writeRowsIf(tx, fence.sessionId, condition, closeOpenWork(end, stageId));
}

/**
 * Releases the session's lease after an answer or for another worker. Queues an open question again, because its job
 * may have ended when it found the lease in use.
 */
export async function releaseChat(
  tx: Queryable,
  fence: Fence,
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>,
): Promise<void> {
  await releaseLease(tx, fence);
  const next = await findResumableAnswer(tx, fence.sessionId);
  if (next !== null) await enqueueAnswer(tx, next);
}

async function releaseLease(tx: Queryable, { sessionId, attempt }: Fence): Promise<void> {
  await tx.query(
    'update alert_sessions set lease_expires_at = null, worker_id = null where id = $1 and attempt = $2',
    [sessionId, attempt],
  );
}

/** Requests that the session's open answer stops. Returns false if there is none. */
export async function requestChatCancel(db: Queryable, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update stages set cancel_requested_at = coalesce(cancel_requested_at, now())
     where session_id = $1 and type = 'CHAT' and status in ('PENDING', 'ACTIVE')`,
    [sessionId],
  );
  return (rowCount ?? 0) > 0;
}

/** Returns the ids of chat stages whose lease expired, and of those that no worker has claimed for `UNCLAIMED_AFTER`. */
export async function findAbandonedChatStages(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select t.id from alert_sessions s join stages t on t.session_id = s.id
     where (s.lease_expires_at < now()
         or s.lease_expires_at is null and t.created_at < now() - ${UNCLAIMED_AFTER})
       and ${ACCEPTS_QUESTIONS} and t.type = 'CHAT' and t.status in ('PENDING', 'ACTIVE') and not (${WAITS_FOR_APPROVAL})`,
  );
  return rows.map(({ id }) => id);
}

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
