import { ITERATION_STRATEGIES, PARALLEL_TYPES, SUCCESS_POLICIES } from '../config/enums.ts';
import {
  LLM_INTERACTION_TYPES,
  MESSAGE_ROLES,
  SESSION_STATUSES,
  STAGE_STATUSES,
  STAGE_TYPES,
  TIMELINE_EVENT_STATUSES,
  TIMELINE_EVENT_TYPES,
} from '../db/enums.ts';
import { builder } from './builder.ts';
import { SESSION_ORDER_FIELDS } from './context.ts';

export const SessionStatus = builder.enumType('SessionStatus', { values: SESSION_STATUSES });
export const StageStatus = builder.enumType('StageStatus', { values: STAGE_STATUSES });
export const ExecutionStatus = builder.enumType('ExecutionStatus', { values: STAGE_STATUSES });
export const StageType = builder.enumType('StageType', { values: STAGE_TYPES });
export const ParallelType = builder.enumType('ParallelType', { values: PARALLEL_TYPES });
export const SuccessPolicy = builder.enumType('SuccessPolicy', { values: SUCCESS_POLICIES });
export const IterationStrategy = builder.enumType('IterationStrategy', { values: ITERATION_STRATEGIES });
export const TimelineEventType = builder.enumType('TimelineEventType', { values: TIMELINE_EVENT_TYPES });
export const TimelineEventStatus = builder.enumType('TimelineEventStatus', {
  values: TIMELINE_EVENT_STATUSES,
});
export const MessageRole = builder.enumType('MessageRole', { values: MESSAGE_ROLES });
export const LlmInteractionType = builder.enumType('LlmInteractionType', { values: LLM_INTERACTION_TYPES });
export const SessionOrderField = builder.enumType('SessionOrderField', { values: SESSION_ORDER_FIELDS });
export const OrderDirection = builder.enumType('OrderDirection', { values: ['ASC', 'DESC'] as const });
