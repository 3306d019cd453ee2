import { requestedTeams, type Visibility, visibilityParameter } from '../../access/visibility.ts';
import { REVIEWED_SESSION_STATUSES } from '../../db/enums.ts';
import type { SessionFilterValue } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import { keyOf } from '../../schema/ids.ts';
import type { Parameters } from './parameters.ts';

/** Shortest search in characters: fewer have no trigram, so no index helps. */
const MIN_SEARCH_LENGTH = 3;
const MAX_SEARCH_LENGTH = 500;

/** Unreviewed sessions, as in the index `alert_sessions_to_review`. */
export const NEEDS_REVIEW = `t.review_status is null and t.status in (${REVIEWED_SESSION_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Returns the conditions of a filter, except its search, on `alert_sessions t`. Empty lists are no condition. */
export function filterConditions(filter: SessionFilterValue, params: Parameters): string[] {
  const conditions = ['t.deleted_at is null'];
  const anyOf = (column: string, values: readonly string[] | null | undefined) => {
    if (values?.length) conditions.push(`${column} = any(${params.add(values)}::text[])`);
  };
  anyOf('t.status', filter.status);
  anyOf('t.alert_type', filter.alertType);
  anyOf('t.chain_id', filter.chainId);
  anyOf('t.author', filter.author);
  anyOf('t.verdict', filter.verdict);
  anyOf('t.rating', filter.rating);
  anyOf('t.assignee', filter.assignee);
  if (filter.reviewStatus?.length) {
    const begun = filter.reviewStatus.filter((status) => status !== 'NEEDS_REVIEW');
    const any: string[] = [];
    if (begun.length > 0) any.push(`t.review_status = any(${params.add(begun)}::text[])`);
    if (begun.length < filter.reviewStatus.length) any.push(NEEDS_REVIEW);
    conditions.push(`(${any.join(' or ')})`);
  }
  anyOf('t.severity', filter.severity);
  if (filter.groupId != null) conditions.push(ofGroup(params.add(keyOf('AlertGroup', filter.groupId))));
  if (filter.source?.length) conditions.push(ofSources(params.add(filter.source)));
  if (filter.createdAfter) conditions.push(`t.created_at >= ${params.add(filter.createdAfter)}`);
  if (filter.createdBefore) conditions.push(`t.created_at < ${params.add(filter.createdBefore)}`);
  return conditions;
}

/** Matches sessions of a group, alone or as part of a storm. An invalid id matches nothing. */
function ofGroup(id: string): string {
  return `(t.group_id = ${id}::uuid or t.id = (select session_id from alert_groups where id = ${id}::uuid))`;
}

/** Storm sessions have no group; their author is the source. */
function ofSources(sources: string): string {
  return `(exists (select 1 from alert_groups g where g.id = t.group_id and g.source = any(${sources}::text[]))
    or (t.group_id is null and t.author = any(${sources}::text[])
      and exists (select 1 from alert_groups g where g.session_id = t.id and g.source = t.author)))`;
}

/** Returns the teams whose sessions a filter may find; `null` for all. */
export function teamsSought({ team }: SessionFilterValue, sight: Visibility): string[] | null {
  return team?.length ? requestedTeams(sight, team) : visibilityParameter(sight);
}

/** @throws BAD_USER_INPUT if the search is too short or too long */
export function checkSearch(search: string): void {
  const length = [...search].length;
  if (length < MIN_SEARCH_LENGTH || length > MAX_SEARCH_LENGTH) {
    throw badUserInput(
      `\`search\` takes ${MIN_SEARCH_LENGTH} to ${MAX_SEARCH_LENGTH} characters; ${length} were given.`,
    );
  }
}
