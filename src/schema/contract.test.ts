import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from './index.ts';

const root = join(import.meta.dirname, '../..');

/** Additions of the API to the contract. */
const ADDED = [
  'enum ExportFormat', // a session can be taken along
  'enum ExportFormat JSON',
  'enum ExportFormat MARKDOWN',
  'enum ExportFormat POSTMORTEM',
  'enum LlmInteractionType MEMORY', // what it costs to learn is seen
  'enum LlmInteractionType REPORT',
  'enum LlmInteractionType SCORING',
  'enum SessionFacet', // a filter says how many each choice would find
  'enum SessionFacet ALERT_TYPE',
  'enum SessionFacet AUTHOR',
  'enum SessionFacet CHAIN',
  'enum SessionFacet RATING',
  'enum SessionFacet REVIEW_STATUS',
  'enum SessionFacet SEVERITY',
  'enum SessionFacet STATUS',
  'enum SessionFacet TEAM',
  'enum SessionFacet VERDICT',
  'enum TimelineEventType ALERT_JOINED', // what joins is shown as what is over
  'type AgentExecution.parentId: ID',
  'type AgentExecution.stageId: ID!', // streams of thousands of events need not read what they refer to
  'type AlertType.description: String!',
  'type AlertType.stageCount: Int!', // how far an investigation has come
  'type AlertTypeRecord', // how right each kind of investigation was
  'type AlertTypeRecord.alertType: String!',
  'type AlertTypeRecord.chainId: String!',
  'type AlertTypeRecord.record: TrackRecord!',
  'type AnswerReport', // what an answer claims is checked too
  'type AnswerReport.claims: [Claim!]!',
  'type AnswerReport.createdAt: DateTime!',
  'type AnswerReport.evidenceScore: Float',
  'type Approval.dryRun: String', // what the tool says it would do
  'type Approval.mayDecide: Boolean!', // a page offers what is not refused
  'type Approval.policy: String!',
  'type ArgumentProvenance.isUntrusted: Boolean!',
  'type ArgumentProvenance.lines: String', // those around it
  'type ChatMessage.report: AnswerReport',
  'type Citation.problem: String', // each says why it does not hold
  'type Citation.source: String!', // the alert and the runbook are cited too
  'type Claim.onlyUntrusted: Boolean!', // what strangers wrote proves little
  'type InvestigationHealth.reportProblem: String', // why there is no report
  'type LlmInteraction.cost: Cost!', // where it comes from
  'type McpTool.destructive: Boolean',
  'type McpTool.idempotent: Boolean',
  'type McpTool.offered: Boolean!',
  'type McpTool.openWorld: Boolean',
  'type McpTool.policy: String!',
  'type McpTool.readOnly: Boolean',
  'type Query.auditActions: [String!]!', // a filter offers them
  'type Query.auditEvents(before: String)', // both ways, as other lists
  'type Query.auditEvents(from: DateTime)',
  'type Query.auditEvents(last: Int)',
  'type Query.auditEvents(to: DateTime)',
  'type Query.selectableTools(alertType: String)',
  'type Query.selectableTools: [McpServer!]!', // a form need not offer what is refused
  'type Query.sessionCounts(by: SessionFacet!)',
  'type Query.sessionCounts(filter: SessionFilter)',
  'type Query.sessionCounts: SessionCounts!', // what another choice would find
  'type Query.trackRecords(since: DateTime)',
  'type Query.trackRecords: [AlertTypeRecord!]!',
  'type ReliabilityBucket', // a diagram of confidence and outcome
  'type ReliabilityBucket.accuracy: Float!',
  'type ReliabilityBucket.confidence: Float!',
  'type ReliabilityBucket.from: Float!',
  'type ReliabilityBucket.reviewed: Int!',
  'type ReliabilityBucket.to: Float!',
  'type Report.createdAt: DateTime!',
  'type SendChatMessageSuccess.chatMessage: ChatMessage!', // `message` collides with Error.message
  'type Session.alertPreview: String!', // lists need not carry whole alerts
  'type Session.chatRefusal: ConflictError', // a page says why before anybody writes a question
  'type Session.eventCursor: String!', // a page reads a long session once, then only what is new
  'type Session.export(format: ExportFormat!)',
  'type Session.export: String!',
  'type Session.scores: [Score!]!', // a second opinion does not take the first away
  'type SessionCount',
  'type SessionCount.count: Int!',
  'type SessionCount.value: String!',
  'type SessionCounts',
  'type SessionCounts.counted: Int!',
  'type SessionCounts.values: [SessionCount!]!',
  'type SessionCounts.whole: Boolean!',
  'type Stage.cost: Cost!',
  'type SubmitAlertSuccess.notes: [String!]!', // what was changed to take an alert
  'type TimelineEvent.executionId: ID',
  'type TimelineEvent.output: ToolOutput', // citations count in the whole result
  'type TimelineEvent.stageId: ID',
  'type TokenUsage.cacheWriteTokens: Long!', // what a cache saves is told
  'type TokenUsage.cachedReadTokens: Long!',
  'type TooManyAlertsError',
  'type TooManyAlertsError implements Error',
  'type TooManyAlertsError.code: String!',
  'type TooManyAlertsError.message: String!',
  'type TooManyAlertsError.retryAfterSeconds: Int!',
  'type ToolOutput',
  'type ToolOutput.length: Int!',
  'type ToolOutput.text(end: Int)',
  'type ToolOutput.text(start: Int)',
  'type ToolOutput.text: String!',
  'type TrackRecord.reliability: [ReliabilityBucket!]!',
  'type Viewer.rights: [TokenScope!]!', // a page says beforehand what is refused
  'union CancelSessionResult 3: ForbiddenError',
  'union CreateSilenceResult 2: ForbiddenError',
  'union EndSilenceResult 3: ForbiddenError',
  'union InvestigateAlertGroupResult 4: TooManyAlertsError',
  'union InvestigateAlertGroupResult 5: ForbiddenError',
  'union SendChatMessageResult 5: ForbiddenError',
  'union SubmitAlertResult 4: TooManyAlertsError', // a flood is refused, and may come again later
  'union SubmitAlertResult 5: AlertNotInvestigatedError', // a silence, a rule or its group is against it
  'union SubmitAlertResult 6: ForbiddenError',
];

