import { v7 as uuidv7 } from 'uuid';
import { readSamePerson } from '../../../access/same-person.ts';
import type { Viewer } from '../../../access/viewer.ts';
import { recordAudit } from '../../../audit.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../../common/errors.ts';
import type { ApprovalDecisionRow, ApprovalRow } from '../../../db/entities/index.ts';
import { oneByOne } from '../../../db/one-by-one.ts';
import type { Queryable, Transaction } from '../../../db/queryable.ts';
import type { ApprovalDecisionInput } from '../../api/engine.ts';
import { maskUserText } from '../../common/user-text.ts';
import { decodeRow } from '../../live/event-log.ts';
import {
  createPolledChanges,
  type PolledChanges,
  type PolledChangesDeps,
  type PolledRows,
} from '../../live/polled-changes.ts';
import type { ProviderTurnCipher } from '../../model/provider-turn-cipher.ts';
import { findResumableAnswer } from '../../store/chats.ts';
import { writeRowsIf } from '../../store/event-statement.ts';
import { unparkSession } from '../../store/open-work.ts';
import { lockSession } from '../../store/sessions.ts';
import { addTimelineEvent } from '../../store/timeline.ts';
import { type NotificationDeps, requestNotifications } from '../notifications/request.ts';
import { boundArguments } from './argument-binding.ts';

export interface DecideDeps extends ResumeDeps {
  transaction: Transaction;
  turnCipher: Pick<ProviderTurnCipher, 'open'>;
  masking: { maskChat(text: string): string };
  mayApprove: (viewer: Viewer, call: Pick<ApprovalRow, 'server' | 'tool'>) => boolean;
}

const MAX_COMMENT_UNITS = 2_000;

/**
 * Approves or denies a call with exactly the arguments that the viewer saw.
 * @throws NotFoundError, ForbiddenError; ConflictError if the call is decided, expired or has other
 * arguments, or the viewer has decided before; ValidationError for the comment
 */
export async function decideApproval(
  deps: DecideDeps,
  id: string,
  choice: ApprovalDecisionInput,
  by: Viewer,
): Promise<ApprovalRow> {
  const comment = maskedComment(deps, choice.comment);
  return deps.transaction(async (tx) => {
    const locked = await lockApproval(tx, id);
    if (locked === null) throw new NotFoundError('There is no approval with this id.');
    const { row, decisions, isLate } = locked;
    if (!deps.mayApprove(by, row))
      throw new ForbiddenError(
        `You may not decide on calls of ${row.server}.${row.tool}.`,
        by.rights.has('APPROVE') ? null : 'RESPONDER',
      );
    if (choice.argumentsHash !== row.argumentsHash)
      throw new ConflictError(
        'The arguments of the call differ from those you decided on. Read the call again, then decide.',
      );
    if (row.status !== 'PENDING') throw new ConflictError(outcomeOf(row, decisions));
    if (isLate) throw new ConflictError('The approval expired without a decision.');
    const deciders = decisions.map(({ actor }) => actor);
    const asker = row.askedBy ?? null;
    const isSame = await readSamePerson(tx, [by.name, ...deciders, ...(asker === null ? [] : [asker])]);
    if (deciders.some((actor) => isSame(actor, by.name)))
      throw new ConflictError('You have already decided on this call. Another approver must decide, too.');
    if (boundArguments(row, deps.turnCipher.open) === null)
      throw new ConflictError(
        'The arguments differ from the request or cannot be decrypted here, so the call cannot be decided on.',
      );
    const isOnlyApproval = choice.approve && row.requiredApprovals === 1;
    // Without sign-in all viewers have the same name, so this check would refuse every viewer.
    if (isOnlyApproval && asker !== null && isSame(asker, by.name) && by.via !== 'NONE')
      throw new ForbiddenError(
        'The call comes from your own question. Another approver must approve it.',
        null,
      );
    const approvals = decisions.length + 1; // earlier decisions are approvals, because a denial is final
    const status = choice.approve ? (approvals < row.requiredApprovals ? 'PENDING' : 'APPROVED') : 'DENIED';
    await tx.query(
      'insert into approval_decisions (id, approval_id, actor, approved, comment) values ($1, $2, $3, $4, $5)',
      [uuidv7(), id, by.name, choice.approve, comment],
    );
    const decided = await setStatus(tx, id, status);
    await recordAudit(tx, by, {
      action: choice.approve ? 'approval.approve' : 'approval.deny',
      target: { type: 'Approval', id },
      detail: { server: row.server, tool: row.tool, arguments_hash: row.argumentsHash, status },
    });
    if (status !== 'PENDING')
      await resumeAfterDecision(deps, tx, decided, describeDecision(status, by.name, comment));
    return decided;
  });
}

function describeDecision(status: 'APPROVED' | 'DENIED', actor: string, comment: string | null): string {
  const said = comment === null ? '' : ` Comment: ${comment}`;
  return `${status === 'APPROVED' ? 'Approved' : 'Denied'} by ${actor}.${said}`;
}

/** Returns the comment with secrets masked, because prompts and the timeline show it. `null` if it is blank. */
function maskedComment({ masking }: DecideDeps, written: string | null): string | null {
  const text = written?.trim() ?? '';
  if (text === '') return null;
  return maskUserText(masking, { text, field: 'comment', name: 'comment', maxLength: MAX_COMMENT_UNITS });
}

