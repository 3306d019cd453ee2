import { requestedTeams, type Visibility, visibilityParameter } from '../../access/visibility.ts';
import { REVIEWED_SESSION_STATUSES } from '../../db/enums.ts';
import { NOT_A_REPLAY } from '../../engine/features/cases/store.ts';
import { MAY_WAIT, WAIT_REASON } from '../../engine/store/waits.ts';
import type { SessionFilterValue } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import { keyOf } from '../../schema/ids.ts';
import type { Parameters } from './parameters.ts';

/** Shortest search (characters). Shorter texts contain no trigram, so that no index helps. */
const MIN_SEARCH_LENGTH = 3;
const MAX_SEARCH_LENGTH = 500;

/** Condition for sessions that need a review, as in the index `alert_sessions_to_review`. */
export const NEEDS_REVIEW = `t.review_status is null and t.status in (${REVIEWED_SESSION_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Returns a filter's SQL conditions on `alert_sessions t`, without its search. Empty lists add no condition. */
export function filterConditions(filter: SessionFilterValue, params: Parameters): string[] {
  return [
    filter.isReplay === true ? `not (${NOT_A_REPLAY})` : NOT_A_REPLAY,
    ...commonConditions(filter, params),
  ];
}

/** Returns the conditions that replays and other sessions share. */
export function commonConditions(filter: SessionFilterValue, { add, any, given }: Parameters): string[] {
  const { reviewStatus, groupId, source } = filter;
  const begun = reviewStatus?.filter((status) => status !== 'NEEDS_REVIEW');
  const reviews = [
    ...any('review_status', begun),
    ...(reviewStatus?.includes('NEEDS_REVIEW') ? [NEEDS_REVIEW] : []),
  ];
  return [
    't.deleted_at is null',
    ...any('status', filter.status),
    ...any('alert_type', filter.alertType),
    ...any('chain_id', filter.chainId),
    ...any('author', filter.author),
    ...any('verdict', filter.verdict),
    // The first condition lets the index of sessions with labels be used.
    ...(filter.labels?.length ? [`t.labels <> '{}' and t.labels && ${add(filter.labels)}::text[]`] : []),
    ...any('rating', filter.rating),
    ...any('assignee', filter.assignee),
    ...(reviews.length > 0 ? [`(${reviews.join(' or ')})`] : []),
    ...any('severity', filter.severity),
    ...(filter.waitingFor?.length
      ? [`${MAY_WAIT} and ${WAIT_REASON} = any(${add(filter.waitingFor)}::text[])`]
      : []),
    ...(groupId != null ? [ofGroup(add(keyOf('AlertGroup', groupId)))] : []),
    ...(source?.length ? [ofSources(add(source))] : []),
    ...given('created_at >=', filter.createdAfter),
    ...given('created_at <', filter.createdBefore),
  ];
}

/**
 * Returns the condition for sessions of a group, or of the storm that covers the group. A `null` id matches nothing.
 */
function ofGroup(id: string): string {
  return `(t.group_id = ${id}::uuid or t.id = (select session_id from alert_groups where id = ${id}::uuid))`;
}

/** Returns the condition for sessions of sources. Storm sessions have no group, but their source as author. */
function ofSources(sources: string): string {
  return `(exists (select 1 from alert_groups g where g.id = t.group_id and g.source = any(${sources}::text[]))
    or (t.group_id is null and t.author = any(${sources}::text[])
      and exists (select 1 from alert_groups g where g.session_id = t.id and g.source = t.author)))`;
}

export function teamsSought({ team }: SessionFilterValue, sight: Visibility): string[] | null {
  return team?.length ? requestedTeams(sight, team) : visibilityParameter(sight);
}

export function checkSearch(search: string): void {
  const length = [...search].length;
  if (length < MIN_SEARCH_LENGTH || length > MAX_SEARCH_LENGTH) {
    throw badUserInput(
      `\`search\` takes ${MIN_SEARCH_LENGTH} to ${MAX_SEARCH_LENGTH} characters; ${length} were given.`,
    );
  }
}
