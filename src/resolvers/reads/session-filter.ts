import type { SessionFilterValue } from '../../schema/context.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { Parameters } from './parameters.ts';

/** Fewer characters have no trigram, so no index could serve them. */
const MIN_SEARCH_LENGTH = 3;
/** Characters; longer texts only cost. */
const MAX_SEARCH_LENGTH = 500;

/** The conditions of a filter but its search, on `alert_sessions t`. An empty list is no condition. */
export function filterConditions(filter: SessionFilterValue, params: Parameters): string[] {
  const conditions = ['t.deleted_at is null'];
  const anyOf = (column: string, values: readonly string[] | null | undefined) => {
    if (values?.length) conditions.push(`${column} = any(${params.add(values)}::text[])`);
  };
  anyOf('t.status', filter.status);
  anyOf('t.alert_type', filter.alertType);
  anyOf('t.chain_id', filter.chainId);
  anyOf('t.author', filter.author);
  if (filter.createdAfter) conditions.push(`t.created_at >= ${params.add(filter.createdAfter)}`);
  if (filter.createdBefore) conditions.push(`t.created_at < ${params.add(filter.createdBefore)}`);
  return conditions;
}

/** @throws BAD_USER_INPUT for a text that no search takes */
export function checkSearch(search: string): void {
  const length = [...search].length;
  if (length < MIN_SEARCH_LENGTH || length > MAX_SEARCH_LENGTH) {
    throw badUserInput(
      `\`search\` takes ${MIN_SEARCH_LENGTH} to ${MAX_SEARCH_LENGTH} characters; ${length} were given.`,
    );
  }
}
