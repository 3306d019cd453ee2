import type DataLoader from 'dataloader';
import type { Tokens } from '../access/tokens.ts';
import type { Viewer } from '../access/viewer.ts';
import type { BudgetConfig, Named } from '../config/types.ts';
import type {
  AgentExecutionRow,
  AlertGroupRow,
  AlertRow,
  ChatRow,
  ChatUserMessageRow,
  IntakeDecisionRow,
  LlmInteractionRow,
  McpInteractionRow,
  McpServerHealthRow,
  McpToolValue,
  MessageRow,
  ReviewActivityRow,
  SilenceRow,
  StageRow,
  SystemWarningRow,
  TimelineEventRow,
} from '../db/entities/index.ts';
import type {
  QualityRating,
  ReviewStatus,
  SessionStatus,
  Severity,
  TimelineEventType,
  Verdict,
} from '../db/enums.ts';
import type { Engine, SessionSnapshot } from '../engine/engine.ts';
import type { ExportSource } from '../engine/export/source.ts';
import type { Intake } from '../intake/index.ts';
import type { AccessLoaders, AccessReads } from './access-context.ts';
import type { AnswerAccount } from './answer.ts';
import type { ApprovalLoaders, ApprovalReads } from './approval-context.ts';
import type { OrderDirection, SessionFacet, SessionOrderField } from './args.ts';
import type { IntakeReads } from './intake-context.ts';
import type { MemoryLoaders, MemoryReads } from './memory-context.ts';
import type { ReportLoaders, ReportReads } from './report-context.ts';
import type { ScoreLoaders } from './score-context.ts';
import type { CostLoaders, UsageReads } from './usage-context.ts';

/** What a resolver may use. Made for each operation; a subscription keeps its own for as long as it lives. */
export interface Context {
  /** Of the answer that is being made. */
  answer: AnswerAccount;
  engine: Engine;
  /** Null where no deliveries are taken. */
  intake: Intake | null;
  reads: Reads;
  loaders: Loaders;
  alertTypes: readonly AlertTypeInfo[];
  /** Who sends the request. What they may do is decided by this alone. */
  viewer: Viewer;
  mcpServers: McpDirectory;
  /** Of programs. */
  tokens: Tokens;
  /** What TARSy was started with, without anything secret: docs/api.md says its form. */
  configuration: () => Promise<object>;
  /** Those of the configuration. */
  budgets: Named<BudgetConfig>;
  /** Base of the dashboard's address, without a slash at its end. */
  dashboardUrl: string;
  /** Those of the configuration, by name; null = it has none. */
  teams: readonly string[] | null;
  /** Cursor that a reconnecting SSE client brings in `Last-Event-ID`. */
  lastEventId: string | null;
}

/** An alert type that the configuration maps to a chain. */
export interface AlertTypeInfo {
  name: string;
  chainId: string;
  isDefault: boolean;
  /** Of the chain. */
  description: string;
  /** As `Stage.index` counts them: synthesis stages too. */
  stageCount: number;
}

/** The MCP servers of the configuration. */
export interface McpDirectory {
  /** In the order of the configuration; those that are not monitored are never checked. */
  servers: readonly { id: string; monitored: boolean }[];
  /** Ids of the servers that an alert of this type uses when it chooses none; null type = the default one. Null = unknown. */
  defaults(alertType: string | null): readonly string[] | null;
  /** … and that it may choose from. */
  selectable(alertType: string | null): readonly string[] | null;
}

/** What kept an investigation from being whole. */
export interface InvestigationHealth {
  whole: boolean;
  toolCalls: number;
  failedToolCalls: number;
  missingServers: readonly { name: string; reason: string }[];
  withheldTools: number;
  runbookProblem: string | null;
  reportProblem: string | null;
  resumed: number;
  shortenedOutputs: number;
  fallbacks: number;
}

/** What the last check of a server found; its tools are read only when asked for. */
export type McpServerHead = Pick<McpServerHealthRow, 'id' | 'healthy' | 'lastCheckedAt' | 'error'>;

/** Interactions without their large parts, which are read only when asked for. */
export type LlmInteractionHead = Omit<LlmInteractionRow, 'request' | 'response' | 'thinking'>;
export type LlmInteractionBody = Pick<LlmInteractionRow, 'id' | 'request' | 'response' | 'thinking'>;
export type McpInteractionHead = Omit<McpInteractionRow, 'arguments' | 'result' | 'availableTools'>;
export type McpInteractionBody = Pick<McpInteractionRow, 'id' | 'arguments' | 'result' | 'availableTools'>;

type One<T> = DataLoader<string, T | null>;
type Many<T> = DataLoader<string, T[]>;