function outcomeOf({ status }: ApprovalRow, decisions: readonly ApprovalDecisionRow[]): string {
  const denied = decisions.find(({ approved }) => !approved);
  if (denied) return `The call was denied by ${denied.actor} (${status}).`;
  if (status === 'EXPIRED') return 'The approval expired without a decision (EXPIRED).';
  if (status === 'WITHDRAWN')
    return 'The approval was withdrawn because the investigation ended (WITHDRAWN).';
  return `The call was approved by ${decisions.map(({ actor }) => actor).join(' and ')} (${status}).`;
}

/**
 * Locks the row of an approval's session, then the approval. Runs lock in the same order, so that no deadlock
 * arises. `null` if the approval does not exist.
 */
async function lockApproval(tx: Queryable, id: string) {
  const { rows } = await tx.query<{ sessionId: string }>(
    'select session_id as "sessionId" from approvals where id = $1',
    [id],
  );
  if (!rows[0] || (await lockSession(tx, rows[0].sessionId)) === null) return null;
  const locked = await tx.query<{ row: Record<string, unknown>; isLate: boolean }>(
    'select to_jsonb(a) as row, a.expires_at <= now() as "isLate" from approvals a where id = $1 for no key update',
    [id],
  );
  const decisions = await tx.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(d) as row from approval_decisions d where approval_id = $1 order by at, id',
    [id],
  );
  const [found] = locked.rows;
  if (!found) return null;
  return {
    row: decodeRow<ApprovalRow>(found.row),
    decisions: decisions.rows.map(({ row }) => decodeRow<ApprovalDecisionRow>(row)),
    isLate: found.isLate, // expired by the database's clock
  };
}

async function setStatus(tx: Queryable, id: string, status: string): Promise<ApprovalRow> {
  const { rows } = await tx.query<{ row: Record<string, unknown> }>(
    `update approvals a set status = $2, updated_at = now(),
       decided_at = case when $2 = 'PENDING' then null else now() end
     where id = $1 returning to_jsonb(a) as row`,
    [id, status],
  );
  return decodeRow(rows[0]!.row);
}

export interface ResumeDeps extends NotificationDeps {
  /** Gives free slots to waiting sessions. */
  dispatch: (tx: Queryable) => Promise<void>;
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
}

/** Adds the decision to the timeline, queues notifications about it and work that waited for it. The caller locks the session's row. */
async function resumeAfterDecision(
  deps: ResumeDeps,
  tx: Queryable,
  { id, sessionId, stageId, executionId, server, tool, status }: ApprovalRow,
  content: string,
): Promise<void> {
  const metadata = { approval_id: id, server_name: server, tool_name: tool, status };
  const item = { type: 'APPROVAL_DECIDED', status: 'COMPLETED', content, metadata } as const;
  const open = { guard: 's.deleted_at is null', values: [] };
  await writeRowsIf(tx, sessionId, open, [addTimelineEvent({ stageId, executionId }, item)]);
  const event = 'approval.decided';
  await requestNotifications(tx, deps, sessionId, {
    event,
    key: `${event}:${id}`,
    notice: { approvalId: id },
  });
  if (await unparkSession(tx, sessionId)) return deps.dispatch(tx);
  const answer = await findResumableAnswer(tx, sessionId);
  if (answer !== null) await deps.enqueueAnswer(tx, answer);
}

/**
 * Expires up to 100 overdue requests and resumes the work that waits for them. Any process may run it at any time. Requests
 * of hidden sessions keep their status, because such sessions are not written to. They do not count among the 100.
 */
export async function expireApprovals(
  deps: ResumeDeps & { db: Queryable; transaction: Transaction },
): Promise<void> {
  const { rows } = await deps.db.query<{ id: string; sessionId: string }>(
    `select a.id, a.session_id as "sessionId" from approvals a join alert_sessions s on s.id = a.session_id
     where a.status = 'PENDING' and a.expires_at <= now() and s.deleted_at is null
     order by a.expires_at limit 100`,
  );
  await oneByOne(rows, ({ id, sessionId }) =>
    deps.transaction(async (tx) => {
      if ((await lockSession(tx, sessionId)) === null) return;
      const expired = await tx.query<{ row: Record<string, unknown> }>(
        `update approvals a set status = 'EXPIRED', decided_at = now(), updated_at = now()
         where id = $1 and status = 'PENDING' returning to_jsonb(a) as row`,
        [id],
      );
      const [ended] = expired.rows;
      if (ended)
        await resumeAfterDecision(deps, tx, decodeRow<ApprovalRow>(ended.row), 'Expired without a decision.');
    }),
  );
}

/**
 * Publishes every approval that changes, with its session's team: requested, decided, expired or withdrawn, or its call
 * begins or ends.
 */
export const createApprovalChanges = (
  deps: PolledChangesDeps,
): PolledChanges<ApprovalRow & { team: string | null }> => createPolledChanges(deps, APPROVALS);

const APPROVALS: PolledRows = {
  topic: 'approvals',
  everyMs: 500,
  changed: `select id, updated_at::text as version from approvals
    where updated_at > now() - make_interval(secs => $1) order by updated_at, id`,
  rows: `select to_jsonb(a) || jsonb_build_object('team', s.team) as row
    from approvals a join alert_sessions s on s.id = a.session_id
    where a.id = any($1::uuid[]) and s.deleted_at is null order by a.updated_at, a.id`,
};
