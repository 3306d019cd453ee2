import { valuesOf } from '../config/enums.ts';

export const SESSION_STATUS_MEANINGS = {
  PENDING: 'Waiting; waitingFor says why.',
  IN_PROGRESS: 'Running.',
  WAITING_FOR_APPROVAL:
    'Suspended until approvers decide on a tool call. The session occupies no slot and its time limit is paused.',
  CANCELLING: 'Cancelled; running work is being stopped.',
  COMPLETED: 'Ended with an analysis.',
  FAILED: 'Ended without a conclusion; errorMessage says why.',
  CANCELLED: 'Cancelled by a user or token.',
  TIMED_OUT: 'Ended by its time limit before a model could conclude; finalAnalysis has what is known.',
} as const;
export type SessionStatus = keyof typeof SESSION_STATUS_MEANINGS;

export const TERMINAL_SESSION_STATUSES = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const;
export type TerminalStatus = (typeof TERMINAL_SESSION_STATUSES)[number];
/** Statuses of the sessions that can be reviewed. */
export const REVIEWED_SESSION_STATUSES = ['COMPLETED', 'FAILED', 'TIMED_OUT'] as const;

export const isTerminalStatus = (status: string): status is TerminalStatus =>
  (TERMINAL_SESSION_STATUSES as readonly string[]).includes(status);

export const STAGE_STATUS_MEANINGS = {
  PENDING: 'Not started.',
  ACTIVE: 'Running.',
  COMPLETED: 'Ended successfully.',
  FAILED: 'Failed; errorMessage says why.',
  CANCELLED: 'Cancelled together with its session or answer.',
  TIMED_OUT: 'Stopped because the time limit was reached.',
} as const;
export type StageStatus = keyof typeof STAGE_STATUS_MEANINGS;

export const EXECUTION_STATUS_MEANINGS = {
  ...STAGE_STATUS_MEANINGS,
  WAITING_FOR_APPROVAL: 'Suspended until approvers decide on a tool call.',
} as const;
export type ExecutionStatus = keyof typeof EXECUTION_STATUS_MEANINGS;

export const APPROVAL_STATUS_MEANINGS = {
  PENDING: 'Waiting for a decision.',
  APPROVED: 'Approved by the required number of approvers; the call is made next, or is running.',
  DENIED: 'Denied by an approver; the call is never made.',
  EXPIRED: 'Not decided in time; the call is never made.',
  WITHDRAWN: 'The investigation ended before a decision; the call is never made.',
  EXECUTED: 'The call was made once, and the tool reported no error.',
  FAILED: 'Approved, but the call failed or could not be made; errorMessage says why.',
  OUTCOME_UNKNOWN: 'The call was started and its outcome is unknown; it is never repeated.',
} as const;
export type ApprovalStatus = keyof typeof APPROVAL_STATUS_MEANINGS;

export type ArgumentOrigin = 'ALERT' | 'RUNBOOK' | 'TOOL_OUTPUT' | 'PERSON' | 'MODEL' | 'UNTRACED';

export const STAGE_TYPE_MEANINGS = {
  INVESTIGATION: 'Agents investigate the alert.',
  SYNTHESIS: 'One agent combines the findings of a stage’s agents, or the analyses of all stages.',
  CHAT: 'Answers one question about an investigation that has ended.',
  EXEC_SUMMARY: 'Summarizes the investigation in a few sentences.',
  REPORT: 'Turns the investigation into claims, which the server checks.',
} as const;
export type StageType = keyof typeof STAGE_TYPE_MEANINGS;

