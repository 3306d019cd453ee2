import type { TerminalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../api/engine.ts';
import { AWAITS_DECISION, DECIDED, withdrawApprovals } from './approvals.ts';
import {
  columnTypes,
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
    from locked l, ${rows} where t.session_id = $1 and t.status = 'STREAMING'`,
  event: { type: 'TimelineEventCompleted', rank: 3, orderBy: 't.sequence_number' },
  many: true,
};

/** Ends the timeline events that an interrupted run left streaming. */
export const closeTimelineEvents = (status: TerminalStatus): RowChange => ({
  writer: OPEN_ITEM,
  row: { status },
});

const openWork = (
  { name, table, stage }: { name: string; table: string; stage: string },
  event: NonNullable<RowWriter['event']>,
): RowWriter => ({
  name,
  columns: columnTypes('stage_id uuid, status text, error_message text'),
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
  { type: 'ExecutionStatusChanged', rank: 5, orderBy: 't.agent_index' },
);
const OPEN_STAGE = openWork(
  { name: 'open_stage', table: 'stages', stage: 'id' },
  { type: 'StageStatusChanged', rank: 6, orderBy: 't.index' },
);

/**
 * Ends a session's open work. With `stageId`, ends only the work of that stage, because another question may
 * wait in another stage.
 */
export function closeOpenWork(end: WorkEnd, stageId: string | null = null): RowChange[] {
  const row = { ...end, stageId };
  return [
    withdrawApprovals(stageId),
    closeTimelineEvents(end.status),
    { writer: OPEN_EXECUTION, row },
    { writer: OPEN_STAGE, row },
  ];
}

const HAS_DECIDED_AGENT = `exists (select 1 from agent_executions e where e.session_id = s.id and ${DECIDED})`;

const AWAITS_ALL_DECISIONS = `exists (select 1 from agent_executions e where e.session_id = s.id and ${AWAITS_DECISION}) and not ${HAS_DECIDED_AGENT}`;

/**
 * Parks a running session that waits for approvals; requeues it if an agent can continue. Releases slot and lease. The
 * caller must lock the session's row, so that no decision is missed. Returns `null` if the run lost the session.
 */
export function parkSession(tx: Queryable, fence: Fence): Promise<SessionSnapshot | null> {
  return writeSession(tx, fence.sessionId, {
    guard: `${FENCE_CONDITION} and s.status = 'IN_PROGRESS'`,
    assign: `status = case when ${AWAITS_ALL_DECISIONS} then 'WAITING_FOR_APPROVAL' else 'PENDING' end, parked_at = now(),
      dispatched_at = null, lease_expires_at = null, worker_id = null, wait = null`,
    values: [fence.attempt],
  });
}

/** Requeues a parked session if all approvals of one of its agents are decided. Otherwise returns `null`. */
export function unparkSession(tx: Queryable, sessionId: string): Promise<SessionSnapshot | null> {
  return writeSession(tx, sessionId, {
    guard: `s.status = 'WAITING_FOR_APPROVAL' and not (${AWAITS_ALL_DECISIONS})`,
    assign: `status = 'PENDING'`,
  });
}
