import type {
  AgentExecutionRow,
  AlertGroupRow,
  AlertRow,
  ChatRow,
  ChatUserMessageRow,
  IntakeDecisionRow,
  SilenceRow,
  StageRow,
  TimelineEventRow,
} from '../../db/entities/index.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';
import type { MessageView } from '../inline-messages.ts';
import type { LlmInteractionHead, McpInteractionHead } from '../views.ts';

// Declared apart from their fields, because types refer to one another in circles.
export const SessionRef = builder.objectRef<SessionSnapshot>('Session');
export const StageRef = builder.objectRef<StageRow>('Stage');
export const ExecutionRef = builder.objectRef<AgentExecutionRow>('AgentExecution');
export const TimelineEventRef = builder.objectRef<TimelineEventRow>('TimelineEvent');
export const MessageRef = builder.objectRef<MessageView>('Message');
export const LlmInteractionRef = builder.objectRef<LlmInteractionHead>('LlmInteraction');
export const McpInteractionRef = builder.objectRef<McpInteractionHead>('McpInteraction');
export const ChatRef = builder.objectRef<ChatRow>('Chat');
export const ChatMessageRef = builder.objectRef<ChatUserMessageRow>('ChatMessage');
/** A trace is a second view of a session. */
export const TraceRef = builder.objectRef<SessionSnapshot>('Trace');

export const AlertRef = builder.objectRef<AlertRow>('Alert');
export const AlertGroupRef = builder.objectRef<AlertGroupRow>('AlertGroup');
export const IntakeDecisionRef = builder.objectRef<IntakeDecisionRow>('IntakeDecision');
export const SilenceRef = builder.objectRef<SilenceRow>('Silence');
