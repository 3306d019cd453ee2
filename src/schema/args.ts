import type { DeliveryStatus } from '../db/delivery-status.ts';
import type {
  AlertState,
  IntakeOutcome,
  QualityRating,
  ReviewStatus,
  SessionStatus,
  Severity,
  TimelineEventType,
  Verdict,
} from '../db/enums.ts';
import type { WaitReason } from '../db/wait-reason.ts';

export const SESSION_ORDER_FIELD_MEANINGS = {
  CREATED_AT: 'When the session was submitted.',
  STATUS: 'The name of the status.',
  ALERT_TYPE: 'The name of the alert type.',
  AUTHOR: 'The name of the author.',
  DURATION: 'How long the session took; sessions that have not ended count as shortest.',
} as const;
export type SessionOrderField = keyof typeof SESSION_ORDER_FIELD_MEANINGS;

export const ORDER_DIRECTION_MEANINGS = {
  ASC: 'Smallest or oldest first.',
  DESC: 'Largest or newest first.',
} as const;
export type OrderDirection = keyof typeof ORDER_DIRECTION_MEANINGS;

export const SESSION_FACET_MEANINGS = {
  STATUS: 'Session status.',
  SEVERITY: 'Severity of the alert.',
  VERDICT: 'Verdict of the report.',
  LABEL: 'Label of the report; a session counts once for each of its labels.',
  ALERT_TYPE: 'Alert type of the session.',
  CHAIN: 'Chain that investigated the session.',
  AUTHOR: 'User or token that submitted the session.',
  TEAM: 'Team of the session.',
  REVIEW_STATUS: 'Status of the review.',
  RATING: 'Rating by the reviewer.',
} as const;
export type SessionFacet = keyof typeof SESSION_FACET_MEANINGS;

export const USAGE_DIMENSION_MEANINGS = {
  MODEL: 'Model, as the provider names it.',
  ALERT_TYPE: 'Alert type of the session.',
  CHAIN: 'Chain, by its name in the configuration.',
  TEAM: 'Team of the session; empty if it has none.',
  SOURCE: 'Source of the alerts; empty if they came from no configured source.',
  DAY: 'Day in UTC, such as 2026-11-23.',
} as const;
export type UsageDimension = keyof typeof USAGE_DIMENSION_MEANINGS;

/** Arguments of a paged list. `first` and `last` are 1–100; at most one of them is set. */
export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

export interface SessionFilterValue {
  status?: readonly SessionStatus[] | null | undefined;
  alertType?: readonly string[] | null | undefined;
  chainId?: readonly string[] | null | undefined;
  author?: readonly string[] | null | undefined;
  reviewStatus?: readonly ReviewStatus[] | null | undefined;
  verdict?: readonly Verdict[] | null | undefined;
  labels?: readonly string[] | null | undefined;
  rating?: readonly QualityRating[] | null | undefined;
  assignee?: readonly string[] | null | undefined;
  severity?: readonly Severity[] | null | undefined;
  waitingFor?: readonly WaitReason[] | null | undefined;
  /** Global id or UUID of the group. */
  groupId?: string | null | undefined;
  source?: readonly string[] | null | undefined;
  team?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  /** True for replays only. Default: sessions that are no replays. */
  isReplay?: boolean | null | undefined;
}

export interface SessionPageArgs extends PageArgs {
  filter?: SessionFilterValue | null | undefined;
  orderBy?: { field: SessionOrderField; direction: OrderDirection } | null | undefined;
}

export interface SessionCountsArgs {
  by: SessionFacet;
  filter?: SessionFilterValue | null | undefined;
}

export interface TimelineFilter {
  afterSequence: number;
  /** `null` for all types. */
  types: readonly TimelineEventType[] | null;
}

/** Selects model calls from `from` (inclusive) to `to` (exclusive) of the sessions that match the filter. */
export interface UsageArgs {
  from: Date;
  to: Date;
  by: UsageDimension;
  filter?: SessionFilterValue | null | undefined;
}

/** Selects the investigations of a track record. A field that is `null` sets no condition. */
export interface RecordFilter {
  alertType: string | null;
  chainId: string | null;
  since: Date | null;
}

export interface MemoryPageArgs extends PageArgs {
  search?: string | null | undefined;
  alertType?: readonly string[] | null | undefined;
  includeDeprecated?: boolean | null | undefined;
}

export const CASE_WORLD_MEANINGS = {
  OPEN: 'Nothing is known about a call that is not recorded.',
  CLOSED: 'A call that is not recorded finds nothing.',
} as const;

export interface CasePageArgs extends PageArgs {
  search?: string | null | undefined;
}

export interface AuditPageArgs extends PageArgs {
  actor?: readonly string[] | null | undefined;
  action?: readonly string[] | null | undefined;
  targetId?: string | null | undefined;
  from?: Date | null | undefined;
  to?: Date | null | undefined;
}

export interface DeliveryPageArgs extends PageArgs {
  channel?: string | null | undefined;
  status?: readonly DeliveryStatus[] | null | undefined;
  sessionId?: string | null | undefined;
}

export interface AlertGroupFilterValue {
  state?: AlertState | null | undefined;
  severity?: readonly Severity[] | null | undefined;
  source?: readonly string[] | null | undefined;
  alertType?: readonly string[] | null | undefined;
  team?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  since?: Date | null | undefined;
  before?: Date | null | undefined;
}

export interface AlertGroupPageArgs extends PageArgs {
  foldFlaps?: boolean | null | undefined;
  filter?: AlertGroupFilterValue | null | undefined;
}

export interface DecisionPageArgs extends PageArgs {
  groupId?: string;
  outcome?: readonly IntakeOutcome[] | null | undefined;
  source?: readonly string[] | null | undefined;
}

export interface SilencePageArgs extends PageArgs {
  includeEnded?: boolean | null | undefined;
}
