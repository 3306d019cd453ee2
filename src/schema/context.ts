import type DataLoader from 'dataloader';
import type { Tokens, TokenView } from '../access/tokens.ts';
import type { Viewer } from '../access/viewer.ts';
import type { BudgetConfig, Named } from '../config/types.ts';
import type {
  AgentExecutionRow,
  AlertGroupRow,
  AlertRow,
  AnswerReportRow,
  ApprovalDecisionRow,
  ApprovalRow,
  AuditEventRow,
  ChatRow,
  ChatUserMessageRow,
  IntakeDecisionRow,
  McpToolValue,
  MemoryRow,
  MessageRow,
  ReportRow,
  ReviewActivityRow,
  ScoreRow,
  SilenceRow,
  StageRow,
  SystemWarningRow,
  TimelineEventRow,
} from '../db/entities/index.ts';
import type { Engine, SessionSnapshot } from '../engine/api/engine.ts';
import type { ExportSource } from '../engine/features/export/source.ts';
import type { Intake } from '../intake/index.ts';
import type { AnswerAccount } from './answer.ts';
import type {
  AlertGroupPageArgs,
  AuditPageArgs,
  DecisionPageArgs,
  MemoryPageArgs,
  PageArgs,
  RecordFilter,
  SessionCountsArgs,
  SessionPageArgs,
  SilencePageArgs,
  TimelineFilter,
  UsageArgs,
} from './args.ts';
import type {
  AlertTypeInfo,
  AlertTypeRecord,
  BudgetStateView,
  CostValue,
  InvestigationHealth,
  LlmInteractionBody,
  LlmInteractionHead,
  McpDirectory,
  McpInteractionBody,
  McpInteractionHead,
  McpServerHead,
  Page,
  ReportHead,
  SessionCountsView,
  SessionFilterOptions,
  SimilarSession,
  SourceCounts,
  TrackRecord,
  UsageFigures,
} from './views.ts';

/** Everything a resolver may use. Created for each operation; a subscription keeps its context while it is open. */
export interface Context {
  answer: AnswerAccount;
  engine: Engine;
  intake: Intake | null;
  reads: Reads;
  loaders: Loaders;
  alertTypes: readonly AlertTypeInfo[];
  /** The sender of the request. All permissions derive from it. */
  viewer: Viewer;
  mcpServers: McpDirectory;
  tokens: Tokens;
  /** Returns the configuration of the running processes without secrets; docs/api.md describes the format. */
  configuration: () => Promise<object>;
  budgets: Named<BudgetConfig>;
  dashboardUrl: string;
  /** Names of the configured teams; `null` if no teams are configured. */
  teams: readonly string[] | null;
  /** Cursor that a reconnecting SSE client sends in `Last-Event-ID`; `null` if absent. */
  lastEventId: string | null;
}

type One<T> = DataLoader<string, T | null>;
type Many<T> = DataLoader<string, T[]>;

/** Batched reads by key. `One` returns a visible row or `null`, `Many` the rows that belong to the key. */
export interface Loaders {
  session: One<SessionSnapshot>;
  alertData: One<string>;
  alertPreview: One<string>;
  queuePosition: One<number>;
  healthOfSession: DataLoader<string, InvestigationHealth>;
  /** Best match first; at most 5. */
  similarSessions: Many<SimilarSession>;
  reviewActivityOfSession: Many<ReviewActivityRow>;
  stagesOfSession: Many<StageRow>;
  timelineOfSession(filter: TimelineFilter): Many<TimelineEventRow>;
  /** Interactions that belong to no execution. */
  sessionLlmInteractions: Many<LlmInteractionHead>;

  stage: One<StageRow>;
  execution: One<AgentExecutionRow>;
  timelineEvent: One<TimelineEventRow>;
  message: One<MessageRow>;
  executionsOfStage: Many<AgentExecutionRow>;
  timelineOfExecution: Many<TimelineEventRow>;
  messagesOfExecution: Many<MessageRow>;

  llmInteraction: One<LlmInteractionHead>;
  llmInteractionBody: One<LlmInteractionBody>;
  llmOfExecution: Many<LlmInteractionHead>;
  mcpInteraction: One<McpInteractionHead>;
  mcpInteractionBody: One<McpInteractionBody>;
  mcpOfExecution: Many<McpInteractionHead>;
  mcpServer: One<McpServerHead>;
  mcpServerTools: One<McpToolValue[]>;

  costOfSession: DataLoader<string, CostValue>;
  costOfStage: DataLoader<string, CostValue>;
  costOfExecution: DataLoader<string, CostValue>;