export const TIMELINE_EVENT_TYPE_MEANINGS = {
  LLM_THINKING: 'Thoughts of the model before it answered or called a tool.',
  LLM_RESPONSE: 'Text of the model that is not the final analysis.',
  LLM_TOOL_CALL:
    'A tool call. The content is the masked result; the metadata has server, tool and arguments.',
  MCP_TOOL_SUMMARY: 'The summary of a tool result that was too long for the model.',
  ERROR: 'A failure during the investigation, which may have continued.',
  USER_QUESTION: 'A question that a user asked about the investigation.',
  EXECUTIVE_SUMMARY: 'The executive summary.',
  FINAL_ANALYSIS: 'The conclusion of an agent, or its answer to a question.',
  CODE_EXECUTION: 'Code that the provider ran for the model, with its output.',
  GOOGLE_SEARCH_RESULT: 'Queries and sources of a web search that the provider made for the model.',
  URL_CONTEXT_RESULT: 'Sources of the pages that the provider read for the model.',
  ALERT_JOINED: 'Alerts of the same group that arrived or got worse during the investigation.',
  ALERT_RESOLVED: 'Alerts that the source resolved during the investigation: some or all of them.',
  HINT: 'A hint of a responder for the agents; metadata: author, agent (null for all). Never evidence for a claim.',
  HINT_READ: 'Hints that an agent has read; metadata.hints has their sequence numbers.',
  CONCLUSION_REQUESTED: 'A responder asked the investigation to conclude; metadata.author says who.',
  SKILL_LOADED: 'Names of the skills that an agent was given or loaded.',
  MEMORY_RECALLED:
    'Memories of past investigations that an agent received at its start; metadata.memories has their ids.',
  SUBAGENT_TASK: 'The task of a sub-agent, first in its own timeline.',
  BUDGET_REACHED: 'A budget is nearly or fully used, with the measure that was taken.',
  PROVIDER_FALLBACK:
    'The model was unavailable and another provider takes over; metadata: reason, error_code, from, to, native_tools_dropped, skipped.',
  APPROVAL_REQUESTED:
    'A tool call waits for approval; metadata has approval_id, server, tool and the masked arguments.',
  APPROVAL_DECIDED: 'A decision about a tool call and who made it; metadata has approval_id and status.',
} as const;
export type TimelineEventType = keyof typeof TIMELINE_EVENT_TYPE_MEANINGS;

export const TIMELINE_EVENT_STATUS_MEANINGS = {
  STREAMING: 'The content is still growing.',
  COMPLETED: 'The content is complete.',
  FAILED: 'The step failed; the content is what existed by then.',
  CANCELLED: 'Interrupted because the session or answer was cancelled.',
  TIMED_OUT: 'Interrupted because the time limit was reached.',
} as const;
export type TimelineEventStatus = keyof typeof TIMELINE_EVENT_STATUS_MEANINGS;

export const MESSAGE_ROLE_MEANINGS = {
  SYSTEM: 'The instructions of the agent.',
  USER: 'Input for the agent: the alert, a question, or a tool result for a model without function calls.',
  ASSISTANT: 'The model.',
  TOOL: 'The result of a tool call.',
} as const;
export const MESSAGE_ROLES = valuesOf(MESSAGE_ROLE_MEANINGS);
export type MessageRole = keyof typeof MESSAGE_ROLE_MEANINGS;

export const LLM_INTERACTION_TYPE_MEANINGS = {
  ITERATION: 'One iteration of an investigating agent.',
  FORCED_CONCLUSION: 'The conclusion that an agent had to give early, such as at its last iteration.',
  SYNTHESIS: 'Combining the findings of several agents.',
  SUMMARIZATION: 'Summarizing a tool result that was too long.',
  EXECUTIVE_SUMMARY: 'The executive summary.',
  CHAT_RESPONSE: 'One iteration of the answer to a question.',
  MEMORY: 'Extracting memories from the investigation.',
  REPORT: 'Turning the investigation, or the answer to a question, into claims.',
  SCORING: 'Scoring the investigation.',
} as const;
export type LlmInteractionType = keyof typeof LLM_INTERACTION_TYPE_MEANINGS;

export const CONCLUSION_REASON_MEANINGS = {
  ITERATIONS: 'The agent had used all its iterations.',
  TIME_BUDGET: 'The time of the agent was nearly used up.',
  BUDGET: 'A budget was used up.',
  CONTEXT_WINDOW: 'The conversation was longer than what the model can read.',
  ALERTS_RESOLVED: 'The source had resolved all alerts.',
  REQUESTED: 'A responder had asked the investigation to conclude.',
} as const;
/** Why an agent had to conclude early; stored in lower case in the metadata of its final analysis. */
export type ConclusionReason = keyof typeof CONCLUSION_REASON_MEANINGS;