/** Batched reads of single rows by key, and of rows by the key of what they belong to, in their order. */
export interface Loaders
  extends AccessLoaders,
    ApprovalLoaders,
    CostLoaders,
    MemoryLoaders,
    ReportLoaders,
    ScoreLoaders {
  session: One<SessionSnapshot>;
  alertData: One<string>;
  alertPreview: One<string>;
  queuePosition: One<number>;
  stage: One<StageRow>;
  execution: One<AgentExecutionRow>;
  timelineEvent: One<TimelineEventRow>;
  message: One<MessageRow>;
  llmInteraction: One<LlmInteractionHead>;
  llmInteractionBody: One<LlmInteractionBody>;
  mcpInteraction: One<McpInteractionHead>;
  mcpInteractionBody: One<McpInteractionBody>;
  chat: One<ChatRow>;
  chatMessage: One<ChatUserMessageRow>;
  mcpServer: One<McpServerHead>;
  mcpServerTools: One<McpToolValue[]>;
  alert: One<AlertRow>;
  alertGroup: One<AlertGroupRow>;
  intakeDecision: One<IntakeDecisionRow>;
  silence: One<SilenceRow>;

  /** Newest first; at most 100. */
  sessionsOfGroup: Many<SessionSnapshot>;
  /** The first page of a group's decisions. @throws a BAD_USER_INPUT error */
  decisionsOfGroup(first: number | null): { load(groupId: string): Promise<Page<IntakeDecisionRow>> };
  healthOfSession: DataLoader<string, InvestigationHealth>;
  reviewActivityOfSession: Many<ReviewActivityRow>;
  stagesOfSession: Many<StageRow>;
  timelineOfSession(filter: TimelineFilter): Many<TimelineEventRow>;
  sessionLlmInteractions: Many<LlmInteractionHead>;
  chatOfSession: One<ChatRow>;
  executionsOfStage: Many<AgentExecutionRow>;
  timelineOfExecution: Many<TimelineEventRow>;
  messagesOfExecution: Many<MessageRow>;
  llmOfExecution: Many<LlmInteractionHead>;
  mcpOfExecution: Many<McpInteractionHead>;
  messagesOfChat: Many<ChatUserMessageRow>;
  stageOfChatMessage: One<StageRow>;
}

export interface TimelineFilter {
  afterSequence: number;
  types: readonly TimelineEventType[] | null;
}

/** Reads that are no look-up by key. */
export interface Reads extends IntakeReads, AccessReads, ApprovalReads, MemoryReads, ReportReads, UsageReads {
  /** @throws a BAD_USER_INPUT error for limits, cursors and filters that make no sense */
  sessions(args: SessionPageArgs): Promise<SessionPage>;
  /** @param session that who asks may see */
  sessionExport(session: SessionSnapshot): Promise<ExportSource>;
  activeSessions(): Promise<{ active: SessionSnapshot[]; queued: SessionSnapshot[] }>;
  filterOptions(): Promise<SessionFilterOptions>;
  /** @throws a BAD_USER_INPUT error for a filter that makes no sense */
  sessionCounts(args: SessionCountsArgs): Promise<SessionCountsView>;
  /** Oldest first. */
  systemWarnings(): Promise<SystemWarningRow[]>;
  /** Number of the session's newest event, 0 when it has none; null when there is no such session. */
  lastEventSeq(sessionId: string): Promise<number | null>;
}

export interface SessionFilterValue {
  status?: readonly SessionStatus[] | null | undefined;
  alertType?: readonly string[] | null | undefined;
  chainId?: readonly string[] | null | undefined;
  author?: readonly string[] | null | undefined;
  reviewStatus?: readonly ReviewStatus[] | null | undefined;
  verdict?: readonly Verdict[] | null | undefined;
  rating?: readonly QualityRating[] | null | undefined;
  assignee?: readonly string[] | null | undefined;
  severity?: readonly Severity[] | null | undefined;
  /** Global id or UUID. */
  groupId?: string | null | undefined;
  source?: readonly string[] | null | undefined;
  team?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
}

export interface SessionPageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: SessionFilterValue | null | undefined;
  orderBy?: { field: SessionOrderField; direction: OrderDirection } | null | undefined;
}

/** One page; what costs another query is asked only when the client asks for it. */
export interface Page<Row> {
  edges: { cursor: string; node: Row }[];
  hasNextPage(): Promise<boolean>;
  hasPreviousPage(): Promise<boolean>;
  totalCount(): Promise<number>;
}
export type SessionPage = Page<SessionSnapshot>;

export interface SessionFilterOptions {
  alertTypes: string[];
  chainIds: string[];
  authors: string[];
  statuses: SessionStatus[];
  teams: string[];
}

export interface SessionCountsArgs {
  by: SessionFacet;
  filter?: SessionFilterValue | null | undefined;
}

/** How many sessions have each value, of those that were counted. */
export interface SessionCountsView {
  values: { value: string; count: number }[];
  counted: number;
  /** False when there are more. */
  whole: boolean;
}
