import type { Viewer } from '../../access/viewer.ts';
import type { Actor } from '../../audit.ts';
import type { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type {
  AgentExecutionRow,
  AlertSessionRow,
  ApprovalRow,
  CaseRow,
  ChatRow,
  ChatUserMessageRow,
  McpSelectionValue,
  MemoryRow,
  ReplayRow,
  ScoreRow,
  StageRow,
  TimelineEventRow,
} from '../../db/entities/index.ts';
import type { MemoryCategory, QualityRating, ReviewAction, Severity } from '../../db/enums.ts';
import type { ListedRunbook } from '../../runbooks/github-tree.ts';
import type { CreateCaseInput, ReplayCaseInput } from './cases.ts';
import type { NotificationAdmin } from './notifications.ts';

/** An operator's instructions for one kind of work. */
export interface SkillInfo {
  name: string;
  description: string;
  body: string;
  /** Names of the agents that always receive the skill. */
  requiredBy: readonly string[];
}

/** The short form of an alert, for lists. */
export interface Headline {
  /** One line of at most 200 characters; never JSON, never empty. */
  title: string;
  /** UNKNOWN if the alert has none. */
  severity: Severity;
  /** Affected objects, such as `Deployment payments/api` or `host db-03`. */
  entities: string[];
}

/** An alert as it is submitted, not yet checked. */
export interface SubmitAlertInput {
  data: string;
  alertType?: string | null;
  runbookUrl?: string | null;
  mcp?: McpSelectionValue | null;
  slackMessageFingerprint?: string | null;
  /** Team that owns the alert. Default: the team of the alert's chain. */
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

export interface ApprovalDecisionInput {
  /** The hash of the arguments that the approver saw. */
  argumentsHash: string;
  approve: boolean;
  comment: string | null;
}

export interface CancelOptions {
  /** The only kind of work that may be cancelled; `null` allows any. Other work is refused. */
  only: 'ANSWER' | 'INVESTIGATION' | null;
  /** Reason to store with the session, not masked yet; `null` for none. */
  reason: string | null;
}

export interface HintInput {
  text: string;
  /** Name of the agent that the hint is for; `null` for all agents of the session. */
  agent: string | null;
}

/** A question about a session. `id`: that of the stored question, so that a repetition is recognized; `null`: any. */
export interface ChatQuestion {
  content: string;
  id: string | null;
}

export type CancelRefusal = NotFoundError | ConflictError;

export type ReviewRefusal = ValidationError | NotFoundError | ConflictError;

export interface SubmittedAlert extends AlertSessionRow {
  /** Changes that TARSy made to the alert to accept it, one sentence each. */
  readonly notes: readonly string[];
}

/** A session's row without its alert text, as in lists and events. */
export type SessionSnapshot = Omit<AlertSessionRow, 'alertData'>;

/** A persisted event of a session. `seq`: its number in the log, from 1. */
export type LoggedEvent = { kind: 'event'; sessionId: string; seq: number; at: Date } & (
  | { type: 'SessionStatusChanged'; row: SessionSnapshot }
  | { type: 'StageStatusChanged'; row: StageRow }
  | { type: 'ExecutionStatusChanged'; row: AgentExecutionRow }
  | { type: 'TimelineEventCreated' | 'TimelineEventCompleted'; row: TimelineEventRow }
  | { type: 'ChatCreated'; row: ChatRow }
  | { type: 'ChatMessageAdded'; row: ChatUserMessageRow }
);

/** A piece of the text of a streaming timeline event. `offset`: where `delta` starts in it (UTF-16 code units). */
export interface StreamChunk {
  kind: 'chunk';
  sessionId: string;
  timelineEventId: string;
  offset: number;
  delta: string;
  at: Date;
}

/**
 * Marks the end of the replay of stored events; `seq` is the number of the last replayed event. Later items
 * are live.
 */
export interface CaughtUp {
  kind: 'caughtUp';
  sessionId: string;
  seq: number;
  at: Date;
}

export type SessionStreamItem = LoggedEvent | StreamChunk | CaughtUp;

/** Receives live items. @param position number of the item, which increases by one per item */
export type LiveListener<T> = (item: T, position: number) => void;

/**
 * A stream whose live items and their JSON are computed once for all subscribers. A subscriber listens and buffers,
 * reads the replay, drops buffered items up to the replay's position, and continues with the live items.
 */
export interface SharedStream<T> {
  /** Streams of this process with the same topic have the same live items. */
  readonly topic: string;
  /** Calls the listener for each live item. Returns a function that unsubscribes. */
  listen(listener: LiveListener<T>): () => void;
  /** Yields the earlier items. Returns the position after which the live items follow. */
  replay(signal: AbortSignal): AsyncGenerator<T, number, void>;
}

export interface Engine extends NotificationAdmin {
  /**
   * Stores an alert and queues its investigation.
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError
   */
  submitAlert(input: SubmitAlertInput, by: Actor): Promise<SubmittedAlert>;

  /**
   * Cancels a pending or running session, or else its running answer or score. Returns the session afterwards.
   * @throws NotFoundError, ConflictError (already ended), ForbiddenError, ValidationError
   */
  cancelSession(sessionId: string, by: Actor, options: CancelOptions): Promise<SessionSnapshot>;

  /**
   * Cancels pending and running sessions. Sessions that have ended are refused, even if an answer runs.
   * @returns per id, in order, the session afterwards or the refusal
   * @throws ValidationError
   */
  cancelSessions(
    sessionIds: readonly string[],
    by: Actor,
    reason: string | null,
  ): Promise<(SessionSnapshot | CancelRefusal)[]>;

  /**
   * Moves a pending session to the front of the queue and exempts it from waiting for budgets.
   * @throws NotFoundError, ConflictError
   */
  runSessionNow(sessionId: string, by: Actor): Promise<SessionSnapshot>;

  /**
   * Adds a hint, which the session's agents read before their next model call.
   * @throws ValidationError, NotFoundError, ConflictError (ended, or too many hints)
   */
  addHint(sessionId: string, input: HintInput, by: Actor): Promise<TimelineEventRow>;

  /**
   * Asks the agents of a session to conclude from what they have. Returns the session afterwards.
   * @throws NotFoundError, ConflictError (not begun, or ended)
   */
  concludeSession(sessionId: string, by: Actor): Promise<SessionSnapshot>;

  /**
   * Adds a question to an ended session. A repeated id returns the first question.
   * @throws ValidationError, NotFoundError, ConflictError, ShuttingDownError
   */
  sendChatMessage(
    sessionId: string,
    question: ChatQuestion,
    by: Actor,
  ): Promise<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>;

  /**
   * Applies one review action to several sessions, where their states allow it.
   * @returns per id, in order, the session afterwards or the refusal
   */
  reviewSessions(
    sessionIds: readonly string[],
    change: ReviewChange,
    by: Actor,
  ): Promise<(SessionSnapshot | ReviewRefusal)[]>;

  /** Requests a further score of an ended session. @throws NotFoundError, ConflictError, ShuttingDownError */
  scoreSession(sessionId: string, by: Actor): Promise<ScoreRow>;

  /**
   * Changes a memory. Reviews never change a `deprecated` flag that was set by this method.
   * @throws ValidationError, NotFoundError
   */
  updateMemory(id: string, change: MemoryChange, by: Actor): Promise<MemoryRow>;

  /** @throws NotFoundError */
  deleteMemory(id: string, by: Actor): Promise<void>;

  /** Makes a case of an ended session. @throws ValidationError, NotFoundError, ConflictError */
  createCase(input: CreateCaseInput, by: Actor): Promise<CaseRow>;

  /** Stores a case from its document; an equal case is returned instead of a second one. @throws ValidationError */
  importCase(input: { document: string; team: string | null }, by: Actor): Promise<CaseRow>;

  /** Deletes a case and hides the sessions of its replays. @throws NotFoundError, ConflictError (replays run) */
  deleteCase(id: string, by: Actor): Promise<void>;

  /** Queues replays of a case. @throws ValidationError, NotFoundError, TooManyAlertsError, ShuttingDownError */
  replayCase(input: ReplayCaseInput, by: Actor): Promise<ReplayRow[]>;

  /** Approves or denies a call. @throws ValidationError, NotFoundError, ConflictError (decided), ForbiddenError */
  decideApproval(id: string, choice: ApprovalDecisionInput, by: Viewer): Promise<ApprovalRow>;

  mayApprove(call: Pick<ApprovalRow, 'server' | 'tool'>, viewer: Viewer): boolean;

  /** Returns a call's arguments: unmasked for viewers who may decide on the call, masked for others. */
  approvalArguments(call: ApprovalRow, viewer: Viewer): unknown;

  /** Streams every approval that changes: requested, decided, expired or withdrawn, or its call begins or ends. */
  subscribeApprovals(): SharedStream<ApprovalRow & { team: string | null }>;

  /** Returns why a session accepts no questions; `null` if it does. Does not consider a running answer. */
  chatRefusal(session: SessionSnapshot): ConflictError | null;

  /** Returns all skills, ordered by name. */
  listSkills(): Promise<SkillInfo[]>;

  /** Returns the listed runbooks; none if no folder is configured or the folder cannot be read. */
  listRunbooks(): Promise<readonly ListedRunbook[]>;

  /**
   * Streams the events after `afterSeq` (0: all), one `caughtUp`, the texts of open items so far, then live events and
   * chunks, without gaps or duplicates. The replay throws NotFoundError, or ValidationError for an unknown `afterSeq`.
   */
  subscribeSession(sessionId: string, afterSeq: number): SharedStream<SessionStreamItem>;

  /** Streams every session that is created or whose status or current stage changes. */
  subscribeSessions(): SharedStream<SessionSnapshot>;

  /**
   * Streams an item at first, and whenever the causes for which work waits, or the number of waiting sessions per
   * cause, change. The item only signals that the subscriber reads the state.
   */
  subscribeSystemState(): SharedStream<object>;
}
