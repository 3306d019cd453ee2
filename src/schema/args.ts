/** Sort keys for a list of sessions. */
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

/** Properties by which sessions are counted. */
export const SESSION_FACET_MEANINGS = {
  STATUS: 'Session status.',
  SEVERITY: 'Severity of the alert.',
  VERDICT: 'Verdict of the report.',
  ALERT_TYPE: 'Alert type of the session.',
  CHAIN: 'Chain that investigated the session.',
  AUTHOR: 'User or token that submitted the session.',
  TEAM: 'Team of the session.',
  REVIEW_STATUS: 'Status of the review.',
  RATING: 'Rating by the reviewer.',
} as const;
export type SessionFacet = keyof typeof SESSION_FACET_MEANINGS;

/** Properties by which usage is grouped. */
export const USAGE_DIMENSION_MEANINGS = {
  MODEL: 'Model, as the provider names it.',
  ALERT_TYPE: 'Alert type of the session.',
  CHAIN: 'Chain, by its name in the configuration.',
  TEAM: 'Team of the session; empty if it has none.',
  SOURCE: 'Source of the alerts; empty if they came from no configured source.',
  DAY: 'Day in UTC, such as 2026-11-23.',
} as const;
export type UsageDimension = keyof typeof USAGE_DIMENSION_MEANINGS;
