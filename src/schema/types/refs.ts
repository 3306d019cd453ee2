import type * as db from '../../db/entities/index.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';
import type { MessageView } from '../inline-messages.ts';
import type { LlmInteractionHead, McpInteractionHead } from '../views.ts';

// Declares types without fields. Other files add the fields, because the types refer to each other in circles.
export const SessionRef = builder.objectRef<SessionSnapshot>('Session');
export const StageRef = builder.objectRef<db.StageRow>('Stage');
export const ExecutionRef = builder.objectRef<db.AgentExecutionRow>('AgentExecution');
export const TimelineEventRef = builder.objectRef<db.TimelineEventRow>('TimelineEvent');
export const MessageRef = builder.objectRef<MessageView>('Message');
export const LlmInteractionRef = builder.objectRef<LlmInteractionHead>('LlmInteraction');
export const McpInteractionRef = builder.objectRef<McpInteractionHead>('McpInteraction');
export const HintRef = builder.objectRef<db.TimelineEventRow>('Hint');
export const ChatRef = builder.objectRef<db.ChatRow>('Chat');
export const ChatMessageRef = builder.objectRef<db.ChatUserMessageRow>('ChatMessage');
/** A trace is a second view of a session. */
export const TraceRef = builder.objectRef<SessionSnapshot>('Trace');

export const CaseRef = builder.objectRef<db.CaseRow>('Case');
export const ReplayRef = builder.objectRef<db.ReplayRow>('Replay');

export const AlertRef = builder.objectRef<db.AlertRow>('Alert');
export const AlertGroupRef = builder.objectRef<db.AlertGroupRow>('AlertGroup');
export const IntakeDecisionRef = builder.objectRef<db.IntakeDecisionRow>('IntakeDecision');
export const SilenceRef = builder.objectRef<db.SilenceRow>('Silence');
