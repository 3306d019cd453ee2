import type DataLoader from 'dataloader';
import type { SavedViews } from '../access/saved-views.ts';
import type { Tokens, TokenView } from '../access/tokens.ts';
import type { Viewer } from '../access/viewer.ts';
import type { BudgetConfig, Named } from '../config/types.ts';
import type * as db from '../db/entities/index.ts';
import type { Engine, SessionSnapshot } from '../engine/api/engine.ts';
import type { ExportSource } from '../engine/features/export/source.ts';
import type { Intake } from '../intake/index.ts';
import type { Schedules } from '../schedules/index.ts';
import type * as args from './args.ts';
import type { Presence } from './presence.ts';
import type * as views from './views.ts';

/**
 * Everything that a resolver may use. Each operation gets its own; a subscription keeps its context while it is open.
 */
export interface Context {
  answer: AnswerAccount;
  engine: Engine;
  intake: Intake | null;
  reads: Reads;
  loaders: Loaders;
  alertTypes: readonly views.AlertTypeInfo[];
  /** Names of the configured labels. */
  labels: string[];
  model: views.SystemModelView;
  viewer: Viewer;
  mcpServers: views.McpDirectory;
  tokens: Tokens;
  savedViews: SavedViews;
  schedules: Schedules;
  /** Returns the configuration of the running processes without secrets; docs/reference/api.md describes the format. */
  configuration: () => Promise<object>;
  budgets: Named<BudgetConfig>;
  dashboardUrl: string;
  /** Names of the configured teams; `null` if no teams are configured. */
  teams: readonly string[] | null;
  /** Viewers who follow sessions through this process. */
  presence: Presence;
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
  waitingOfSession: One<views.WaitingView>;
  healthOfSession: DataLoader<string, views.InvestigationHealth>;
  similarSessions: Many<views.SimilarSession>;
  reviewActivityOfSession: Many<db.ReviewActivityRow>;
  stagesOfSession: Many<db.StageRow>;
  timelineOfSession(filter: args.TimelineFilter): Many<db.TimelineEventRow>;
  /** LLM interactions that belong to no execution. */
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

  /** Hint of a responder, which is an event of the timeline. */
  hint: One<db.TimelineEventRow>;
  hintsOfSession: Many<db.TimelineEventRow>;
  /** When the agents that a hint is for have read it; `null` until then. Key: id of the hint. */
  hintDelivery: DataLoader<string, Date | null>;

  /** People who acted on a session, the earliest first. */
  participantsOfSession: Many<views.ParticipantView>;
  agentsNowOfSession: Many<views.AgentNow>;
  changesOfSession(since: Date | null): Many<views.ChangeView>;

  chat: One<db.ChatRow>;
  chatOfSession: One<db.ChatRow>;
  chatMessage: One<db.ChatUserMessageRow>;
  messagesOfChat: Many<db.ChatUserMessageRow>;
  stageOfChatMessage: One<db.StageRow>;

  reportOfSession: One<views.ReportHead>;
  claimsOfReport: One<Pick<db.ReportRow, 'sessionId' | 'claims'>>;
  hypothesesOfSession: Many<db.HypothesisRow>;
  /** Report of an answer. Key: id of the stage that answers the question. */
  reportOfAnswer: One<db.AnswerReportRow>;
  /** Accuracy of earlier investigations. Key: `recordKey`. */
  trackRecord: DataLoader<string, views.TrackRecord>;
  /** Tool call with a sequence number in a session's timeline. Key: `eventKey`. */
  citedEvent: One<db.TimelineEventRow>;
  /** Complete result of a tool call. Key: id of its timeline event. */
  wholeOutput: One<string>;

  score: One<db.ScoreRow>;
  latestScore: One<db.ScoreRow>;
  scoresOfSession: Many<db.ScoreRow>;

  memory: One<db.MemoryRow>;
  sessionsWithMemory: Many<SessionSnapshot>;

