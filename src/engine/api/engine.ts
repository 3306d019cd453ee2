import type { Viewer } from '../../access/viewer.ts';
import type { Actor } from '../../audit.ts';
import type { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type {
  AgentExecutionRow,
  AlertSessionRow,
  ApprovalRow,
  ChatRow,
  ChatUserMessageRow,
  McpSelectionValue,
  MemoryRow,
  ScoreRow,
  StageRow,
  TimelineEventRow,
} from '../../db/entities/index.ts';
import type { MemoryCategory, QualityRating, ReviewAction, Severity } from '../../db/enums.ts';
import type { ListedRunbook } from '../../runbooks/github-tree.ts';

/** An operator's instructions for one kind of work. */
export interface SkillInfo {
  name: string;
  /** When to use it. */
  description: string;
  body: string;
  /** The agents that always receive it. */
  requiredBy: readonly string[];
}

/** The short form of an alert, for lists. */
export interface Headline {
  /** One line of at most 200 characters; never JSON, never empty. */
  title: string;
  /** UNKNOWN if the alert has none. */
  severity: Severity;
  /** The affected things, such as `Deployment payments/api` or `host db-03`. */
  entities: string[];
}

/** The unchecked input of an alert's sender. */
export interface SubmitAlertInput {
  data: string;
  alertType?: string | null;
  runbookUrl?: string | null;
  mcp?: McpSelectionValue | null;
  slackMessageFingerprint?: string | null;
  /** The owning team; default: that of its chain. */
  team?: string | null;
}

/** A review action on an investigation. `null` leaves a value unchanged. */
export interface ReviewChange {
  action: ReviewAction;
  rating: QualityRating | null;
  actionTaken: string | null;
  feedback: string | null;
}

/** A change of a memory. `null` leaves a value unchanged. */
export interface MemoryChange {
  content: string | null;
  category: MemoryCategory | null;
  deprecated: boolean | null;
}

/** A decision on a tool call. */
export interface ApprovalDecisionInput {
  /** The hash of the arguments that the approver saw. */
  argumentsHash: string;
  approve: boolean;
  comment: string | null;
}

/** The reason why a review action was refused. */
export type ReviewRefusal = ValidationError | NotFoundError | ConflictError;

/** The session of an accepted alert. */
export interface SubmittedAlert extends AlertSessionRow {
  /** Changes made to the alert to accept it, one sentence each, for its sender. */
  readonly notes: readonly string[];
}

/** A session's row without its alert text, as in lists and events. */
export type SessionSnapshot = Omit<AlertSessionRow, 'alertData'>;

/** A persisted event of a session. `seq`: its number in the log, from 1. `row`: the row at that time. */
export type LoggedEvent = { kind: 'event'; sessionId: string; seq: number; at: Date } & (
  | { type: 'SessionStatusChanged'; row: SessionSnapshot }
  | { type: 'StageStatusChanged'; row: StageRow }
  | { type: 'ExecutionStatusChanged'; row: AgentExecutionRow }
  | { type: 'TimelineEventCreated' | 'TimelineEventCompleted'; row: TimelineEventRow }
  | { type: 'ChatCreated'; row: ChatRow }
  | { type: 'ChatMessageAdded'; row: ChatUserMessageRow }
);

/** A piece of the text of a streaming timeline event. `offset` is in UTF-16 code units. */
export interface StreamChunk {
  kind: 'chunk';
  sessionId: string;
  timelineEventId: string;
  offset: number;
  delta: string;
  at: Date;
}

/** Marks the end of the replay, which reached `seq`. Later items are live. */
export interface CaughtUp {
  kind: 'caughtUp';
  sessionId: string;
  seq: number;
  at: Date;
}

export type SessionStreamItem = LoggedEvent | StreamChunk | CaughtUp;

/** Receives each live item with its position, which rises by one per item. */
export type LiveListener<T> = (item: T, position: number) => void;

/**
 * A stream whose live items are the same for all subscribers, so that results and their JSON are computed once for all.
 * To receive everything, a subscriber (1) listens and buffers, (2) reads the replay, which returns a position, (3) drops
 * buffered items up to that position, (4) continues with the live items.
 */
export interface SharedStream<T> {
  /** Streams of this process with the same topic have the same live items. */
  readonly topic: string;
  /** Subscribes to live items from now on. Returns a function that unsubscribes. */
  listen(listener: LiveListener<T>): () => void;
  /** Yields the earlier items, for this subscriber only. Returns the position after which the live items follow. */
  replay(signal: AbortSignal): AsyncGenerator<T, number, void>;
}

/** The operations of the engine for the API. */
export interface Engine {
  /**
   * Checks, masks and stores an alert and queues its investigation, in one transaction. Characters that cannot be stored
   * (NUL and lone surrogates) become U+FFFD.
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError
   */
  submitAlert(input: SubmitAlertInput, by: Actor): Promise<SubmittedAlert>;

  /**
   * Cancels a pending or running session, or else its running chat answer or score. Returns the session afterwards.
   * @param options.answerOnly true to cancel only a running answer
   * @throws NotFoundError, ConflictError (already finished), ForbiddenError
   */
  cancelSession(sessionId: string, by: Actor, options: { answerOnly: boolean }): Promise<AlertSessionRow>;

  /**
   * Adds a question about an ended investigation and queues its answer.
   * @throws ValidationError, NotFoundError, ConflictError (not ended, cancelled, chat disabled, another answer running),
   *   ShuttingDownError
   */
  sendChatMessage(
    sessionId: string,
    content: string,
    by: Actor,
  ): Promise<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>;

  /**
   * Applies one review action to several sessions, where their states allow it.
   * @returns per id, in order, the session afterwards or the reason of the refusal
   */
  reviewSessions(
    sessionIds: readonly string[],
    change: ReviewChange,
    by: Actor,
  ): Promise<(SessionSnapshot | ReviewRefusal)[]>;

  /**
   * Requests a score of an ended investigation. Earlier scores are kept.
   * @throws NotFoundError, ConflictError (not ended, nothing to score, being scored), ShuttingDownError
   */
  scoreSession(sessionId: string, by: Actor): Promise<ScoreRow>;

  /**
   * Changes a memory. Once a user has set `deprecated`, reviews no longer change it.
   * @throws ValidationError, NotFoundError
   */
  updateMemory(id: string, change: MemoryChange, by: Actor): Promise<MemoryRow>;

  /** Deletes a memory. @throws NotFoundError */
  deleteMemory(id: string, by: Actor): Promise<void>;

  /**
   * Approves or denies a call with exactly the arguments that the approver saw.
   * @throws ValidationError, NotFoundError, ConflictError (already decided), ForbiddenError
   */
  decideApproval(id: string, choice: ApprovalDecisionInput, by: Viewer): Promise<ApprovalRow>;

  /** Returns true if the viewer may decide on such a call. */
  mayApprove(call: Pick<ApprovalRow, 'server' | 'tool'>, viewer: Viewer): boolean;

  /** Returns the arguments of a call: complete for viewers who may decide on it, masked for others. */
  approvalArguments(call: ApprovalRow, viewer: Viewer): unknown;

  /** Streams every approval that is requested or decided, or whose call is made. */
  subscribeApprovals(): SharedStream<ApprovalRow & { team: string | null }>;

  /** Returns why a session accepts no questions, apart from a running answer; `null` if it does. */
  chatRefusal(session: SessionSnapshot): ConflictError | null;

  /** Returns the operator's skills, ordered by name. */
  listSkills(): Promise<SkillInfo[]>;

  /** Returns the runbooks of the configured folder; empty if none is configured or it cannot be read. */
  listRunbooks(): Promise<readonly ListedRunbook[]>;

  /**
   * Streams every persisted event after `afterSeq` (0: all), one `caughtUp`, the texts so far, then live events and chunks,
   * without gaps or duplicates and in order. The replay throws NotFoundError if there is no such session, and
   * ValidationError if the session has no event `afterSeq`.
   */
  subscribeSession(sessionId: string, afterSeq: number): SharedStream<SessionStreamItem>;

  /** Streams every session that is created or whose status or current stage changes. */
  subscribeSessions(): SharedStream<SessionSnapshot>;
}
