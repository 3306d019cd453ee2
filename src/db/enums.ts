/**
 * The words of the investigation's states, the same in code, database, API and page.
 * Meanings: `schema.graphql`.
 */
export const SESSION_STATUSES = [
  'PENDING',
  'IN_PROGRESS',
  'WAITING_FOR_APPROVAL',
  'CANCELLING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMED_OUT',
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Statuses a session never leaves. */
export const TERMINAL_SESSION_STATUSES = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;
export type TerminalStatus = (typeof TERMINAL_SESSION_STATUSES)[number];

export function isTerminalStatus(status: string): status is TerminalStatus {
  return (TERMINAL_SESSION_STATUSES as readonly string[]).includes(status);
}

export const STAGE_STATUSES = ['PENDING', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;

export const EXECUTION_STATUSES = [...STAGE_STATUSES, 'WAITING_FOR_APPROVAL'] as const;

/** What became of a tool call about which people are asked. */
export const APPROVAL_STATUSES = [
  'PENDING',
  'APPROVED',
  'DENIED',
  'EXPIRED',
  'WITHDRAWN',
  'EXECUTED',
  'FAILED',
  'OUTCOME_UNKNOWN',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Where a value of a call's arguments comes from. */
export const ARGUMENT_ORIGINS = ['ALERT', 'RUNBOOK', 'TOOL_OUTPUT', 'PERSON', 'MODEL', 'UNTRACED'] as const;
export type ArgumentOrigin = (typeof ARGUMENT_ORIGINS)[number];

export const STAGE_TYPES = ['INVESTIGATION', 'SYNTHESIS', 'CHAT', 'EXEC_SUMMARY', 'REPORT'] as const;
export type StageType = (typeof STAGE_TYPES)[number];

export const TIMELINE_EVENT_TYPES = [
  'LLM_THINKING',
  'LLM_RESPONSE',
  'LLM_TOOL_CALL',
  'MCP_TOOL_SUMMARY',
  'ERROR',
  'USER_QUESTION',
  'EXECUTIVE_SUMMARY',
  'FINAL_ANALYSIS',
  'CODE_EXECUTION',
  'GOOGLE_SEARCH_RESULT',
  'URL_CONTEXT_RESULT',
  'ALERT_JOINED',
  'ALERT_RESOLVED',
  'MEMORY_RECALLED',
  'SKILL_LOADED',
  'BUDGET_REACHED',
  'PROVIDER_FALLBACK',
  'SUBAGENT_TASK',
  'APPROVAL_REQUESTED',
  'APPROVAL_DECIDED',
] as const;
export type TimelineEventType = (typeof TIMELINE_EVENT_TYPES)[number];

export const TIMELINE_EVENT_STATUSES = [
  'STREAMING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TIMED_OUT',
] as const;
export type TimelineEventStatus = (typeof TIMELINE_EVENT_STATUSES)[number];

export const MESSAGE_ROLES = ['SYSTEM', 'USER', 'ASSISTANT', 'TOOL'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

export const LLM_INTERACTION_TYPES = [
  'ITERATION',
  'FORCED_CONCLUSION',
  'SYNTHESIS',
  'SUMMARIZATION',
  'EXECUTIVE_SUMMARY',
  'CHAT_RESPONSE',
  'MEMORY',
  'REPORT',
  'SCORING',
] as const;
export type LlmInteractionType = (typeof LLM_INTERACTION_TYPES)[number];

export const MCP_INTERACTION_TYPES = ['TOOL_CALL', 'TOOL_LIST'] as const;
export type McpInteractionType = (typeof MCP_INTERACTION_TYPES)[number];

/** Moments of a session that Slack is told of. */
export const SLACK_POINTS = ['STARTED', 'TERMINAL'] as const;
export type SlackPoint = (typeof SLACK_POINTS)[number];

/** WAITING: to be posted, or being posted. SKIPPED: nobody needs it any more. */
export const SLACK_POST_STATUSES = ['WAITING', 'POSTED', 'FAILED', 'SKIPPED'] as const;

/** Kinds of the persisted events of a session; the API's event types of the same name. */
export const SESSION_EVENT_TYPES = [
  'SessionStatusChanged',
  'StageStatusChanged',
  'ExecutionStatusChanged',
  'TimelineEventCreated',
  'TimelineEventCompleted',
  'ChatCreated',
  'ChatMessageAdded',
] as const;
export type SessionEventType = (typeof SESSION_EVENT_TYPES)[number];

/** What an investigation comes to, as its report says. */
export const VERDICTS = ['ACTION_REQUIRED', 'ACTION_SUGGESTED', 'NO_ACTION', 'INCONCLUSIVE'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a claim of a report is. */
export const CLAIM_KINDS = ['CAUSE', 'OBSERVATION', 'RULED_OUT', 'RECOMMENDATION', 'GAP'] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** How far a claim is proven by what it cites. */
export const CLAIM_STATUSES = ['SUPPORTED', 'PARTLY_SUPPORTED', 'UNSUPPORTED', 'NOT_CHECKABLE'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** Whether what is quoted stands where it is said to. */
export const CITATION_STATUSES = [
  'HOLDS',
  'QUOTE_NOT_FOUND',
  'NO_SUCH_OUTPUT',
  'TOOL_FAILED',
  'OUTPUT_EMPTY',
] as const;
export type CitationStatus = (typeof CITATION_STATUSES)[number];

/** How far people are with judging an investigation that has ended. */
export const REVIEW_STATUSES = ['NEEDS_REVIEW', 'IN_PROGRESS', 'REVIEWED'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** What people say of an investigation: was it right? */
export const QUALITY_RATINGS = ['ACCURATE', 'PARTIALLY_ACCURATE', 'INACCURATE'] as const;
export type QualityRating = (typeof QUALITY_RATINGS)[number];

/** What is done about a review. */
export const REVIEW_ACTIONS = [
  'CLAIM',
  'UNCLAIM',
  'COMPLETE',
  'ACKNOWLEDGE',
  'REOPEN',
  'UPDATE_FEEDBACK',
] as const;
export type ReviewAction = (typeof REVIEW_ACTIONS)[number];

/** How far a judging model is with its opinion of an investigation. */
export const SCORE_STATUSES = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const;

/** What a judging model may find wrong with an investigation. */
export const FAILURE_TAGS = [
  'premature_conclusion',
  'missed_available_tool',
  'unsupported_confidence',
  'incomplete_evidence',
  'hallucinated_evidence',
  'wrong_conclusion',
] as const;
export type FailureTag = (typeof FAILURE_TAGS)[number];

/** Statuses of sessions that people review: there is something to judge. */
export const REVIEWED_SESSION_STATUSES = ['COMPLETED', 'FAILED', 'TIMED_OUT'] as const;

/** Whether what an alert tells of goes on, as its source says. */
export const ALERT_STATES = ['FIRING', 'RESOLVED'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** How bad a source says that an alert is, worst first; UNKNOWN: it does not say, or in words that mean nothing to us. */
export const SEVERITIES = ['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What becomes of an alert that was delivered. */
export const INTAKE_OUTCOMES = [
  'INVESTIGATED',
  'JOINED',
  'DUPLICATE',
  'RECENTLY_INVESTIGATED',
  'EXCLUDED',
  'SILENCED',
  'STORM',
  'FLAPPING',
  'OVER_BUDGET',
  'RESOLVED',
  'CANARY',
  'REJECTED',
] as const;
export type IntakeOutcome = (typeof INTAKE_OUTCOMES)[number];

/** What a token may do. */
export const TOKEN_SCOPES = ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE', 'ADMIN'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** What people and tokens change, as `<thing>.<verb>`. */
export const AUDIT_ACTIONS = [
  'session.submit',
  'session.cancel',
  'session.ask',
  'session.review',
  'session.score',
  'approval.approve',
  'approval.deny',
  'alert_group.investigate',
  'silence.create',
  'silence.end',
  'token.create',
  'token.revoke',
  'memory.update',
  'memory.delete',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What a memory says: how things are, what happened, or how something is done. */
export const MEMORY_CATEGORIES = ['SEMANTIC', 'EPISODIC', 'PROCEDURAL'] as const;
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number];

/** What a session has to do with a memory: it taught it, or its agents were given it. */
export const MEMORY_ROLES = ['SOURCE', 'USE'] as const;

/**
 * Why a provider was left for another. REFUSED: it takes no calls (credentials, quota, address, model). BUSY: unreachable, busy or
 * failing, also after the LLM service tried again. SILENT: it took the call and said nothing. BROKEN_OFF: in the middle of an answer.
 * MALFORMED: what it wrote cannot be used. TOO_LONG: the conversation, however it is shortened. CIRCUIT_OPEN: others of the process
 * could not have it just now.
 */
const FALLBACK_REASONS = [
  'REFUSED',
  'BUSY',
  'SILENT',
  'BROKEN_OFF',
  'MALFORMED',
  'TOO_LONG',
  'CIRCUIT_OPEN',
] as const;
export type FallbackReason = (typeof FALLBACK_REASONS)[number];
