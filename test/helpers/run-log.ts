import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Queryable } from '../../src/db/queryable.ts';
import { type Fence, writeRows } from '../../src/engine/store/event-statement.ts';
import { addTimelineEvent, endTimelineEvent } from '../../src/engine/store/timeline.ts';
import { insertSession } from './http-api.ts';

/** A running session, and functions that write to its event log as its run does. */
export interface RunLog {
  fence: Fence;
  /** Begins to stream a text. Returns its id. */
  open(content?: string, type?: 'LLM_RESPONSE' | 'LLM_TOOL_CALL'): Promise<string>;
  /** Completes the text. */
  complete(id: string, content: string): Promise<void>;
  /** Stores the text so far, as a run does while further pieces still stream. */
  save(id: string, content: string): Promise<void>;
  /** Writes `count` events one after the other. */
  write(count: number): Promise<void>;
}

/** Starts a session whose log is written through `db`. */
export async function beginRun(pool: pg.Pool, db: Queryable = pool): Promise<RunLog> {
  const sessionId = await insertSession(pool, {
    status: 'IN_PROGRESS',
    attempt: 1,
    lease_expires_at: new Date(Date.now() + 3_600_000),
  });
  return logOf({ sessionId, attempt: 1 }, db);
}

/** Returns functions that write as the run with this fence, through any connection. */
export function logOf(fence: Fence, db: Queryable): RunLog {
  const nowhere = { stageId: null, executionId: null };
  return {
    fence,
    async open(content = '', type = 'LLM_RESPONSE') {
      const id = uuidv7();
      await writeRows(db, fence, [addTimelineEvent(nowhere, { type, status: 'STREAMING', content }, id)]);
      return id;
    },
    complete: async (id, content) =>
      void (await writeRows(db, fence, [endTimelineEvent(id, { status: 'COMPLETED', content })])),
    async save(id, content) {
      await db.query('update timeline_events set content = $2 where id = $1', [id, content]);
    },
    async write(count) {
      const event = { type: 'LLM_THINKING', status: 'COMPLETED', content: 'x' } as const;
      for (let n = 0; n < count; n++) await writeRows(db, fence, [addTimelineEvent(nowhere, event)]);
    },
  };
}
