import type { TerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { AWAITS_DECISION, DECIDED, withdrawApprovals } from './approvals.ts';
import {
  FENCE_CONDITION,
  type Fence,
  type RowChange,
  type RowWriter,
  writeSession,
} from './event-statement.ts';
import type { WorkEnd } from './stages-and-executions.ts';

const OPEN_ITEM: RowWriter = {
  name: 'open_item',
  columns: { status: 'text' },
  sql: (rows) => `update timeline_events t set status = r.status, updated_at = now(),
      metadata = coalesce(t.metadata, '{}') || '{"interrupted": true}'
    from locked l, ${rows} where t.session_id = l.id and t.status = 'STREAMING'`,
  event: { type: 'TimelineEventCompleted', rank: 3, place: 't.sequence_number' },
  many: true,
};

/** Ends timeline items that a broken-off run left streaming: their text will not grow any more. */
export function closeTimelineEvents(status: TerminalStatus): RowChange {
  return { writer: OPEN_ITEM, row: { status } };
}

const openWork = (
  { name, table, stage }: { name: string; table: string; stage: string },
  event: NonNullable<RowWriter['event']>,
): RowWriter => ({
  name,
  columns: { stage_id: 'uuid', status: 'text', error_message: 'text' },
  sql: (
    rows,
  ) => `update ${table} t set status = r.status, error_message = r.error_message, completed_at = now()
    from locked l, ${rows} where t.session_id = l.id and t.${stage} = coalesce(r.stage_id, t.${stage})
      and t.status in ('PENDING', 'ACTIVE', 'WAITING_FOR_APPROVAL')`,
  event,
  many: true,
});

const OPEN_EXECUTION = openWork(
  { name: 'open_execution', table: 'agent_executions', stage: 'stage_id' },
  { type: 'ExecutionStatusChanged', rank: 5, place: 't.agent_index' },
);
const OPEN_STAGE = openWork(
  { name: 'open_stage', table: 'stages', stage: 'id' },
  { type: 'StageStatusChanged', rank: 6, place: 't.index' },
);

/**
 * Ends everything of a session that is open, innermost first.
 * @param stageId of its stages this one alone, as another may be waiting by then; default: all
 */
export function closeOpenWork(end: WorkEnd, stageId: string | null = null): RowChange[] {
  const row = { ...end, stageId };
  return [
    withdrawApprovals,
    closeTimelineEvents(end.status),
    { writer: OPEN_EXECUTION, row },
    { writer: OPEN_STAGE, row },
  ];
}

const ANY_WAITED = `exists (select 1 from agent_executions e where e.session_id = s.id and ${DECIDED})`;

const ALL_WAIT = `exists (select 1 from agent_executions e where e.session_id = s.id and ${AWAITS_DECISION}) and not ${ANY_WAITED}`;

/**
 * Gives back a running session that waits for people: it has neither slot nor lease until they have decided. Its row must be
 * locked: who decides meanwhile must be seen. Null when it is not this run's any more.
 */
export function parkSession(tx: Queryable, fence: Fence): Promise<SessionSnapshot | null> {
  return writeSession(tx, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.status = 'IN_PROGRESS'`,
    assign: `status = case when ${ALL_WAIT} then 'WAITING_FOR_APPROVAL' else 'PENDING' end, parked_at = now(),
      dispatched_at = null, lease_expires_at = null, worker_id = null`,
    values: [fence.attempt],
  });
}

/** Sends a session back to the queue of which an agent has waited for people who have decided by now; null when there is none. */
export function unparkSession(tx: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(tx, sessionId, {
    guard: `s.status = 'WAITING_FOR_APPROVAL' and not (${ALL_WAIT})`,
    assign: `status = 'PENDING'`,
    values: [],
  });
}
