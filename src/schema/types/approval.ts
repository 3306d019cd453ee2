import type { ApprovalDecisionRow, ApprovalRow, StoredOrigin } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { ApprovalStatusEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { eventKey } from '../views.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ValidationErrorRef,
} from './errors.ts';
import { ExecutionRef, SessionRef, TimelineEventRef } from './refs.ts';

const ArgumentProvenance = builder
  .objectRef<StoredOrigin & { sessionId: string }>('ArgumentProvenance')
  .implement({
    description: 'Where a value of the arguments comes from.',
    fields: (t) => ({
      path: t.exposeString('path', { description: 'Where it is in the arguments, such as labels.0.' }),
      value: t.exposeString('value', { description: 'The value, masked.' }),
      origin: t.exposeString('origin', {
        description:
          'Where it stands: ALERT, RUNBOOK, TOOL_OUTPUT, PERSON (a question), MODEL: nowhere else, or UNTRACED: there are more values (value says how many), or results, than are looked through.',
      }),
      timelineEvent: t.field({
        type: TimelineEventRef,
        nullable: true,
        description: 'The tool call in whose result it stands; null when it is from elsewhere.',
        resolve: ({ sessionId, number }, _args, { loaders }) =>
          number === null ? null : loaders.citedEvent.load(eventKey(sessionId, number)),
      }),
      lines: t.exposeString('lines', {
        nullable: true,
        description: 'The lines around it there, masked; null when it stands nowhere.',
      }),
      isUntrusted: t.exposeBoolean('isUntrusted', {
        description: 'It stands in nothing but what strangers write: results of untrusted_tools.',
      }),
    }),
  });

const ApprovalDecisionRef = builder.objectRef<ApprovalDecisionRow>('ApprovalDecision').implement({
  description: 'What one person, or token, decided.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actor: t.exposeString('actor', { description: 'Who.' }),
    approved: t.exposeBoolean('approved', { description: 'Whether they approved it.' }),
    comment: t.exposeString('comment', { nullable: true, description: 'What they said, masked.' }),
  }),
});

export const ApprovalRef = builder.objectRef<ApprovalRow>('Approval');
builder.node(ApprovalRef, {
  description:
    'A tool call that waits for people, or did: bound to exactly these arguments, and made once at most.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'Whose call it is.',
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
    }),
    execution: t.field({
      type: ExecutionRef,
      description: 'The agent that wants to make it.',
      resolve: ({ executionId }, _args, { loaders }) => loaders.execution.load(executionId) as never,
    }),
    timelineEvent: t.field({
      type: TimelineEventRef,
      description: 'Where it was asked about: the APPROVAL_REQUESTED event.',
      resolve: ({ timelineEventId }, _args, { loaders }) =>
        loaders.timelineEvent.load(timelineEventId) as never,
    }),
    server: t.exposeString('server', { description: 'The MCP server.' }),
    tool: t.exposeString('tool', { description: 'The tool, by the name that its server has for it.' }),
    arguments: t.field({
      type: 'JSON',
      description: 'What it is called with. Masked for who may not approve; whole for who may.',
      resolve: (row, _args, { engine, viewer }) => engine.approvalArguments(row, viewer),
    }),
    argumentsHash: t.exposeString('argumentsHash', {
      description: 'Of server, tool and whole arguments; goes with the decision.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'What the agent says it is for: a word of the model.',
    }),
    policy: t.exposeString('policy', { description: 'Why people are asked, for people.' }),
    dryRun: t.exposeString('dryRun', {
      nullable: true,
      description: 'What the tool says that it would do, masked; null where it has no dry run.',
    }),
    provenance: t.field({
      type: [ArgumentProvenance],
      extensions: queryCost({ rows: 2 }),
      description:
        'Where the values of the arguments come from: outputs of tools, the alert, the model alone.',
      resolve: ({ provenance, sessionId }) => provenance.map((origin) => ({ ...origin, sessionId })),
    }),
    status: t.expose('status', { type: ApprovalStatusEnum, description: 'What became of it.' }),
    requiredApprovals: t.exposeInt('requiredApprovals', {
      description: 'How many different people must approve it; one denial ends it.',
    }),
    decisions: t.field({
      type: [ApprovalDecisionRef],
      extensions: queryCost({ rows: 1 }),
      description: 'What was decided so far, oldest first.',
      resolve: ({ id }, _args, { loaders }) => loaders.decisionsOfApproval.load(id),
    }),
    mayDecide: t.boolean({
      description: 'Whether who asks may decide on calls of this tool.',
      resolve: (row, _args, { engine, viewer }) => engine.mayApprove(row, viewer),
    }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime', description: 'When people were asked.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when they can decide.' }),
    executedAt: t.expose('executedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the call had ended; null while it was not made, and when that is not known.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it failed, or was not made though approved; null unless so.',
    }),
  }),
});

export const ApprovalsChanged = builder.objectRef<ApprovalRow>('ApprovalsChanged').implement({
  description: 'An approval that is new, or was decided on.',
  fields: (t) => ({
    approval: t.field({ type: ApprovalRef, description: 'As it is now.', resolve: (row) => row }),
  }),
});

const DecideApprovalSuccess = builder.objectRef<ApprovalRow>('DecideApprovalSuccess').implement({
  description: 'It was decided.',
  fields: (t) => ({
    approval: t.field({ type: ApprovalRef, description: 'As it is now.', resolve: (row) => row }),
  }),
});

export const DecideApprovalResult = builder.unionType('DecideApprovalResult', {
  description: 'What became of a decision. A ConflictError names what was decided before.',
  types: [DecideApprovalSuccess, ValidationErrorRef, NotFoundErrorRef, ConflictErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'DecideApprovalSuccess'),
});

export const DecideApprovalInput = builder.inputType('DecideApprovalInput', {
  description: 'A decision about a call.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the approval.' }),
    argumentsHash: t.string({
      required: true,
      description: 'Of the arguments that were seen: Approval.argumentsHash.',
    }),
    approve: t.boolean({ required: true, description: 'True approves, false denies.' }),
    comment: t.string({
      description: 'Up to 2,000 characters, masked; the agent is told it when the call is denied.',
    }),
  }),
});
