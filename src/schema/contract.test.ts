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

/** Additions of the API to the contract in test/contract, some with their reason. */
const ADDED = [
  'enum ExportFormat', // exports a session as text
  'enum ExportFormat JSON',
  'enum ExportFormat MARKDOWN',
  'enum ExportFormat POSTMORTEM',
  'enum LlmInteractionType MEMORY', // shows the cost of learning memories
  'enum LlmInteractionType REPORT',
  'enum LlmInteractionType SCORING',
  'enum SessionFacet', // filters show the number of sessions per choice
  'enum SessionFacet ALERT_TYPE',
  'enum SessionFacet AUTHOR',
  'enum SessionFacet CHAIN',
  'enum SessionFacet LABEL',
  'enum SessionFacet RATING',
  'enum SessionFacet REVIEW_STATUS',
  'enum SessionFacet SEVERITY',
  'enum SessionFacet STATUS',
  'enum SessionFacet TEAM',
  'enum SessionFacet VERDICT',
  'enum TimelineEventType ALERT_JOINED', // shows alerts that joined a running investigation
  'enum TokenScope PROVISION', // ends and restores the access of users
  'input CreateApiTokenInput.service: Boolean', // outlives its creator
  'input CreateCaseInput.causes: [String!]', // a cause needs causes to choose from
  'input ImportCaseInput', // cases are also files
  'input ImportCaseInput.document: String!',
  'input ImportCaseInput.team: String',
  'input ReplayCaseInput.suite: ReplaySuiteInput', // a suite of several requests is judged as a whole
  'input ReplaySuiteInput',
  'input ReplaySuiteInput.id: ID!',
  'input ReplaySuiteInput.size: Int!',
  'type AgentExecution.parentId: ID',
  'type AgentExecution.stageId: ID!', // avoids a read of the stage for each of thousands of events
  'type AlertGroup.recentEpisodes: Int!', // flapping groups are folded into one row
  'type AlertGroup.silence: Silence',
  'type AlertGroup.startedAt: DateTime!', // TARSy may receive an alert long after its start
  'type AlertType.description: String!',
  'type AlertType.stageCount: Int!', // shows the progress of an investigation
  'type AlertType.stages: [PlannedStage!]!', // shows stages that are to come
  'type AlertTypeRecord', // shows the accuracy per kind of investigation
  'type AlertTypeRecord.alertType: String!',
  'type AlertTypeRecord.chainId: String!',
  'type AlertTypeRecord.record: TrackRecord!',
  'type AnswerReport', // claims of answers are verified too
  'type AnswerReport.claims: [Claim!]!',
  'type AnswerReport.createdAt: DateTime!',
  'type AnswerReport.evidenceScore: Float',
  'type ApiToken.owner: String',
  'type ApiToken.suspendedAt: DateTime',
  'type Approval.dryRun: String', // result of the tool's dry run
  'type Approval.mayDecide: Boolean!', // pages offer only decisions that are permitted
  'type Approval.policy: String!',
  'type ArgumentProvenance.isUntrusted: Boolean!',
  'type ArgumentProvenance.lines: String', // lines around the argument in its source
  'type CancelSessionsSuccess.refused: [RefusedSession!]!', // why sessions of a selection are not cancelled
  'type Case.document: String!', // cases are also files
  'type ChatMessage.report: AnswerReport',
  'type Citation.problem: String', // reason why a citation does not hold
  'type Citation.source: String!', // alert and runbook can be cited too
  'type Claim.onlyUntrusted: Boolean!', // marks claims with untrusted evidence only
  'type ClaimFact.filter: String', // tells where an absence was looked for
  'type ClaimFact.window: String', // tells when an absence was looked for
  'type ImportCaseSuccess',
  'type ImportCaseSuccess.case: Case!',
  'type InvestigationHealth.reportProblem: String', // reason why there is no report
  'type LlmInteraction.cost: Cost!', // shows which calls cause the cost
  'type McpTool.destructive: Boolean',
  'type McpTool.idempotent: Boolean',
  'type McpTool.offered: Boolean!',
  'type McpTool.openWorld: Boolean',
  'type McpTool.policy: String!',
  'type McpTool.readOnly: Boolean',
  'type Mutation.cancelSession(reason: String)',
  'type Mutation.importCase(input: ImportCaseInput!)',
  'type Mutation.importCase: ImportCaseResult!',
  'type NotificationChannel', // shows what is configured before anything was sent
  'type NotificationChannel.events: [String!]!',
  'type NotificationChannel.kind: NotificationChannelKind!',
  'type NotificationChannel.name: String!',
  'type NotificationChannel.pending: Int!',
  'type NotificationChannel.problem: String',
  'type NotificationChannel.target: String!',
  'type Participant.present: Boolean!', // tells who is here from who was here
  'type PlannedStage',
  'type PlannedStage.agents: [String!]!',
  'type PlannedStage.name: String!',
  'type PlannedStage.type: StageType!',
  'type Query.alertGroups(foldFlaps: Boolean)',
  'type Query.auditActions: [String!]!', // choices for the filter
  'type Query.auditEvents(before: String)', // pages in both directions, like other lists
  'type Query.auditEvents(from: DateTime)',
  'type Query.auditEvents(last: Int)',
  'type Query.auditEvents(to: DateTime)',
  'type Query.notificationChannels: [NotificationChannel!]!',
  'type Query.selectableTools(alertType: String)',
  'type Query.selectableTools: [McpServer!]!', // forms offer only servers that are permitted
  'type Query.sessionCounts(by: SessionFacet!)',
  'type Query.sessionCounts(filter: SessionFilter)',
  'type Query.sessionCounts: SessionCounts!', // number of sessions per choice of a filter
  'type Query.silencePreview(matchers: [String!]!)', // what a silence would cover now
  'type Query.silencePreview: SilencePreview!',
  'type Query.trackRecords(since: DateTime)',
  'type Query.trackRecords: [AlertTypeRecord!]!',
  'type RefusedSession',
  'type RefusedSession.code: String!',
  'type RefusedSession.id: ID!',
  'type RefusedSession.message: String!',
  'type ReliabilityBucket', // diagram of confidence and accuracy
  'type ReliabilityBucket.accuracy: Float!',
  'type ReliabilityBucket.confidence: Float!',
  'type ReliabilityBucket.from: Float!',
  'type ReliabilityBucket.reviewed: Int!',
  'type ReliabilityBucket.to: Float!',
  'type Replay.agreement: Agreement', // compares replays with replicas
  'type Report.createdAt: DateTime!',
  'type Schedule.team: String',
  'type Schedule.text: String!',
  'type SendChatMessageSuccess.chatMessage: ChatMessage!', // `message` collides with Error.message
  'type Session.alertPreview: String!', // lists need not read whole alerts
  'type Session.byRules: Boolean!', // results of the offline rules are marked
  'type Session.chatRefusal: ConflictError', // pages show the reason before a viewer writes a question
  'type Session.eventCursor: String!', // pages read a long session once, then only new events
  'type Session.export(format: ExportFormat!)',
  'type Session.export: String!',
  'type Session.scores: [Score!]!', // a new score does not replace earlier ones
  'type SessionCount',
  'type SessionCount.count: Int!',
  'type SessionCount.value: String!',
  'type SessionCounts',
  'type SessionCounts.counted: Int!',
  'type SessionCounts.values: [SessionCount!]!',
  'type SessionCounts.whole: Boolean!',
  'type SessionFilterOptions.labels: [String!]!',
  'type SilenceExistsError', // a silence with these matchers is in effect
  'type SilenceExistsError implements Error',
  'type SilenceExistsError.code: String!',
  'type SilenceExistsError.message: String!',
  'type SilenceExistsError.silence: Silence!',
  'type SilencePreview',
  'type SilencePreview.alertCount: Int!',
  'type SilencePreview.groupCount: Int!',
  'type SilencePreview.groups: [AlertGroup!]!',
  'type SilencePreview.isComplete: Boolean!',
  'type SilencePreview.silencedGroupCount: Int!',
  'type Stage.cost: Cost!',
  'type SubmitAlertSuccess.notes: [String!]!', // changes made to an alert to accept it
  'type SystemModel', // shows which model investigates
  'type SystemModel.model: String!',
  'type SystemModel.provider: String!',
  'type SystemModel.reason: String!',
  'type SystemModel.usesRules: Boolean!',
  'type SystemState.model: SystemModel!',
  'type TimelineEvent.executionId: ID',
  'type TimelineEvent.output: ToolOutput', // citations count offsets in the complete result
  'type TimelineEvent.stageId: ID',
  'type TokenUsage.cacheWriteTokens: Long!', // shows what caching saves
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
  'type Viewer.rights: [TokenScope!]!', // pages offer only actions that are permitted
  'type WaitingWork.alertGroups: Long!', // alert groups that get no session
  'union CancelSessionResult 3: ValidationError',
  'union CancelSessionResult 4: ForbiddenError',
  'union CreateSilenceResult 2: SilenceExistsError',
  'union CreateSilenceResult 3: ForbiddenError',
  'union EndSilenceResult 3: ForbiddenError',
  'union ImportCaseResult',
  'union ImportCaseResult 0: ImportCaseSuccess',
  'union ImportCaseResult 1: ValidationError',
  'union ImportCaseResult 2: ForbiddenError',
  'union InvestigateAlertGroupResult 4: TooManyAlertsError',
  'union InvestigateAlertGroupResult 5: ForbiddenError',
  'union ReplayCaseResult 4: TooManyAlertsError',
  'union ReplayCaseResult 5: ForbiddenError',
  'union RunScheduleResult 3: TooManyAlertsError',
  'union RunScheduleResult 4: ForbiddenError',
  'union SendChatMessageResult 5: ForbiddenError',
  'union SubmitAlertResult 4: TooManyAlertsError', // sender may retry later
  'union SubmitAlertResult 5: AlertNotInvestigatedError', // a silence, a rule or its group prevents the investigation
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
    'waiting',
    'labels',
    'hypotheses',
    'cases',
    'hints',
    'views',
    'schedules',
    'situation',
    'notifications',
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

/** Returns everything that clients rely on, one line each. Order matters only for members of unions. */
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
