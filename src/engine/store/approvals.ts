import type { ApprovalRow, StoredOrigin } from '../../db/entities/index.ts';
import type { ApprovalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { readRows } from '../live/event-log.ts';
import { columnTypes, insertInto, type RowChange, type RowWriter } from './event-statement.ts';

export interface NewApproval {
  id: string;
  stageId: string;
  executionId: string;
  timelineEventId: string;
  messageSequence: number;
  toolCallId: string;
  server: string;
  tool: string;
  /** The masked arguments. */
  arguments: unknown;
  sealedArguments: string | null;
  argumentsHash: string;
  schemaHash: string;
  policy: string;
  reason: string | null;
  askedBy: string | null;
  provenance: StoredOrigin[];
  dryRun: string | null;
  requiredApprovals: number;
  expiresMs: number;
}

const INSERT = insertInto(
  'approvals',
  `id uuid, stage_id uuid, execution_id uuid, timeline_event_id uuid, message_sequence int, tool_call_id text, server text,
   tool text, arguments jsonb, sealed_arguments text, arguments_hash text, schema_hash text, policy text, reason text,
   asked_by text, provenance jsonb, dry_run text, required_approvals int`,
  () => ({ expires_at: `now() + r.expires_ms * interval '1 millisecond'` }),
);

const APPROVAL: RowWriter = {
  name: 'approval',
  columns: { ...INSERT.columns, expires_ms: 'bigint' },
  sql: INSERT.sql,
};

export const addApproval = (approval: NewApproval): RowChange => ({ writer: APPROVAL, row: approval });

const statusChange = (name: string, from: string, to: string): RowWriter => ({
  name,
  columns: { id: 'uuid' },
  sql: (rows) => `update agent_executions t set status = '${to}' from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and t.status in (${from})`,
  event: { type: 'ExecutionStatusChanged', rank: 5, orderBy: 't.agent_index' },
});

const WAIT = statusChange('waits', `'PENDING', 'ACTIVE'`, 'WAITING_FOR_APPROVAL');
const RESUME = statusChange('resumes', `'WAITING_FOR_APPROVAL'`, 'ACTIVE');

/** Marks an agent as waiting for an approval. The same write must not change the execution in another way. */
export const waitForApproval = (id: string): RowChange => ({ writer: WAIT, row: { id } });
/** Marks a waiting agent as active again. The same write must not change the execution in another way. */
export const resumeAfterApproval = (id: string): RowChange => ({ writer: RESUME, row: { id } });

const EXECUTING: RowWriter = {
  name: 'executing',
  columns: { id: 'uuid' },
  sql: (rows) => `update approvals t set executing_at = now(), updated_at = now() from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and t.status = 'APPROVED' and t.executing_at is null`,
};

/** Records that an approved call starts. Must be stored before the call is made. */
export const beginApprovedCall = (id: string): RowChange => ({ writer: EXECUTING, row: { id } });

const APPROVED_END: RowWriter = {
  name: 'approved_end',
  columns: columnTypes('id uuid, status text, error_message text'),
  sql: (
    rows,
  ) => `update approvals t set status = r.status, error_message = r.error_message, updated_at = now(),
      executed_at = case when t.executing_at is null then null else now() end
    from locked l, ${rows} where t.id = r.id and t.session_id = l.id and t.status = 'APPROVED'`,
};

export function endApprovedCall(
  id: string,
  status: Extract<ApprovalStatus, 'EXECUTED' | 'FAILED' | 'OUTCOME_UNKNOWN'>,
  errorMessage: string | null = null,
): RowChange {
  return { writer: APPROVED_END, row: { id, status, errorMessage } };
}

const WITHDRAWN: RowWriter = {
  name: 'withdrawn',
  columns: { stage_id: 'uuid' },
  sql: (rows) => `update approvals t set updated_at = now(),
      status = case when t.executing_at is null then 'WITHDRAWN' else 'OUTCOME_UNKNOWN' end
    from locked l, ${rows} where t.session_id = l.id and t.stage_id = coalesce(r.stage_id, t.stage_id)
      and t.status in ('PENDING', 'APPROVED')`,
};

/**
 * Withdraws the open approvals of a stage, or of the whole session without one. An approved call that has started becomes
 * OUTCOME_UNKNOWN.
 */
export const withdrawApprovals = (stageId: string | null = null): RowChange => ({
  writer: WITHDRAWN,
  row: { stageId },
});

/** Returns the approvals requested for the calls of one model message, by tool call id. */
export async function readApprovals(
  db: Queryable,
  executionId: string,
  messageSequence: number,
): Promise<Map<string, ApprovalWithComments>> {
  const asked = await readRows<ApprovalWithComments>(
    db,
    `select to_jsonb(a) || jsonb_build_object('comments', coalesce((
       select jsonb_agg(d.comment order by d.at, d.id) from approval_decisions d
       where d.approval_id = a.id and d.comment is not null and (not d.approved or a.status <> 'DENIED')), '[]')) as row
     from approvals a where a.execution_id = $1 and a.message_sequence = $2`,
    [executionId, messageSequence],
  );
  return new Map(asked.map((approval) => [approval.toolCallId, approval]));
}

/** An approval with the comments of its decisions; if it was denied, only with the comments of the denials. */
export type ApprovalWithComments = ApprovalRow & { comments: string[] };

/** Returns true if no approval of an agent and its sub-agents is pending. */
export async function areApprovalsDecided(db: Queryable, executionId: string): Promise<boolean> {
  const { rows } = await db.query(
    `with recursive below as (
       select id, stage_id from agent_executions where id = $1
       union all
       select e.id, e.stage_id from below b join agent_executions e on e.stage_id = b.stage_id and e.parent_execution_id = b.id
     )
     select 1 from approvals a join below b on b.id = a.execution_id where a.status = 'PENDING' limit 1`,
    [executionId],
  );
  return rows.length === 0;
}

/** The SQL condition that an execution `e` waits and at least one of its approvals is pending. */
export const AWAITS_DECISION = `e.status = 'WAITING_FOR_APPROVAL'
  and exists (select 1 from approvals a where a.execution_id = e.id and a.status = 'PENDING')`;

/** The SQL condition that an execution `e` still waits although all of its approvals are decided. */
export const DECIDED = `e.status = 'WAITING_FOR_APPROVAL'
  and not exists (select 1 from approvals a where a.execution_id = e.id and a.status = 'PENDING')`;
