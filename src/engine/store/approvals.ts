import type { ApprovalRow, StoredOrigin } from '../../db/entities/index.ts';
import type { ApprovalStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../live/event-log.ts';
import type { RowChange, RowWriter } from './event-statement.ts';

/** A call about which people are to be asked. */
export interface NewApproval {
  id: string;
  stageId: string;
  executionId: string;
  timelineEventId: string;
  messageSequence: number;
  toolCallId: string;
  server: string;
  tool: string;
  /** Masked. */
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

const COLUMNS = {
  id: 'uuid',
  stage_id: 'uuid',
  execution_id: 'uuid',
  timeline_event_id: 'uuid',
  message_sequence: 'int',
  tool_call_id: 'text',
  server: 'text',
  tool: 'text',
  arguments: 'jsonb',
  sealed_arguments: 'text',
  arguments_hash: 'text',
  schema_hash: 'text',
  policy: 'text',
  reason: 'text',
  asked_by: 'text',
  provenance: 'jsonb',
  dry_run: 'text',
  required_approvals: 'int',
};
const NAMES = Object.keys(COLUMNS);

const APPROVAL: RowWriter = {
  name: 'approval',
  columns: { ...COLUMNS, expires_ms: 'bigint' },
  sql: (rows) => `insert into approvals as t (session_id, ${NAMES.join(', ')}, expires_at)
    select l.id, ${NAMES.map((name) => `r.${name}`).join(', ')}, now() + r.expires_ms * interval '1 millisecond'
    from locked l, ${rows}`,
};

/** Asks people about a call. */
export const addApproval = (approval: NewApproval): RowChange => ({ writer: APPROVAL, row: approval });

const waiting = (name: string, from: string, to: string): RowWriter => ({
  name,
  columns: { id: 'uuid' },
  sql: (rows) => `update agent_executions t set status = '${to}' from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and t.status in (${from})`,
  event: { type: 'ExecutionStatusChanged', rank: 5, place: 't.agent_index' },
});

const WAITS = waiting('waits', `'PENDING', 'ACTIVE'`, 'WAITING_FOR_APPROVAL');
const GOES_ON = waiting('goes_on', `'WAITING_FOR_APPROVAL'`, 'ACTIVE');

/** An agent waits for people. In a step that changes nothing else of its row. */
export const waitForApproval = (executionId: string): RowChange => ({
  writer: WAITS,
  row: { id: executionId },
});
/** … and goes on. */
export const resumeAfterApproval = (executionId: string): RowChange => ({
  writer: GOES_ON,
  row: { id: executionId },
});

const EXECUTING: RowWriter = {
  name: 'executing',
  columns: { id: 'uuid' },
  sql: (rows) => `update approvals t set executing_at = now(), updated_at = now() from locked l, ${rows}
    where t.id = r.id and t.session_id = l.id and t.status = 'APPROVED' and t.executing_at is null`,
};

/** The call is about to be made: stored before it is. */
export const beginApprovedCall = (id: string): RowChange => ({ writer: EXECUTING, row: { id } });

const APPROVED_END: RowWriter = {
  name: 'approved_end',
  columns: { id: 'uuid', status: 'text', error_message: 'text' },
  sql: (
    rows,
  ) => `update approvals t set status = r.status, error_message = r.error_message, updated_at = now(),
      executed_at = case when t.executing_at is null then null else now() end
    from locked l, ${rows} where t.id = r.id and t.session_id = l.id and t.status = 'APPROVED'`,
};

/** What came of a call that was approved. */
export function endApprovedCall(
  id: string,
  status: Extract<ApprovalStatus, 'EXECUTED' | 'FAILED' | 'OUTCOME_UNKNOWN'>,
  errorMessage: string | null = null,
): RowChange {
  return { writer: APPROVED_END, row: { id, status, errorMessage } };
}

const WITHDRAWN: RowWriter = {
  name: 'withdrawn',
  columns: { at: 'text' },
  sql: (rows) => `update approvals t set updated_at = now(),
      status = case when t.executing_at is null then 'WITHDRAWN' else 'OUTCOME_UNKNOWN' end
    from locked l, ${rows} where t.session_id = l.id and t.status in ('PENDING', 'APPROVED')`,
};

/** Asks about nothing of a session any more; what is being executed may have happened. */
export const withdrawApprovals: RowChange = { writer: WITHDRAWN, row: { at: '' } };

/** Of the calls of one answer in an execution those about which people were asked, by their ids. */
export async function readApprovals(
  db: Queryable,
  executionId: string,
  messageSequence: number,
): Promise<Map<string, ApprovalWithComments>> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(a) || jsonb_build_object('comments', coalesce((
       select jsonb_agg(d.comment order by d.at, d.id) from approval_decisions d
       where d.approval_id = a.id and d.comment is not null and (not d.approved or a.status <> 'DENIED')), '[]')) as row
     from approvals a where a.execution_id = $1 and a.message_sequence = $2`,
    [executionId, messageSequence],
  );
  return new Map(
    rows.map(({ row }) => decodeRow<ApprovalWithComments>(row)).map((asked) => [asked.toolCallId, asked]),
  );
}

/** With what those said who decided. */
export type ApprovalWithComments = ApprovalRow & { comments: string[] };

/** Whether people have decided all that an agent waits for, or those that are below it. */
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

/** Condition that an execution `e` waits for people who have not decided all that they were asked. */
export const AWAITS_DECISION = `e.status = 'WAITING_FOR_APPROVAL'
  and exists (select 1 from approvals a where a.execution_id = e.id and a.status = 'PENDING')`;

/** … and that they have. */
export const DECIDED = `e.status = 'WAITING_FOR_APPROVAL'
  and not exists (select 1 from approvals a where a.execution_id = e.id and a.status = 'PENDING')`;
