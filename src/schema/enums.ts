import {
  ITERATION_STRATEGY_MEANINGS,
  PARALLEL_TYPE_MEANINGS,
  ROLE_MEANINGS,
  SUCCESS_POLICY_MEANINGS,
} from '../config/enums.ts';
import * as stored from '../db/enums.ts';
import {
  ORDER_DIRECTION_MEANINGS,
  SESSION_FACET_MEANINGS,
  SESSION_ORDER_FIELD_MEANINGS,
  USAGE_DIMENSION_MEANINGS,
} from './args.ts';
import { builder } from './builder.ts';
import { described } from './described.ts';

/** Defines a GraphQL enum from an object that maps each value to its description. */
function enumType<Value extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<Value, string>>,
) {
  return builder.enumType(name, { description, values: described<readonly Value[]>(meanings) });
}

export const RoleEnum = enumType(
  'Role',
  'Permissions of a user, from least to most. Each role includes the ones before it.',
  ROLE_MEANINGS,
);
export const TokenScopeEnum = enumType(
  'TokenScope',
  'An action that a token permits.',
  stored.TOKEN_SCOPE_MEANINGS,
);

export const SessionStatusEnum = enumType(
  'SessionStatus',
  'Status of an investigation. The last four are final: a session never leaves them.',
  stored.SESSION_STATUS_MEANINGS,
);
export const StageStatusEnum = enumType(
  'StageStatus',
  'Status of a stage. The last four are final.',
  stored.STAGE_STATUS_MEANINGS,
);
export const ExecutionStatusEnum = enumType(
  'ExecutionStatus',
  'Status of the work of one agent. COMPLETED, FAILED, CANCELLED and TIMED_OUT are final.',
  stored.EXECUTION_STATUS_MEANINGS,
);
export const StageTypeEnum = enumType('StageType', 'The purpose of a stage.', stored.STAGE_TYPE_MEANINGS);
export const ParallelTypeEnum = enumType(
  'ParallelType',
  'Why a stage has several agents.',
  PARALLEL_TYPE_MEANINGS,
);
export const SuccessPolicyEnum = enumType(
  'SuccessPolicy',
  'When a stage with several agents counts as successful.',
  SUCCESS_POLICY_MEANINGS,
);
export const IterationStrategyEnum = enumType(
  'IterationStrategy',
  'How an agent works with its model.',
  ITERATION_STRATEGY_MEANINGS,
);
export const TimelineEventTypeEnum = enumType(
  'TimelineEventType',
  'Kind of a timeline event.',
  stored.TIMELINE_EVENT_TYPE_MEANINGS,
);
export const TimelineEventStatusEnum = enumType(
  'TimelineEventStatus',
  'Status of a timeline event. All but STREAMING are final.',
  stored.TIMELINE_EVENT_STATUS_MEANINGS,
);
export const MessageRoleEnum = enumType(
  'MessageRole',
  'Author of a message in a conversation with a model.',
  stored.MESSAGE_ROLE_MEANINGS,
);
export const LlmInteractionTypeEnum = enumType(
  'LlmInteractionType',
  'The purpose of a model call.',
  stored.LLM_INTERACTION_TYPE_MEANINGS,
);
export const ApprovalStatusEnum = enumType(
  'ApprovalStatus',
  'Status of a tool call that needs approval.',
  stored.APPROVAL_STATUS_MEANINGS,
);

export const SessionOrderFieldEnum = enumType(
  'SessionOrderField',
  'Sort key for a list of sessions.',
  SESSION_ORDER_FIELD_MEANINGS,
);
export const OrderDirectionEnum = enumType('OrderDirection', 'Sort direction.', ORDER_DIRECTION_MEANINGS);
export const SessionFacetEnum = enumType(
  'SessionFacet',
  'Property by which sessions are counted.',
  SESSION_FACET_MEANINGS,
);
export const UsageDimensionEnum = enumType(
  'UsageDimension',
  'Property by which usage is grouped.',
  USAGE_DIMENSION_MEANINGS,
);

export const VerdictKindEnum = enumType(
  'VerdictKind',
  'Conclusion of an investigation.',
  stored.VERDICT_MEANINGS,
);
export const ClaimKindEnum = enumType('ClaimKind', 'Kind of a claim.', stored.CLAIM_KIND_MEANINGS);
export const ClaimStatusEnum = enumType(
  'ClaimStatus',
  'How well the citations of a claim prove it, as checked by the server. The status does not say that the claim is true.',
  stored.CLAIM_STATUS_MEANINGS,
);
export const CitationStatusEnum = enumType(
  'CitationStatus',
  'Result of looking for a quote in the cited output.',
  stored.CITATION_STATUS_MEANINGS,
);
export const ReviewStatusEnum = enumType(
  'ReviewStatus',
  'Status of the review of an investigation that has ended.',
  stored.REVIEW_STATUS_MEANINGS,
);
export const QualityRatingEnum = enumType(
  'QualityRating',
  'A reviewer’s rating of an investigation.',
  stored.QUALITY_RATING_MEANINGS,
);
export const ReviewActionEnum = enumType(
  'ReviewAction',
  'Action on a review. Every action is recorded in its activity.',
  stored.REVIEW_ACTION_MEANINGS,
);
export const ScoreStatusEnum = enumType('ScoreStatus', 'Status of a score.', stored.SCORE_STATUS_MEANINGS);
export const MemoryCategoryEnum = enumType(
  'MemoryCategory',
  'Kind of knowledge in a memory.',
  stored.MEMORY_CATEGORY_MEANINGS,
);

export const AlertStateEnum = enumType(
  'AlertState',
  'State of an alert, as its source reports it.',
  stored.ALERT_STATE_MEANINGS,
);
export const SeverityEnum = enumType(
  'Severity',
  'Severity that the source reports, worst first.',
  stored.SEVERITY_MEANINGS,
);
export const IntakeOutcomeEnum = enumType(
  'IntakeOutcome',
  'Decision about a delivered alert.',
  stored.INTAKE_OUTCOME_MEANINGS,
);
