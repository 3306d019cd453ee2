import type { EnumRef } from '@pothos/core';
import * as configured from '../config/enums.ts';
import { DELIVERY_STATUS_MEANINGS, NOTIFICATION_CHANNEL_KIND_MEANINGS } from '../db/delivery-status.ts';
import * as stored from '../db/enums.ts';
import { WAIT_REASON_MEANINGS } from '../db/wait-reason.ts';
import * as args from './args.ts';
import { builder, type Types } from './builder.ts';
import { REPLAY_STATUS_MEANINGS } from './views.ts';

/** Returns the values of a GraphQL enum from their descriptions. A missing or additional value does not compile. */
export function described<Words extends readonly string[]>(meanings: Record<Words[number], string>) {
  const entries = Object.entries<string>(meanings).map(([word, description]) => [word, { description }]);
  return Object.fromEntries(entries) as Record<Words[number], { description: string }>;
}

function defineEnums<
  const Specs extends Record<
    string,
    readonly [description: string, meanings: Readonly<Record<string, string>>]
  >,
>(specs: Specs) {
  const refs = Object.entries(specs).map(([name, [description, meanings]]) => [
    name,
    builder.enumType(name, { description, values: described(meanings) }),
  ]);
  return Object.fromEntries(refs) as { [Name in keyof Specs]: EnumRef<Types, keyof Specs[Name][1]> };
}

export const enums = defineEnums({
  Role: [
    'Permissions of a user, from least to most. Each role includes the ones before it.',
    configured.ROLE_MEANINGS,
  ],
  TokenScope: ['An action that a token permits.', stored.TOKEN_SCOPE_MEANINGS],
  SessionStatus: [
    'Status of an investigation. The last four are final: a session never leaves them.',
    stored.SESSION_STATUS_MEANINGS,
  ],
  WaitReason: ['Why a session waits.', WAIT_REASON_MEANINGS],
  StageStatus: ['Status of a stage. The last four are final.', stored.STAGE_STATUS_MEANINGS],
  ExecutionStatus: [
    'Status of the work of one agent. COMPLETED, FAILED, CANCELLED and TIMED_OUT are final.',
    stored.EXECUTION_STATUS_MEANINGS,
  ],
  StageType: ['The purpose of a stage.', stored.STAGE_TYPE_MEANINGS],
  ParallelType: ['Why a stage has several agents.', configured.PARALLEL_TYPE_MEANINGS],
  SuccessPolicy: [
    'When a stage with several agents counts as successful.',
    configured.SUCCESS_POLICY_MEANINGS,
  ],
  IterationStrategy: ['How an agent works with its model.', configured.ITERATION_STRATEGY_MEANINGS],
  TimelineEventType: ['Kind of a timeline event.', stored.TIMELINE_EVENT_TYPE_MEANINGS],
  TimelineEventStatus: [
    'Status of a timeline event. All but STREAMING are final.',
    stored.TIMELINE_EVENT_STATUS_MEANINGS,
  ],
  MessageRole: ['Author of a message in a conversation with a model.', stored.MESSAGE_ROLE_MEANINGS],
  LlmInteractionType: ['The purpose of a model call.', stored.LLM_INTERACTION_TYPE_MEANINGS],
  ConclusionReason: ['Why an agent had to conclude early.', stored.CONCLUSION_REASON_MEANINGS],
  NotificationChannelKind: ['Kind of a notification channel.', NOTIFICATION_CHANNEL_KIND_MEANINGS],
  DeliveryStatus: ['Status of a notification to one channel.', DELIVERY_STATUS_MEANINGS],
  ApprovalStatus: ['Status of a tool call that needs approval.', stored.APPROVAL_STATUS_MEANINGS],
  CaseWorld: ['Meaning of tool calls that a case does not contain.', args.CASE_WORLD_MEANINGS],
  ReplayStatus: ['Status of a replay. The last three are final.', REPLAY_STATUS_MEANINGS],
  SessionOrderField: ['Sort key for a list of sessions.', args.SESSION_ORDER_FIELD_MEANINGS],
  OrderDirection: ['Sort direction.', args.ORDER_DIRECTION_MEANINGS],
  SessionFacet: ['Property for counting sessions.', args.SESSION_FACET_MEANINGS],
  UsageDimension: ['Property for grouping usage.', args.USAGE_DIMENSION_MEANINGS],
  VerdictKind: ['Conclusion of an investigation.', stored.VERDICT_MEANINGS],
  ClaimKind: ['Kind of a claim.', stored.CLAIM_KIND_MEANINGS],
  ClaimStatus: [
    'How well the citations of a claim prove it, as checked by the server. The status does not say that the claim is true.',
    stored.CLAIM_STATUS_MEANINGS,
  ],
  CitationStatus: ['Result of looking for a quote in the cited output.', stored.CITATION_STATUS_MEANINGS],
  HypothesisState: [
    'State of a hypothesis. The server checks its proof; the state does not say that the hypothesis is true.',
    stored.HYPOTHESIS_STATE_MEANINGS,
  ],
  ReviewStatus: ['Status of the review of an investigation that has ended.', stored.REVIEW_STATUS_MEANINGS],
  QualityRating: ['A reviewer’s rating of an investigation.', stored.QUALITY_RATING_MEANINGS],
  ReviewAction: [
    'Action on a review. Every action is recorded in its activity.',
    stored.REVIEW_ACTION_MEANINGS,
  ],
  ScoreStatus: ['Status of a score.', stored.SCORE_STATUS_MEANINGS],
  MemoryCategory: ['Kind of knowledge in a memory.', stored.MEMORY_CATEGORY_MEANINGS],
  AlertState: ['State of an alert, as its source reports it.', stored.ALERT_STATE_MEANINGS],
  Severity: ['Severity that the source reports, worst first.', stored.SEVERITY_MEANINGS],
  IntakeOutcome: ['Decision about a delivered alert.', stored.INTAKE_OUTCOME_MEANINGS],
});
