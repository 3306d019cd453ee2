import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ApprovalStatus, ArgumentOrigin } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, oneOf, reference } from './columns.ts';

export interface StoredOrigin {
  /** Path of the argument, such as `path` or `labels.0`. */
  path: string;
  value: string;
  origin: ArgumentOrigin;
  /** Sequence number of the timeline event of the tool call whose result contains the value; `null` if none does. */
  number: number | null;
  /** The lines around the value; `null` if it was found nowhere. */
  lines: string | null;
  /** True if only untrusted results contain the value. */
  isUntrusted: boolean;
}

/**
 * A tool call that needs approval, bound to its arguments. The number of approvals and the deadline are stored as they were
 * at the request. APPROVED with `executingAt` set: the call has started.
 */
export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    stageId: p.uuid(), // no foreign keys: deleted with the session
    executionId: p.uuid(),
    timelineEventId: p.uuid(),
    messageSequence: p.integer(), // message that requests the call, because models reuse ids
    toolCallId: p.text(),
    server: p.text(),
    tool: p.text(),
    arguments: p.json<unknown>(), // masked
    sealedArguments: p.text().nullable(), // complete and encrypted, if masking changed them
    argumentsHash: p.text(), // SHA-256 of server, tool and complete arguments
    schemaHash: p.text(), // of the tool's schema at the request
    policy: p.text(), // the rule that requires approval, in words
    reason: p.text().nullable(), // purpose, as the agent states it
    askedBy: p.text().nullable(), // author of the question, if an answer makes the call
    provenance: p.json<StoredOrigin[]>(),
    dryRun: p.text().nullable(), // result of the tool's dry run; masked
    status: oneOf<ApprovalStatus>().default('PENDING'),
    requiredApprovals: p.integer(),
    requestedAt: createdAt(),
    expiresAt: moment(),
    decidedAt: moment().nullable(),
    executingAt: moment().nullable(), // set before the call is made
    executedAt: moment().nullable(),
    errorMessage: p.text().nullable(),
    updatedAt: createdAt(),
  },
  uniques: [{ name: 'approvals_call', properties: ['executionId', 'messageSequence', 'toolCallId'] }],
  indexes: [
    { name: 'approvals_session', properties: ['sessionId', 'requestedAt', 'id'] },
    { name: 'approvals_updated', properties: ['updatedAt'] },
    { name: 'approvals_pending', properties: ['requestedAt', 'id'], where: `status = 'PENDING'` },
  ],
});
export type ApprovalRow = InferEntity<typeof Approval>;

export const ApprovalDecision = defineEntity({
  name: 'ApprovalDecision',
  tableName: 'approval_decisions',
  properties: {
    id: id(),
    approvalId: () => reference(Approval, 'approval_id'),
    at: createdAt(),
    actor: p.text(),
    approved: p.boolean(),
    comment: p.text().nullable(),
  },
  uniques: [{ name: 'approval_decisions_actor', properties: ['approvalId', 'actor'] }],
});
export type ApprovalDecisionRow = InferEntity<typeof ApprovalDecision>;
