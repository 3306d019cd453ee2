import type { SessionFilterValue } from '../../schema/context.ts';
import { badUserInput } from '../../schema/errors.ts';

/** Fewer characters have no trigram, so no index could serve them. */
const MIN_SEARCH_LENGTH = 3;
/** Characters; longer texts only cost. */
const MAX_SEARCH_LENGTH = 500;

/** Values of a statement under construction. */
export interface Parameters {
  values: unknown[];
  add(value: unknown): string;
}

export function parameters(): Parameters {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

/** The conditions of a filter, on `alert_sessions t`. An empty list is no condition. */
export function filterConditions(filter: SessionFilterValue, params: Parameters): string[] {
  const conditions = ['t.deleted_at is null'];
  const anyOf = (column: string, values: readonly string[] | null | undefined) => {
    if (values?.length) conditions.push(`${column} = any(${params.add(values.map(checkText))}::text[])`);
  };
  anyOf('t.status', filter.status);
  anyOf('t.alert_type', filter.alertType);
  anyOf('t.chain_id', filter.chainId);
  anyOf('t.author', filter.author);
  if (filter.createdAfter) conditions.push(`t.created_at >= ${params.add(filter.createdAfter)}`);
  if (filter.createdBefore) conditions.push(`t.created_at < ${params.add(filter.createdBefore)}`);
  if (filter.search != null) conditions.push(searchCondition(filter.search, params));
  return conditions;
}

// Branches of a union, because each then has its own trigram index; `or` over tables would read them all.
function searchCondition(search: string, params: Parameters): string {
  const length = [...checkText(search)].length;
  if (length < MIN_SEARCH_LENGTH || length > MAX_SEARCH_LENGTH) {
    throw badUserInput(
      `\`search\` takes ${MIN_SEARCH_LENGTH} to ${MAX_SEARCH_LENGTH} characters; ${length} were given.`,
    );
  }
  const pattern = params.add(`%${search.replace(/[\\%_]/g, '\\$&')}%`);
  return `t.id in (
    select id from alert_sessions where alert_data ilike ${pattern}
    union select id from alert_sessions where final_analysis ilike ${pattern}
    union select session_id from timeline_events where status <> 'STREAMING' and content ilike ${pattern})`;
}

function checkText(text: string): string {
  // The database has no such character, and refuses the whole statement.
  if (text.includes('\0')) throw badUserInput('A filter cannot contain the character NUL (U+0000).');
  return text;
}
