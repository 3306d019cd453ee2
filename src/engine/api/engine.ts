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

/** Instructions for one kind of work, which the operator wrote. */
export interface SkillInfo {
  name: string;
  /** When to use it. */
  description: string;
  body: string;
  /** Agents that always get it. */
  requiredBy: readonly string[];
}

/** The fields of an alert that lists show. */
export interface Headline {
  /** One line of at most 200 characters; never JSON, never empty. */
  title: string;
  /** UNKNOWN if the alert names none. */
  severity: Severity;
  /** Affected entities, such as `Deployment payments/api` or `host db-03`. */
  entities: string[];
}

/** The unvalidated input of an alert's sender. */
export interface SubmitAlertInput {
  data: string;
  alertType?: string | null;
  runbookUrl?: string | null;
  mcp?: McpSelectionValue | null;
  slackMessageFingerprint?: string | null;
  /** Owning team. Default: the team of the chain. */
  team?: string | null;
}

/** A change of an investigation's review. `null` leaves a field as it is. */
export interface ReviewChange {
  action: ReviewAction;
  rating: QualityRating | null;
  actionTaken: string | null;
  feedback: string | null;
}

/** A person's change of a memory. `null` leaves a field as it is. */
export interface MemoryChange {
  content: string | null;
  category: MemoryCategory | null;
  deprecated: boolean | null;
}

/** An approver's decision about a call. */
export interface ApprovalDecisionInput {
  /** Hash of the arguments that the approver saw. */
  argumentsHash: string;
  approve: boolean;
  comment: string | null;
}

/** The reason why a review was not changed. */
export type ReviewRefusal = ValidationError | NotFoundError | ConflictError;

/** The session of an accepted alert. */
export interface SubmittedAlert extends AlertSessionRow {
  /** Changes made to the alert text, one sentence each, for its sender. */
  readonly notes: readonly string[];
}

/** A session's row without its alert text, as lists and events carry it. */
export type SessionSnapshot = Omit<AlertSessionRow, 'alertData'>;

/** A persisted event of a session. `seq` is its sequence number in the log, from 1; `row` the state at that time. */
export type LoggedEvent = { kind: 'event'; sessionId: string; seq: number; at: Date } & (
  | { type: 'SessionStatusChanged'; row: SessionSnapshot }
  | { type: 'StageStatusChanged'; row: StageRow }
  | { type: 'ExecutionStatusChanged'; row: AgentExecutionRow }
  | { type: 'TimelineEventCreated' | 'TimelineEventCompleted'; row: TimelineEventRow }
  | { type: 'ChatCreated'; row: ChatRow }
  | { type: 'ChatMessageAdded'; row: ChatUserMessageRow }
);

/** A piece of a streaming timeline event's text; offset in UTF-16 code units. */
export interface StreamChunk {
  kind: 'chunk';
  sessionId: string;
  timelineEventId: string;
  offset: number;
  delta: string;
  at: Date;
}

/** Marks the end of the replay: it is complete up to `seq`, and live items follow. */
export interface CaughtUp {
  kind: 'caughtUp';
  sessionId: string;
  seq: number;
  at: Date;
}

export type SessionStreamItem = LoggedEvent | StreamChunk | CaughtUp;

/** Receives each live item with its position in the live part; positions rise by one. */
export type LiveListener<T> = (item: T, position: number) => void;

/**
 * A stream whose live part is the same for all subscribers, so that results and their JSON are computed once.
 * To read all of it: listen and buffer; replay to the end, which returns a position; drop buffered items up to that
 * position; continue live.
 */
export interface SharedStream<T> {
  /** Streams of this process with the same topic share their live part. */
  readonly topic: string;
  /** Passes live items from now on to the listener. Returns a function that stops it. */
  listen(listener: LiveListener<T>): () => void;
  /** Yields earlier items to this subscriber only. Returns the position after which live items follow. */
  replay(signal: AbortSignal): AsyncGenerator<T, number, void>;
}

/** The engine's interface for the API. */
export interface Engine {
  /**
   * Checks, masks and stores an alert and queues its investigation, in one transaction. Characters that
   * cannot be stored (NUL, lone surrogates) become U+FFFD.
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError
   */
  submitAlert(input: SubmitAlertInput, by: Actor): Promise<SubmittedAlert>;

  /**
   * Cancels a pending or running session, its running chat answer or its running score. Returns the session afterwards.
   * @param options.answerOnly cancels only a running answer
   * @throws NotFoundError, ConflictError (already finished), ForbiddenError
   */
  cancelSession(sessionId: string, by: Actor, options: { answerOnly: boolean }): Promise<AlertSessionRow>;

  /**
   * Stores a follow-up question about a finished investigation and queues its answer.
   * @throws ValidationError, NotFoundError, ConflictError (not finished, cancelled, chat off, another answer running),
   *   ShuttingDownError
   */
  sendChatMessage(
    sessionId: string,
    content: string,
    by: Actor,
  ): Promise<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>;

  /**
   * Applies one change to the reviews of several sessions, as far as each session's state allows.
   * @returns for each id, in order, the session afterwards or the reason why it was not changed
   */
  reviewSessions(
    sessionIds: readonly string[],
    change: ReviewChange,
    by: Actor,
  ): Promise<(SessionSnapshot | ReviewRefusal)[]>;

  /**
   * Queues a score of a finished investigation by a model. Earlier scores stay.
   * @throws NotFoundError, ConflictError (not finished, nothing to score, score running), ShuttingDownError
   */
  scoreSession(sessionId: string, by: Actor): Promise<ScoreRow>;

  /**
   * Changes a memory. Reviews no longer change its deprecation once a person has set it.
   * @throws ValidationError, NotFoundError
   */
  updateMemory(id: string, change: MemoryChange, by: Actor): Promise<MemoryRow>;

  /** Deletes a memory permanently. @throws NotFoundError */
  deleteMemory(id: string, by: Actor): Promise<void>;

  /**
   * Approves or denies a call for exactly the arguments that the approver saw.
   * @throws ValidationError, NotFoundError, ConflictError (already decided), ForbiddenError
   */
  decideApproval(id: string, choice: ApprovalDecisionInput, by: Viewer): Promise<ApprovalRow>;

  /** True if the viewer may decide on calls of this tool. */
  mayApprove(call: Pick<ApprovalRow, 'server' | 'tool'>, viewer: Viewer): boolean;

  /** Returns the arguments of a call: complete for its approvers, masked for other viewers. */
  approvalArguments(call: ApprovalRow, viewer: Viewer): unknown;

  /** Streams every approval that is requested, decided or executed from now on. */
  subscribeApprovals(): SharedStream<ApprovalRow & { team: string | null }>;

  /** Returns why a session accepts no question now; `null` if it does. A running answer is not considered. */
  chatRefusal(session: SessionSnapshot): ConflictError | null;

  /** Returns the operator's skills, sorted by name. */
  listSkills(): Promise<SkillInfo[]>;

  /** Returns the runbooks of the configured folder; empty if there is none or it cannot be read. */
  listRunbooks(): Promise<readonly ListedRunbook[]>;

  /**
   * Streams every persisted event after `afterSeq` (0 = all), then one caughtUp and the texts so far, then live events
   * and chunks, without gap, duplicate or reordering. The replay throws NotFoundError for an unknown session and
   * ValidationError if the session has no event `afterSeq`.
   */
  subscribeSession(sessionId: string, afterSeq: number): SharedStream<SessionStreamItem>;

  /** Streams every session that is created or changes its status or current stage from now on. */
  subscribeSessions(): SharedStream<SessionSnapshot>;
}