  chat: One<ChatRow>;
  chatOfSession: One<ChatRow>;
  chatMessage: One<ChatUserMessageRow>;
  messagesOfChat: Many<ChatUserMessageRow>;
  stageOfChatMessage: One<StageRow>;

  reportOfSession: One<ReportHead>;
  claimsOfReport: One<Pick<ReportRow, 'sessionId' | 'claims'>>;
  /** By the id of the stage that answers a question. */
  reportOfAnswer: One<AnswerReportRow>;
  /** By `recordKey`. */
  trackRecord: DataLoader<string, TrackRecord>;
  /** The tool call with a sequence number in a session's timeline, by `eventKey`. */
  citedEvent: One<TimelineEventRow>;
  /** The complete result of a tool call, by its timeline event. */
  wholeOutput: One<string>;

  score: One<ScoreRow>;
  latestScore: One<ScoreRow>;
  /** Newest first; at most 100. */
  scoresOfSession: Many<ScoreRow>;

  memory: One<MemoryRow>;
  /** Sessions whose agents received a memory, newest first; at most 100. */
  sessionsWithMemory: Many<SessionSnapshot>;

  approval: One<ApprovalRow>;
  /** Oldest first. */
  approvalsOfSession: Many<ApprovalRow>;
  /** Oldest first. */
  decisionsOfApproval: Many<ApprovalDecisionRow>;

  alert: One<AlertRow>;
  alertGroup: One<AlertGroupRow>;
  /** Newest first; at most 100. */
  sessionsOfGroup: Many<SessionSnapshot>;
  intakeDecision: One<IntakeDecisionRow>;
  /** First page of a group's decisions. @throws BAD_USER_INPUT for an invalid page size */
  decisionsOfGroup(first: number | null): { load(groupId: string): Promise<Page<IntakeDecisionRow>> };
  silence: One<SilenceRow>;

  apiToken: One<TokenView>;
  auditEvent: One<AuditEventRow>;
}

/** Reads that are not look-ups by key. Invalid limits, cursors and filters throw BAD_USER_INPUT. */
export interface Reads {
  sessions(args: SessionPageArgs): Promise<Page<SessionSnapshot>>;
  activeSessions(): Promise<{ active: SessionSnapshot[]; queued: SessionSnapshot[] }>;
  filterOptions(): Promise<SessionFilterOptions>;
  sessionCounts(args: SessionCountsArgs): Promise<SessionCountsView>;
  /** Returns the sequence number of the newest event, 0 if there is none, or `null` if there is no such session. */
  lastEventSeq(sessionId: string): Promise<number | null>;
  /** @param session a session that the viewer may see */
  sessionExport(session: SessionSnapshot): Promise<ExportSource>;

  trackRecord(filter: RecordFilter): Promise<TrackRecord>;
  /** Returns one record per alert type and chain, those with the most reviews first; at most 200. */
  trackRecords(since: Date | null): Promise<AlertTypeRecord[]>;

  /** In configuration order. */
  budgets(configured: Named<BudgetConfig>): Promise<BudgetStateView[]>;
  /** Most expensive first; days in chronological order. */
  usage(args: UsageArgs): Promise<{ total: UsageFigures; rows: UsageFigures[] }>;
  /** Returns the 20 most expensive sessions of the period, most expensive first. */
  dearestSessions(args: UsageArgs): Promise<SessionSnapshot[]>;

  /** Newest first. */
  memories(args: MemoryPageArgs): Promise<Page<MemoryRow>>;
  /** Oldest first; at most 200. */
  pendingApprovals(): Promise<ApprovalRow[]>;

  /** Most recently received first. */
  alertGroups(args: AlertGroupPageArgs): Promise<Page<AlertGroupRow>>;
  /** Firing alerts first, then oldest first. */
  alertsOfGroup(groupId: string, args: PageArgs): Promise<Page<AlertRow>>;
  /** Newest first. */
  intakeDecisions(args: DecisionPageArgs): Promise<Page<IntakeDecisionRow>>;
  /** Newest first; without `includeEnded` only current and future silences. */
  silences(args: SilencePageArgs): Promise<Page<SilenceRow>>;
  sourceCounts(): Promise<SourceCounts[]>;

  /** Valid tokens first, each group newest first. */
  apiTokens(): Promise<TokenView[]>;
  /** Newest first. */
  auditEvents(args: AuditPageArgs): Promise<Page<AuditEventRow>>;
  /** Oldest first. */
  systemWarnings(): Promise<SystemWarningRow[]>;
}
