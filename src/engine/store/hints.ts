import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { ExecutionKey } from './progress.ts';

/** A responder's hint for the agents of a running session: a HINT event of the session's timeline. */
export interface StoredHint {
  /** Sequence number in the session's timeline. */
  number: number;
  author: string;
  /** Masked. */
  text: string;
  /** Name of the agent that it is for; `null` for all agents. */
  agent: string | null;
  at: string;
}

/** The hints that an agent has read. */
export interface ReadHints {
  /** Their sequence numbers in the timeline. */
  numbers: Set<number>;
  /** Sequence number of the timeline through which hints were looked for. */
  through: number;
}

/** Returns the hints after a sequence number of the timeline, in order, and the number through which it looked. */
export async function readHints(
  db: Queryable,
  sessionId: string,
  after: number,
): Promise<{ hints: StoredHint[]; through: number }> {
  const { rows } = await db.query<{ hints: StoredHint[]; through: number }>(prepared(HINTS), [
    sessionId,
    after,
  ]);
  return rows[0] ?? { hints: [], through: after };
}

// One statement, and thus one state of the timeline. Events get their numbers in the order of their commits.
const HINTS = `select s.last_timeline_sequence as through, (
    select coalesce(json_agg(json_build_object('number', t.sequence_number, 'author', t.metadata ->> 'author', 'text', t.content,
      'agent', t.metadata ->> 'agent', 'at', t.created_at) order by t.sequence_number), '[]')
    from timeline_events t where t.session_id = $1 and t.type = 'HINT' and t.sequence_number > $2) as hints
  from alert_sessions s where s.id = $1`;

/** Returns the sequence numbers of the hints that an execution has read. */
export async function readHintNumbers(
  db: Queryable,
  { sessionId, executionId }: ExecutionKey,
): Promise<number[]> {
  const { rows } = await db.query<{ number: number }>(
    `select jsonb_array_elements_text(metadata -> 'hints')::int as number from timeline_events
     where session_id = $1 and execution_id = $2 and type = 'HINT_READ'`,
    [sessionId, executionId],
  );
  return rows.map(({ number }) => number);
}

export async function countHints(db: Queryable, sessionId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from timeline_events where session_id = $1 and type = 'HINT'`,
    [sessionId],
  );
  return rows[0]!.count;
}

/** True if an agent of this name has worked in the session. */
export async function hasAgent(db: Queryable, sessionId: string, agent: string): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from agent_executions where session_id = $1 and agent_name = $2 limit 1',
    [sessionId, agent],
  );
  return rows.length > 0;
}
