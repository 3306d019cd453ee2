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

/** What a list shows of an alert. */
export interface Headline {
  /** One line of at most 200 characters; never JSON, never empty. */
  title: string;
  /** UNKNOWN when the alert does not say. */
  severity: Severity;
  /** What it speaks of, such as `Deployment payments/api` or `host db-03`. */
  entities: string[];
}

/** What an alert's sender gives. Nothing is checked yet. */
export interface SubmitAlertInput {
  data: string;
  alertType?: string | null;
  runbookUrl?: string | null;
  mcp?: McpSelectionValue | null;
  slackMessageFingerprint?: string | null;
  /** Whose it is; default: its chain's. */
  team?: string | null;
}

/** What is done about the review of an investigation; null: nothing is said about that. */
export interface ReviewChange {
  action: ReviewAction;
  rating: QualityRating | null;
  actionTaken: string | null;
  feedback: string | null;
}

/** What a person changes of a memory; null = nothing is said about that. */
export interface MemoryChange {
  content: string | null;
  category: MemoryCategory | null;
  deprecated: boolean | null;
}

/** What somebody decides about a call. */
export interface ApprovalDecisionInput {
  /** Of the arguments that they saw. */
  argumentsHash: string;
  approve: boolean;
  comment: string | null;
}

/** Why nothing was done about a review. */
export type ReviewRefusal = ValidationError | NotFoundError | ConflictError;

/** The session of an alert that was taken. */
export interface SubmittedAlert extends AlertSessionRow {
  /** What was changed in the alert to take it, a sentence each, for its sender. */
  readonly notes: readonly string[];
}

/** A session's row without its alert text, as lists and events carry it; the text is loaded when asked for. */
export type SessionSnapshot = Omit<AlertSessionRow, 'alertData'>;

/** A persisted event of a session; `seq` is its place in the log, from 1. `row` is as it was then. */
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

/** The replay is complete up to `seq`; what follows is live. */
export interface CaughtUp {
  kind: 'caughtUp';
  sessionId: string;
  seq: number;
  at: Date;
}

export type SessionStreamItem = LoggedEvent | StreamChunk | CaughtUp;

/** Is told of each live item with its place in the live part, which rises by one from item to item. */
export type LiveListener<T> = (item: T, place: number) => void;

/**
 * A stream of which the live part is one and the same for all subscribers, so that what is made of its items (a
 * result, its JSON) can be made once for all. To get all of it: listen and hold back; replay to its end, which says
 * the place that the replay reaches; drop what was held back up to that place; go on live.
 */
export interface SharedStream<T> {
  /** Streams of this process with the same topic have the same live part. */
  readonly topic: string;
  /** Live items from now on. Returns the way to stop. */
  listen(listener: LiveListener<T>): () => void;
  /** What comes before, for this subscriber alone; returns the place after which the live items follow. */
  replay(signal: AbortSignal): AsyncGenerator<T, number, void>;
}

/** What the API may ask of the engine. */
export interface Engine {
  /**
   * Checks, masks and stores an alert and queues its investigation, in one transaction. What cannot be stored of its
   * text (NUL, halves of surrogate pairs) becomes U+FFFD.
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError
   */
  submitAlert(input: SubmitAlertInput, by: Actor): Promise<SubmittedAlert>;

  /**
   * Cancels a pending or running session, or the chat answer or the score that is being made of it; returns the session as it is then.
   * @param options.answerOnly the running answer is all that may be cancelled
   * @throws NotFoundError, ConflictError (already finished), ForbiddenError
   */
  cancelSession(sessionId: string, by: Actor, options: { answerOnly: boolean }): Promise<AlertSessionRow>;

  /**
   * Takes a follow-up question about an investigation that has ended and queues its answer.
   * @throws ValidationError, NotFoundError, ConflictError (not ended, cancelled, chat off, another answer under way),
   *   ShuttingDownError
   */
  sendChatMessage(
    sessionId: string,
    content: string,
    by: Actor,
  ): Promise<{ chat: ChatRow; message: ChatUserMessageRow; stage: StageRow }>;

  /**
   * Does the same about the reviews of several sessions, each as its own state allows.
   * @returns for each id, in their order, the session as it is then, or why nothing was done
   */
  reviewSessions(
    sessionIds: readonly string[],
    change: ReviewChange,
    by: Actor,
  ): Promise<(SessionSnapshot | ReviewRefusal)[]>;

  /**
   * Asks for a judging model's opinion of an investigation that has ended; earlier ones stay.
   * @throws NotFoundError, ConflictError (not ended, nothing to judge, being scored), ShuttingDownError
   */
  scoreSession(sessionId: string, by: Actor): Promise<ScoreRow>;

  /**
   * Changes what is remembered. That a memory is deprecated, or not, no review changes any more.
   * @throws ValidationError, NotFoundError
   */
  updateMemory(id: string, change: MemoryChange, by: Actor): Promise<MemoryRow>;

  /** Forgets something for good. @throws NotFoundError */
  deleteMemory(id: string, by: Actor): Promise<void>;

  /**
   * Approves or denies a call for exactly the arguments that were seen.
   * @throws ValidationError, NotFoundError, ConflictError (decided before), ForbiddenError
   */
  decideApproval(id: string, choice: ApprovalDecisionInput, by: Viewer): Promise<ApprovalRow>;

  /** Whether somebody may decide on such a call. */
  mayApprove(call: Pick<ApprovalRow, 'server' | 'tool'>, viewer: Viewer): boolean;

  /** The arguments of a call: whole for who may decide on it, masked for others. */
  approvalArguments(call: ApprovalRow, viewer: Viewer): unknown;

  /** Every approval that was requested or decided, or whose call was made, from now on. */
  subscribeApprovals(): SharedStream<ApprovalRow & { team: string | null }>;

  /** Why no question can be asked about a session as it is now, apart from another that is being answered. */
  chatRefusal(session: SessionSnapshot): ConflictError | null;

  /** The operator's skills, by name. */
  listSkills(): Promise<SkillInfo[]>;

  /** The runbooks of the configured folder; empty when there is none, or when it cannot be read. */
  listRunbooks(): Promise<readonly ListedRunbook[]>;

  /**
   * Every persisted event after `afterSeq` (0 = all), then one caughtUp and the texts so far, then live events and
   * chunks: no gap, no duplicate, no reordering. Its replay fails with NotFoundError when there is no such session,
   * and with ValidationError when the session has no event `afterSeq`.
   */
  subscribeSession(sessionId: string, afterSeq: number): SharedStream<SessionStreamItem>;

  /** Every session created, or whose status or current stage changed, from now on. */
  subscribeSessions(): SharedStream<SessionSnapshot>;
}