export type McpInteractionType = 'TOOL_CALL' | 'TOOL_LIST';

/** Subject of a Slack message: the start, progress or end of a session, the answer of a stage, or a call that needs approval. */
export type SlackPoint = 'STARTED' | 'PROGRESS' | 'TERMINAL' | `ANSWER:${string}` | `APPROVAL:${string}`;

/** Types of the stored events of a session. The GraphQL API has an event type of the same name for each. */
export type SessionEventType =
  | 'SessionStatusChanged'
  | 'StageStatusChanged'
  | 'ExecutionStatusChanged'
  | 'TimelineEventCreated'
  | 'TimelineEventCompleted'
  | 'ChatCreated'
  | 'ChatMessageAdded';

export const VERDICT_MEANINGS = {
  ACTION_REQUIRED: 'Action is needed now.',
  ACTION_SUGGESTED: 'Action is advisable and can wait.',
  NO_ACTION: 'Nothing is wrong, or the problem resolved itself.',
  INCONCLUSIVE: 'The cause was not found.',
} as const;
export const VERDICTS = valuesOf(VERDICT_MEANINGS);
export type Verdict = keyof typeof VERDICT_MEANINGS;

export const CLAIM_KIND_MEANINGS = {
  CAUSE: 'The problem and its cause.',
  OBSERVATION: 'Something that was observed.',
  RULED_OUT: 'A possible cause that was excluded.',
  RECOMMENDATION: 'An action to take.',
  GAP: 'Something that could not be determined.',
} as const;
export const CLAIM_KINDS = valuesOf(CLAIM_KIND_MEANINGS);
export type ClaimKind = keyof typeof CLAIM_KIND_MEANINGS;

export const CLAIM_STATUS_MEANINGS = {
  SUPPORTED: 'Every citation holds, and the cited text has the figures and names of the claim.',
  PARTLY_SUPPORTED: 'The quotes hold, but do not prove everything that the claim says.',
  UNSUPPORTED:
    'The claim cites nothing, a quote is not in the output, or no call looked for what is said to be absent.',
  NOT_CHECKABLE: 'A recommendation or a gap, which needs no proof.',
} as const;
export type ClaimStatus = keyof typeof CLAIM_STATUS_MEANINGS;

export const CITATION_STATUS_MEANINGS = {
  HOLDS: 'The cited output contains the quote.',
  QUOTE_NOT_FOUND: 'The output lacks the quote, or the quote proves nothing because it is too short or cut.',
  NO_SUCH_OUTPUT: 'No output has this number.',
  TOOL_FAILED: 'The tool call failed, so its output proves nothing.',
  OUTPUT_EMPTY: 'The output is empty.',
} as const;
export type CitationStatus = keyof typeof CITATION_STATUS_MEANINGS;

export const HYPOTHESIS_STATE_MEANINGS = {
  PROPOSED: 'Not proven yet.',
  SUPPORTED: 'The cited outputs have all facts that speak for it.',
  REFUTED: 'The cited outputs have all facts that speak against it.',
} as const;
export const HYPOTHESIS_STATES = valuesOf(HYPOTHESIS_STATE_MEANINGS);
export type HypothesisState = keyof typeof HYPOTHESIS_STATE_MEANINGS;

export const REVIEW_STATUS_MEANINGS = {
  NEEDS_REVIEW: 'No review has started.',
  IN_PROGRESS: 'The assignee is reviewing.',
  REVIEWED: 'Rated or acknowledged.',
} as const;
export type ReviewStatus = keyof typeof REVIEW_STATUS_MEANINGS;

export const QUALITY_RATING_MEANINGS = {
  ACCURATE: 'Correct.',
  PARTIALLY_ACCURATE: 'Partly correct.',
  INACCURATE: 'Wrong.',
} as const;
export const QUALITY_RATINGS = valuesOf(QUALITY_RATING_MEANINGS);
export type QualityRating = keyof typeof QUALITY_RATING_MEANINGS;

