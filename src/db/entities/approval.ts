import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ApprovalStatus, ArgumentOrigin } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, oneOf, reference } from './columns.ts';

export interface StoredOrigin {
  /** Path of the value in the arguments of the tool call, such as `path` or `labels.0`. */
  path: string;
  value: string;
  origin: ArgumentOrigin;
  /** Sequence number of the tool call whose result the value comes from; `null` if it comes from no tool result. */
  number: number | null;
  /** Lines around the value in the text that contains it; `null` if no text does. */
  lines: string | null;
  /** True if the value was found in an untrusted tool result, and not equally well in a trusted text. */
  isUntrusted: boolean;
}

/**
 * A tool call that needs approval, bound to its arguments. `requiredApprovals` and `expiresAt` follow the configuration
 * at the time of the request. The call has started if the status is APPROVED and `executingAt` is set.
 */
export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    stageId: p.uuid(), // no foreign keys here and below, because the row is deleted with the session
    executionId: p.uuid(),
    timelineEventId: p.uuid(),
    messageSequence: p.integer(), // sequence number of the message that requests the call, because models reuse call ids
    toolCallId: p.text(),
    server: p.text(),
    tool: p.text(),
    arguments: p.json<unknown>(), // masked
    sealedArguments: p.text().nullable(), // complete arguments, encrypted; null if masking did not change them
    argumentsHash: p.text(), // SHA-256 of server, tool and complete arguments
    schemaHash: p.text(), // hash of the tool's input schema when the approval was requested
    policy: p.text(), // the rule that requires approval, in words
    reason: p.text().nullable(), // purpose of the call, as stated by the agent
    askedBy: p.text().nullable(), // author of the question, if a chat answer makes the call
    provenance: p.json<StoredOrigin[]>(),
    dryRun: p.text().nullable(), // result of the tool's dry run; masked
    status: oneOf<ApprovalStatus>().default('PENDING'),
    requiredApprovals: p.integer(),
    requestedAt: createdAt(),
    expiresAt: moment(),
    decidedAt: moment().nullable(),
    executingAt: moment().nullable(), // start of the call, stored before the call is made
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
