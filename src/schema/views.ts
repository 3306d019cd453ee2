import type { ReplayResult } from '../cases/checks.ts';
import type {
  AlertGroupRow,
  AlertRow,
  LlmInteractionRow,
  McpInteractionRow,
  McpServerHealthRow,
  ReportRow,
  StoredAgreement,
  StoredClaim,
} from '../db/entities/index.ts';
import type {
  ConclusionReason,
  SessionStatus,
  StageType,
  TimelineEventStatus,
  TimelineEventType,
  Verdict,
} from '../db/enums.ts';
import type { WaitReason } from '../db/wait-reason.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';

/** One page of a list. Each function needs a query of its own, so it is called only if the client selects its field. */
export interface Page<Row> {
  edges(): Promise<{ cursor: string; node: Row }[]>;
  hasNextPage(): Promise<boolean>;
  hasPreviousPage(): Promise<boolean>;
  totalCount(): Promise<number>;
}

export interface AlertTypeInfo {
  name: string;
  chainId: string;
  isDefault: boolean;
  description: string;
  /** Expected stages, including synthesis stages, as `Stage.index` counts them. */
  stages: readonly { name: string; type: StageType; agents: readonly string[] }[];
}

/** The model of sessions whose chain names no other. */
export interface SystemModelView {
  provider: string;
  model: string;
  /** Why this provider is the default one. */
  reason: string;
  usesRules: boolean;
}

export interface McpDirectory {
  /** All servers in configuration order. Servers that are not monitored are never checked. */
  servers: readonly { id: string; monitored: boolean }[];
  /** Returns the default servers of an alert type (`null` = the default type); `null` for an unknown type. */
  defaults(alertType: string | null): readonly string[] | null;
  /** Returns the ids of the servers that the sender of such an alert may choose; `null` for an unknown type. */
  selectable(alertType: string | null): readonly string[] | null;
}

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
  earlyConclusions: readonly { agentName: string; reason: ConclusionReason }[];
}

export type McpServerHead = Pick<McpServerHealthRow, 'id' | 'healthy' | 'lastCheckedAt' | 'error'>;

/** Interactions without their large columns, which are read only if a client selects them. */
export type LlmInteractionHead = Omit<LlmInteractionRow, 'request' | 'response' | 'thinking'>;
export type LlmInteractionBody = Pick<LlmInteractionRow, 'id' | 'request' | 'response' | 'thinking'>;
export type McpInteractionHead = Omit<McpInteractionRow, 'arguments' | 'result' | 'availableTools'>;
export type McpInteractionBody = Pick<McpInteractionRow, 'id' | 'arguments' | 'result' | 'availableTools'>;

export interface SessionFilterOptions {
  alertTypes: string[];
  chainIds: string[];
  authors: string[];
  statuses: SessionStatus[];
  teams: string[];
}

export interface SessionCountsView {
  values: { value: string; count: number }[];
  counted: number;
  /** False if the count reached its limit, so that more sessions may match. */
  whole: boolean;
}

export interface SimilarSession {
  sessionId: string;
  /** 0–1. */
  similarity: number;
  reason: string;
}

export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  totalTokens: number;
  cachedReadTokens: number;
  cacheWriteTokens: number;
}

/** Cost of model calls: USD of the priced calls, and the number of calls without a price. */
export const REPLAY_STATUS_MEANINGS = {
  PENDING: 'The session waits.',
  RUNNING: 'The session runs.',
  COMPLETED: 'Ended with an analysis.',
  FAILED: 'Ended without an analysis, or out of time.',
  CANCELLED: 'Cancelled by a user or token.',
} as const;
export type ReplayStatus = keyof typeof REPLAY_STATUS_MEANINGS;

export interface ReplayResultView extends ReplayResult {
  status: ReplayStatus;
  unrecordedCalls: number;
  costUsd: number | null;
  agreement: StoredAgreement | null;
}

export interface CostValue {
  usd: number;
  unpricedCalls: number;
}

export interface UsageFigures extends TokenCounts, CostValue {
  key: string;
  sessions: number;
  calls: number;
}

/** Why something waits. `until`: the latest end of the wait; `null` if only an event ends it. */
export interface WaitingView {
  reason: WaitReason;
  message: string;
  since: Date;
  until: Date | null;
}

/** Sessions and alert groups that wait for one cause. */
export interface WaitingWorkView {
  reason: WaitReason;
  message: string;
  sessions: number;
  alertGroups: number;
  since: Date;
}

/** Current state of a budget. A limit of `null` does not apply. */
export interface BudgetStateView {
  name: string;
  scope: string;
  limitUsd: number | null;
  limitTokens: number | null;
  usedUsd: number;
  usedTokens: number;
  periodEndsAt: Date | null;
  degradation: string | null;
}

export interface FiringAlertView
  extends Pick<AlertRow, 'groupId' | 'labels' | 'severity' | 'title'>,
    Pick<AlertGroupRow, 'source' | 'alertType'> {}

/** Numbers of a source's deliveries within the last 7 days. */
export interface SourceCounts {
  source: string;
  lastReceivedAt: Date | null;
  received: number;
  rejected: number;
}

export interface TrackRecord {
  reviewed: number;
  accurate: number;
  partiallyAccurate: number;
  inaccurate: number;
  /** Mean squared difference between confidence and outcome; `null` if there are too few reviews. */
  brierScore: number | null;
  reliability: readonly ReliabilityBucket[];
}

export interface ReliabilityBucket {
  from: number;
  to: number;
  reviewed: number;
  confidence: number;
  accuracy: number;
}

export interface AlertTypeRecord {
  alertType: string;
  chainId: string;
  record: TrackRecord;
}

/** A report without its claims, which are read only if a client selects them. */
export type ReportHead = Omit<ReportRow, 'claims'>;

export interface ReportView extends ReportHead {
  session: Pick<SessionSnapshot, 'alertType' | 'chainId'>;
}

export interface ClaimView extends StoredClaim {
  sessionId: string;
  /** Owner of the report: id of the session, or of the stage that answers a question. */
  owner: string;
  /** Position among the claims, from 1. */
  place: number;
}

export const claimViews = (
  claims: readonly StoredClaim[],
  of: Pick<ClaimView, 'sessionId' | 'owner'>,
): ClaimView[] => claims.map((claim, index) => ({ ...claim, ...of, place: index + 1 }));

export const recordKey = (...of: [alertType: string, chainId: string, verdict: Verdict]): string =>
  JSON.stringify(of);

export const eventKey = (sessionId: string, sequenceNumber: number): string =>
  `${sessionId}:${sequenceNumber}`;

/** A viewer of a session who is present, or a person who acted on it. */
export interface ParticipantView {
  name: string;
  /** Role of a present viewer; of others what they did, in words. */
  role: string;
  since: Date;
  present: boolean;
}

/** The current stage of a session with one of its running agents and the last event of that agent. */
export interface AgentNow {
  stage: string;
  /** `null` if no agent of the stage runs. */
  agent: string | null;
  type: TimelineEventType | null;
  status: TimelineEventStatus | null;
  /** Server and tool of a tool call. */
  tool: string | null;
}

/** A change of a session. */
export interface ChangeView {
  at: Date;
  text: string;
  /** Id of the timeline event; `null` for hypotheses and reports. */
  eventId: string | null;
}