export const REVIEW_ACTION_MEANINGS = {
  CLAIM: 'Claim an unassigned review.',
  UNCLAIM: 'Release the review, or remove its assignee.',
  COMPLETE: 'Finish with a rating; claims an unassigned review first.',
  ACKNOWLEDGE: 'Finish without a rating; claims an unassigned review first.',
  REOPEN: 'Start again without rating and assignee.',
  UPDATE_FEEDBACK: 'Change the feedback of a finished review.',
} as const;
export type ReviewAction = keyof typeof REVIEW_ACTION_MEANINGS;

export const SCORE_STATUS_MEANINGS = {
  PENDING: 'Requested.',
  IN_PROGRESS: 'The model is scoring.',
  COMPLETED: 'The score is complete.',
  FAILED: 'No score was produced; errorMessage says why.',
} as const;
export type ScoreStatus = keyof typeof SCORE_STATUS_MEANINGS;

/** Flaws that a scoring model may find in an investigation. */
export const FAILURE_TAGS = [
  'premature_conclusion',
  'missed_available_tool',
  'unsupported_confidence',
  'incomplete_evidence',
  'hallucinated_evidence',
  'wrong_conclusion',
] as const;
export type FailureTag = (typeof FAILURE_TAGS)[number];

export const ALERT_STATE_MEANINGS = {
  FIRING: 'The problem persists.',
  RESOLVED: 'The problem is over.',
} as const;
export const ALERT_STATES = valuesOf(ALERT_STATE_MEANINGS);
export type AlertState = keyof typeof ALERT_STATE_MEANINGS;

/** Severity that a source gives an alert, worst first. */
export const SEVERITY_MEANINGS = {
  CRITICAL: 'Such as critical, fatal, disaster, page, P1.',
  ERROR: 'Such as error, high, major, P2.',
  WARNING: 'Such as warning, medium, average, P3.',
  INFO: 'Such as info, low, notice, P4.',
  UNKNOWN: 'The source gives none, or a word that is not recognized.',
} as const;
export const SEVERITIES = valuesOf(SEVERITY_MEANINGS);
export type Severity = keyof typeof SEVERITY_MEANINGS;

export const INTAKE_OUTCOME_MEANINGS = {
  INVESTIGATED: 'A session was created for the alert.',
  JOINED: 'A session of the alert’s group waits or runs.',
  DUPLICATE: 'Nothing changed since the last delivery, and the earlier decision still applies.',
  RECENTLY_INVESTIGATED: 'The group was investigated within reinvestigate_after.',
  EXCLUDED: 'A rule excludes the alert.',
  SILENCED: 'A silence covers the alert.',
  STORM: 'Too many groups at once; one session investigates them all.',
  FLAPPING: 'The alert starts and stops repeatedly.',
  OVER_BUDGET: 'A budget is used up.',
  RESOLVED: 'The source resolved the alert, or sent nothing about it for a long time.',
  CANARY: 'A test alert with which the pipeline checks itself.',
  REJECTED: 'The delivery was refused.',
} as const;
export const INTAKE_OUTCOMES = valuesOf(INTAKE_OUTCOME_MEANINGS);
export type IntakeOutcome = keyof typeof INTAKE_OUTCOME_MEANINGS;

export const TOKEN_SCOPE_MEANINGS = {
  READ: 'Read everything that a viewer may read.',
  SUBMIT_ALERTS: 'Submit alerts, and send deliveries to sources that accept tokens.',
  CHAT: 'Ask about investigations, and stop answers.',
  REVIEW: 'Cancel, silence, investigate groups and review.',
  APPROVE: 'Decide on tool calls that wait for approval.',
  ADMIN: 'Everything but APPROVE and PROVISION.',
  PROVISION: 'End and restore the access of users, by SCIM.',
} as const;
export const TOKEN_SCOPES = valuesOf(TOKEN_SCOPE_MEANINGS);
export type TokenScope = keyof typeof TOKEN_SCOPE_MEANINGS;

export const MEMORY_CATEGORY_MEANINGS = {
  SEMANTIC: 'A fact about the environment.',
  EPISODIC: 'An event.',
  PROCEDURAL: 'A way to diagnose or fix something.',
} as const;
export const MEMORY_CATEGORIES = valuesOf(MEMORY_CATEGORY_MEANINGS);
export type MemoryCategory = keyof typeof MEMORY_CATEGORY_MEANINGS;
