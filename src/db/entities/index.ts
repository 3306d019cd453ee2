export { AgentExecution, type AgentExecutionRow } from './agent-execution.ts';
export { Alert, type AlertRow } from './alert.ts';
export { AlertGroup, type AlertGroupRow } from './alert-group.ts';
export {
  AlertSession,
  type AlertSessionRow,
  type McpSelectionValue,
  type SessionWait,
} from './alert-session.ts';
export { AlertSubmission } from './alert-submission.ts';
export { AnswerReport, type AnswerReportRow } from './answer-report.ts';
export { ApiToken } from './api-token.ts';
export {
  Approval,
  ApprovalDecision,
  type ApprovalDecisionRow,
  type ApprovalRow,
  type StoredOrigin,
} from './approval.ts';
export { AuditEvent, type AuditEventRow } from './audit-event.ts';
export { BudgetUse } from './budget-use.ts';
export { Canary, type CanaryRow } from './canary.ts';
export { Case, type CaseRow, Replay, type ReplayRow, type StoredExpectation } from './case.ts';
export { Chat, type ChatRow } from './chat.ts';
export { ChatUserMessage, type ChatUserMessageRow } from './chat-user-message.ts';
export {
  DirectoryGroup,
  type DirectoryGroupRow,
  DirectoryUser,
  type DirectoryUserRow,
} from './directory.ts';
export { Hypothesis, type HypothesisRow } from './hypothesis.ts';
export { IntakeDecision, type IntakeDecisionRow } from './intake-decision.ts';
export { IntakeDelivery } from './intake-delivery.ts';
export { LlmInteraction, type LlmInteractionRow } from './llm-interaction.ts';
export { McpInteraction, type McpInteractionRow } from './mcp-interaction.ts';
export { McpServerHealth, type McpServerHealthRow, type McpToolValue } from './mcp-server-health.ts';
export { Memory, type MemoryRow, MemorySession, MemoryWord } from './memory.ts';
export { Message, type MessageRow, type ToolCallValue } from './message.ts';
export {
  NotificationDelivery,
  type NotificationDeliveryRow,
  type StoredNotice,
} from './notification-delivery.ts';
export {
  Report,
  type ReportRow,
  type StoredAgreement,
  type StoredCitation,
  type StoredClaim,
  type StoredFact,
} from './report.ts';
export { ReviewActivity, type ReviewActivityRow } from './review-activity.ts';
export { RunningConfiguration, type RunningConfigurationRow } from './running-configuration.ts';
export { SavedView, type SavedViewRow } from './saved-view.ts';
export { type ScheduleCause, ScheduleRun } from './schedule-run.ts';
export { Score, type ScoreDimensions, type ScoreRow } from './score.ts';
export { SessionEvent, type SessionEventRow } from './session-event.ts';
export { SessionRunbook, type SessionRunbookRow } from './session-runbook.ts';
export { SessionSearch, SessionSearchDue } from './session-search.ts';
export { Silence, type SilenceRow } from './silence.ts';
export { SlackPost, type SlackPostRow } from './slack-post.ts';
export { SlackRequest, type SlackRequestRow } from './slack-request.ts';
export { Stage, type StageRow } from './stage.ts';
export { SystemWarning, type SystemWarningRow } from './system-warning.ts';
export { TimelineEvent, type TimelineEventRow } from './timeline-event.ts';
