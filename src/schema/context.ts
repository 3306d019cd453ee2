import type DataLoader from 'dataloader';
import type { Tokens, TokenView } from '../access/tokens.ts';
import type { Viewer } from '../access/viewer.ts';
import type { BudgetConfig, Named } from '../config/types.ts';
import type * as db from '../db/entities/index.ts';
import type { Engine, SessionSnapshot } from '../engine/api/engine.ts';
import type { ExportSource } from '../engine/features/export/source.ts';
import type { Intake } from '../intake/index.ts';
import type * as args from './args.ts';
import type * as views from './views.ts';

/** Everything a resolver may use. Created for each operation; a subscription keeps its context while it is open. */
export interface Context {
  answer: AnswerAccount;
  engine: Engine;
  intake: Intake | null;
  reads: Reads;
  loaders: Loaders;
  alertTypes: readonly views.AlertTypeInfo[];
  viewer: Viewer;
  mcpServers: views.McpDirectory;
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
  healthOfSession: DataLoader<string, views.InvestigationHealth>;
  similarSessions: Many<views.SimilarSession>;
  reviewActivityOfSession: Many<db.ReviewActivityRow>;
  stagesOfSession: Many<db.StageRow>;
  timelineOfSession(filter: args.TimelineFilter): Many<db.TimelineEventRow>;
  /** Interactions that belong to no execution. */
  sessionLlmInteractions: Many<views.LlmInteractionHead>;

  stage: One<db.StageRow>;
  agentExecution: One<db.AgentExecutionRow>;
  timelineEvent: One<db.TimelineEventRow>;
  message: One<db.MessageRow>;
  executionsOfStage: Many<db.AgentExecutionRow>;
  timelineOfExecution: Many<db.TimelineEventRow>;
  messagesOfExecution: Many<db.MessageRow>;

  llmInteraction: One<views.LlmInteractionHead>;
  llmInteractionBody: One<views.LlmInteractionBody>;
  llmOfExecution: Many<views.LlmInteractionHead>;
  mcpInteraction: One<views.McpInteractionHead>;
  mcpInteractionBody: One<views.McpInteractionBody>;
  mcpOfExecution: Many<views.McpInteractionHead>;
  mcpServer: One<views.McpServerHead>;
  mcpServerTools: One<db.McpToolValue[]>;

  costOfSession: DataLoader<string, views.CostValue>;
  costOfStage: DataLoader<string, views.CostValue>;
  costOfExecution: DataLoader<string, views.CostValue>;

  chat: One<db.ChatRow>;
  chatOfSession: One<db.ChatRow>;
  chatMessage: One<db.ChatUserMessageRow>;
  messagesOfChat: Many<db.ChatUserMessageRow>;
  stageOfChatMessage: One<db.StageRow>;

  reportOfSession: One<views.ReportHead>;
  claimsOfReport: One<Pick<db.ReportRow, 'sessionId' | 'claims'>>;
  /** By the id of the stage that answers a question. */
  reportOfAnswer: One<db.AnswerReportRow>;
  /** By `recordKey`. */
  trackRecord: DataLoader<string, views.TrackRecord>;
  /** The tool call with a sequence number in a session's timeline, by `eventKey`. */
  citedEvent: One<db.TimelineEventRow>;
  /** The complete result of a tool call, by its timeline event. */
  wholeOutput: One<string>;

  score: One<db.ScoreRow>;
  latestScore: One<db.ScoreRow>;
  scoresOfSession: Many<db.ScoreRow>;

  memory: One<db.MemoryRow>;
  sessionsWithMemory: Many<SessionSnapshot>;

  approval: One<db.ApprovalRow>;
  approvalsOfSession: Many<db.ApprovalRow>;
  decisionsOfApproval: Many<db.ApprovalDecisionRow>;

  alert: One<db.AlertRow>;
  alertGroup: One<db.AlertGroupRow>;
  sessionsOfGroup: Many<SessionSnapshot>;
  intakeDecision: One<db.IntakeDecisionRow>;
  /** First page of a group's decisions. @throws BAD_USER_INPUT for an invalid page size */
  decisionsOfGroup(first: number | null): {
    load(groupId: string): Promise<views.Page<db.IntakeDecisionRow>>;
  };
  silence: One<db.SilenceRow>;

  apiToken: One<TokenView>;
  auditEvent: One<db.AuditEventRow>;
}

/** Reads that are not look-ups by key. Invalid limits, cursors and filters throw BAD_USER_INPUT. */
export interface Reads {
  sessions(args: args.SessionPageArgs): Promise<views.Page<SessionSnapshot>>;
  activeSessions(): Promise<{ active: SessionSnapshot[]; queued: SessionSnapshot[] }>;
  filterOptions(): Promise<views.SessionFilterOptions>;
  sessionCounts(args: args.SessionCountsArgs): Promise<views.SessionCountsView>;
  /** Returns the sequence number of the newest event, 0 if there is none, or `null` if there is no such session. */
  lastEventSeq(sessionId: string): Promise<number | null>;
  /** @param session a session that the viewer may see */
  sessionExport(session: SessionSnapshot): Promise<ExportSource>;

  trackRecord(filter: args.RecordFilter): Promise<views.TrackRecord>;
  trackRecords(since: Date | null): Promise<views.AlertTypeRecord[]>;

  budgets(configured: Named<BudgetConfig>): Promise<views.BudgetStateView[]>;
  usage(args: args.UsageArgs): Promise<{ total: views.UsageFigures; rows: views.UsageFigures[] }>;
  mostExpensiveSessions(args: args.UsageArgs): Promise<SessionSnapshot[]>;

  memories(args: args.MemoryPageArgs): Promise<views.Page<db.MemoryRow>>;
  pendingApprovals(): Promise<db.ApprovalRow[]>;

  alertGroups(args: args.AlertGroupPageArgs): Promise<views.Page<db.AlertGroupRow>>;
  alertsOfGroup(groupId: string, args: args.PageArgs): Promise<views.Page<db.AlertRow>>;
  intakeDecisions(args: args.DecisionPageArgs): Promise<views.Page<db.IntakeDecisionRow>>;
  silences(args: args.SilencePageArgs): Promise<views.Page<db.SilenceRow>>;
  sourceCounts(): Promise<views.SourceCounts[]>;

  apiTokens(): Promise<TokenView[]>;
  auditEvents(args: args.AuditPageArgs): Promise<views.Page<db.AuditEventRow>>;
  systemWarnings(): Promise<db.SystemWarningRow[]>;
}

/** Accounts for the bytes read for one response and written to it. Every producer of a part calls it first. */
export interface AnswerAccount {
  /** Reason to stop: too large, too slow, or the client is gone. `null` while the response may continue. */
  readonly error: Error | null;
  /** Counts bytes added to the response. Returns a promise to await first, if any. @throws ANSWER_TOO_LARGE or `error` */
  write(bytes: number): Promise<void> | undefined;
  /** Like `write`, for memory that is needed to build the response. No limit applies to it alone. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Counts bytes read. On `false`, call `giveBack`, await `enlarge` and read again. @throws like `write` */
  read(bytes: number): boolean;
  /** Discounts bytes that were read but not kept. */
  giveBack(bytes: number): void;
  /** Waits until this may be one of the few large responses. @throws BUSY if they take too long */
  enlarge(): Promise<void>;
}