  case: One<db.CaseRow>;
  caseDocument: One<string>;
  replay: One<db.ReplayRow>;
  replayOfSession: One<db.ReplayRow>;
  replayResult: DataLoader<string, views.ReplayResultView>;

  approval: One<db.ApprovalRow>;
  approvalsOfSession: Many<db.ApprovalRow>;
  decisionsOfApproval: Many<db.ApprovalDecisionRow>;
  /** Tool call that an approval permitted, once it began. Key: id of the approval. */
  callOfApproval: One<db.TimelineEventRow>;

  alert: One<db.AlertRow>;
  alertGroup: One<db.AlertGroupRow>;
  sessionsOfGroup: Many<SessionSnapshot>;
  intakeDecision: One<db.IntakeDecisionRow>;
  /** First page of a group's decisions. @throws BAD_USER_INPUT for an invalid page size */
  decisionsOfGroup(first: number | null): {
    load(groupId: string): Promise<views.Page<db.IntakeDecisionRow>>;
  };
  silence: One<db.SilenceRow>;
  /** Visible silences in effect now, the latest end first, under the key `now`. */
  activeSilences: { load(key: 'now'): Promise<db.SilenceRow[]> };
  firingOfGroup: Many<Pick<db.AlertRow, 'labels' | 'severity' | 'title'>>;
  /** When the first alert of the group in the group's state began, or its `openedAt` if that is earlier; `null` without the group. */
  startOfGroup: { load(groupId: string): Promise<Date | null> };
  /** Number of episodes of the group's key that began within the day before the group's last delivery. */
  episodesOfGroup: { load(groupId: string): Promise<number> };

  notificationDelivery: One<db.NotificationDeliveryRow>;

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

  cases(args: args.CasePageArgs): Promise<views.Page<db.CaseRow>>;
  replays(caseId: string, args: args.PageArgs): Promise<views.Page<db.ReplayRow>>;

  memories(args: args.MemoryPageArgs): Promise<views.Page<db.MemoryRow>>;
  pendingApprovals(): Promise<db.ApprovalRow[]>;

  alertGroups(args: args.AlertGroupPageArgs): Promise<views.Page<db.AlertGroupRow>>;
  alertsOfGroup(groupId: string, args: args.PageArgs): Promise<views.Page<db.AlertRow>>;
  intakeDecisions(args: args.DecisionPageArgs): Promise<views.Page<db.IntakeDecisionRow>>;
  /** Firing alerts of visible groups, worst first, and at most `limit`. */
  firingAlerts(limit: number): Promise<views.FiringAlertView[]>;
  silences(args: args.SilencePageArgs): Promise<views.Page<db.SilenceRow>>;
  sourceCounts(): Promise<views.SourceCounts[]>;

  notificationDeliveries(args: args.DeliveryPageArgs): Promise<views.Page<db.NotificationDeliveryRow>>;

  apiTokens(): Promise<TokenView[]>;
  auditEvents(args: args.AuditPageArgs): Promise<views.Page<db.AuditEventRow>>;
  waitingWork(): Promise<views.WaitingWorkView[]>;
  systemWarnings(): Promise<db.SystemWarningRow[]>;
}

/** Account of the bytes that one response reads and contains. Code that adds to the response counts here first. */
export interface AnswerAccount {
  /** Reason to stop: too large, too slow, or the client is gone. `null` while the response may continue. */
  readonly error: Error | null;
  /** Counts bytes before they join the response. Await a returned promise first. @throws ANSWER_TOO_LARGE or `error` */
  write(bytes: number): Promise<void> | undefined;
  /** Like `write`, for memory that building the response needs. ANSWER_TOO_LARGE does not apply to this memory. */
  reserve(bytes: number): Promise<void> | undefined;
  /**
   * Counts bytes read. If the result is false, call `giveBack`, await `enlarge` and read again. @throws like `write`
   */
  read(bytes: number): boolean;
  /** Subtracts bytes that were read but not kept. */
  giveBack(bytes: number): void;
  /** Waits for a turn as one of the few large responses. @throws BUSY if the wait takes too long */
  enlarge(): Promise<void>;
}