describe('the API', () => {
  const written = [
    'schema',
    'intake',
    'access',
    'reviews',
    'health',
    'memory',
    'costs',
    'reports',
    'fallback',
    'sub-agents',
    'scores',
    'approvals',
  ].map((name) => readFileSync(join(root, `test/contract/${name}.graphql`), 'utf8'));
  const contract = facts(buildSchema(written.join('\n')));
  const served = facts(schema);

  it('implements the whole contract', () => {
    expect([...contract].filter((fact) => !served.has(fact))).toEqual([]);
  });

  it('adds nothing to the contract except the listed additions', () => {
    expect([...served].filter((fact) => !contract.has(fact)).sort()).toEqual(ADDED);
  });

  it('equals the printed schema.graphql', () => {
    const check = spawnSync(process.execPath, [join(root, 'scripts/print-schema.ts'), '--check'], {
      encoding: 'utf8',
    });
    expect({ status: check.status, stderr: check.stderr }).toEqual({ status: 0, stderr: '' });
  });
});

/** Everything that a client can rely on, one line each; the order matters only of a union's members. */
function facts(of: GraphQLSchema): Set<string> {
  const types = Object.values(of.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return new Set(types.flatMap((type) => [kind(type), ...details(type)]));
}

function kind(type: GraphQLNamedType): string {
  if (isObjectType(type)) return `type ${type.name}`;
  if (isInterfaceType(type)) return `interface ${type.name}`;
  if (isUnionType(type)) return `union ${type.name}`;
  if (isInputObjectType(type)) return `input ${type.name}`;
  return `${isEnumType(type) ? 'enum' : 'scalar'} ${type.name}`;
}

function details(type: GraphQLNamedType): string[] {
  if (isEnumType(type)) return type.getValues().map((value) => `${kind(type)} ${value.name}`);
  if (isUnionType(type)) return type.getTypes().map((member, place) => `${kind(type)} ${place}: ${member}`);
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => typed(`${kind(type)}.${field.name}`, field));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return [
    ...type.getInterfaces().map((parent) => `${kind(type)} implements ${parent.name}`),
    ...Object.values(type.getFields()).flatMap((field) => [
      typed(`${kind(type)}.${field.name}`, field),
      ...field.args.map((argument) => `${kind(type)}.${field.name}(${typed(argument.name, argument)})`),
    ]),
  ];
}

type Typed = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField;

function typed(name: string, { type }: Typed): string {
  return `${name}: ${String(type)}`;
}
