import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { APPROVAL_STATUSES, type ARGUMENT_ORIGINS } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, oneOf } from './columns.ts';

/** Where a value of the arguments comes from. */
export interface StoredOrigin {
  /** Such as `path` or `labels.0`. */
  path: string;
  /** Masked. */
  value: string;
  origin: (typeof ARGUMENT_ORIGINS)[number];
  /** Place of the tool call in the session's timeline in whose result it stands; null = in none. */
  number: number | null;
  /** The lines around it; null = it stands nowhere. */
  lines: string | null;
  /** It stands in results of strangers alone. */
  isUntrusted: boolean;
}

/**
 * A tool call that waits for people, or did: bound to these arguments. How many must approve, and until when, is kept as it was
 * when they were asked. APPROVED with `executingAt`: it was, or is being, made.
 */
export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  properties: {
    id: id(),
    sessionId: () => p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('cascade'),
    stageId: p.uuid(), // no foreign keys: they go with their session
    executionId: p.uuid(),
    timelineEventId: p.uuid(),
    messageSequence: p.integer(), // of the answer that asks for the call: models use ids again
    toolCallId: p.text(),
    server: p.text(),
    tool: p.text(),
    arguments: p.json<unknown>(), // masked
    sealedArguments: p.text().nullable(), // whole and encrypted, where masking changed them
    argumentsHash: p.text(), // SHA-256 of server, tool and the whole arguments
    schemaHash: p.text(), // of the tool as it was then
    policy: p.text(), // what asks, in words
    reason: p.text().nullable(), // what the agent says it is for
    askedBy: p.text().nullable(), // of an answer: whose question it is
    provenance: p.json<StoredOrigin[]>(),
    dryRun: p.text().nullable(), // what the tool says it would do, masked
    status: oneOf(APPROVAL_STATUSES).default('PENDING'),
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
    {
      name: 'approvals_pending',
      expression: `create index "approvals_pending" on "approvals" ("requested_at", "id") where "status" = 'PENDING'`,
    },
  ],
});
export type ApprovalRow = InferEntity<typeof Approval>;

/** What one person, or token, decided. */
export const ApprovalDecision = defineEntity({
  name: 'ApprovalDecision',
  tableName: 'approval_decisions',
  properties: {
    id: id(),
    approvalId: () => p.manyToOne(Approval).mapToPk().fieldName('approval_id').deleteRule('cascade'),
    at: createdAt(),
    actor: p.text(),
    approved: p.boolean(),
    comment: p.text().nullable(),
  },
  uniques: [{ name: 'approval_decisions_actor', properties: ['approvalId', 'actor'] }],
});
export type ApprovalDecisionRow = InferEntity<typeof ApprovalDecision>;
