import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type { ApprovalDecisionRow, ApprovalRow, StoredOrigin } from '../../db/entities/index.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible } from '../root-fields.ts';
import { StreamSource, seenBy } from '../stream-source.ts';
import { eventKey } from '../views.ts';
import { mutationResult, wrapperOf } from './errors.ts';
import { ExecutionRef, SessionRef, TimelineEventRef } from './refs.ts';

const ArgumentProvenance = objectType<StoredOrigin & { sessionId: string }>(
  'ArgumentProvenance',
  'Origin of an argument value.',
  (t) => ({
    path: t.exposeString('path', { description: 'Path in the arguments, such as labels.0.' }),
    value: t.exposeString('value', { description: 'The value, masked.' }),
    origin: t.exposeString('origin', {
      description:
        'ALERT, RUNBOOK, TOOL_OUTPUT, PERSON (a question), MODEL (found nowhere else) or UNTRACED (more values or results than are searched; value has the number).',
    }),
    timelineEvent: t.field({
      type: TimelineEventRef,
      nullable: true,
      description: 'Tool call whose result contains the value; null if it comes from elsewhere.',
      resolve: ({ sessionId, number }, _args, { loaders }) =>
        number === null ? null : loaders.citedEvent.load(eventKey(sessionId, number)),
    }),
    lines: t.exposeString('lines', {
      nullable: true,
      description: 'Surrounding lines, masked; null if the value was not found.',
    }),
    isUntrusted: t.exposeBoolean('isUntrusted', {
      description: 'True if the value occurs only in results of untrusted_tools, which strangers can write.',
    }),
  }),
);

const ApprovalDecisionRef = objectType<ApprovalDecisionRow>(
  'ApprovalDecision',
  'Decision of one user or token.',
  (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the decision.' }),
    actor: t.exposeString('actor', { description: 'User or token that decided.' }),
    approved: t.exposeBoolean('approved', { description: 'True if approved, false if denied.' }),
    comment: t.exposeString('comment', { nullable: true, description: 'Comment, masked.' }),
  }),
);

export const ApprovalRef = builder.objectRef<ApprovalRow>('Approval');
nodeType(
  ApprovalRef,
  'A tool call that needs approval, with exactly these arguments; executed at most once.',
  (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'Session of the call.',
      resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId) as never,
    }),
    execution: t.field({
      type: ExecutionRef,
      description: 'Execution of the agent that requests the call.',
      resolve: ({ executionId }, _args, { loaders }) => loaders.agentExecution.load(executionId) as never,
    }),
    timelineEvent: t.field({
      type: TimelineEventRef,
      description: 'The APPROVAL_REQUESTED event.',
      resolve: ({ timelineEventId }, _args, { loaders }) =>
        loaders.timelineEvent.load(timelineEventId) as never,
    }),
    toolCall: t.field({
      type: TimelineEventRef,
      nullable: true,
      description: 'The approved call, whose output is its result; null if it has not begun.',
      resolve: ({ id }, _args, { loaders }) => loaders.callOfApproval.load(id),
    }),
    server: t.exposeString('server', { description: 'The MCP server.' }),
    tool: t.exposeString('tool', { description: 'Name of the tool on its server.' }),
    arguments: t.field({
      type: 'JSON',
      description: 'Arguments of the call: complete for approvers, masked for others.',
      resolve: (row, _args, { engine, viewer }) => engine.approvalArguments(row, viewer),
    }),
    argumentsHash: t.exposeString('argumentsHash', {
      description: 'Hash of server, tool and complete arguments; required by the decision.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Purpose that the agent states; written by the model.',
    }),
    policy: t.exposeString('policy', { description: 'Policy that requires approval, for people.' }),
    dryRun: t.exposeString('dryRun', {
      nullable: true,
      description: 'Output of the tool’s dry run, masked; null if it has none.',
    }),
    provenance: t.field({
      type: [ArgumentProvenance],
      extensions: queryCost({ rows: 2 }),
      description: 'Origins of the argument values: tool outputs, the alert, or only the model.',
      resolve: ({ provenance, sessionId }) => provenance.map((origin) => ({ ...origin, sessionId })),
    }),
    status: t.expose('status', { type: enums.ApprovalStatus, description: 'Current status.' }),
    requiredApprovals: t.exposeInt('requiredApprovals', {
      description: 'Number of different approvers needed; one denial is final.',
    }),
    decisions: t.field({
      type: [ApprovalDecisionRef],
      extensions: queryCost({ rows: 1 }),
      description: 'Decisions so far, oldest first.',
      resolve: ({ id }, _args, { loaders }) => loaders.decisionsOfApproval.load(id),
    }),
    mayDecide: t.boolean({
      description: 'True if the viewer may decide on calls of this tool.',
      resolve: (row, _args, { engine, viewer }) => engine.mayApprove(row, viewer),
    }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime', description: 'When approval was requested.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Deadline of the decision.' }),
    executedAt: t.expose('executedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the call ended; null if it was not made or its end is unknown.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Reason why an approved call failed or was not made; null otherwise.',
    }),
  }),
);

const ApprovalsChanged = wrapperOf<ApprovalRow>('ApprovalsChanged', 'An approval was requested or decided.', {
  approval: { type: ApprovalRef, description: 'The approval in its current state.' },
});

const DecideApproval = mutationResult(
  'DecideApproval',
  [ValidationError, NotFoundError, ConflictError],
  {
    description: 'The decision was recorded.',
    field: { approval: { type: ApprovalRef, description: 'The approval in its current state.' } },
  },
  'Result of decideApproval. A ConflictError names an earlier decision.',
);

const DecideApprovalInput = builder.inputType('DecideApprovalInput', {
  description: 'A decision about a tool call.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the approval.' }),
    argumentsHash: t.string({
      required: true,
      description: 'Approval.argumentsHash of the arguments that the approver saw.',
    }),
    approve: t.boolean({ required: true, description: 'True approves, false denies.' }),
    comment: t.string({
      description: 'Up to 2,000 characters, masked; passed to the agent if the call is denied.',
    }),
  }),
});

builder.queryField('pendingApprovals', (t) =>
  t.field({
    type: [ApprovalRef],
    extensions: queryCost({ own: 20 }),
    description: 'Tool calls that wait for approval, oldest first; at most 200.',
    resolve: (_root, _args, { reads }) => reads.pendingApprovals(),
  }),
);

builder.mutationField('decideApproval', (t) =>
  t.field({
    type: DecideApproval.type,
    description: 'Approves or denies a call with exactly the arguments that argumentsHash names.',
    args: { input: t.arg({ type: DecideApprovalInput, required: true, description: 'The decision.' }) },
    resolve: (_root, { input }, context) => {
      const { id, argumentsHash, approve, comment = null } = input;
      return changeVisible({ result: DecideApproval, type: 'Approval', id, context }, (key) =>
        context.engine.decideApproval(key, { argumentsHash, approve, comment }, context.viewer),
      );
    },
  }),
);

builder.subscriptionField('approvalsChanged', (t) =>
  t.field({
    type: ApprovalsChanged,
    description:
      'Reports each approval that is requested, decided or executed from now on, within about a second.',
    subscribe: (_root, _args, { engine, viewer }) =>
      new StreamSource(seenBy(viewer, engine.subscribeApprovals())),
    resolve: (approval) => approval,
  }),
);
