import type { Queryable } from '../../db/queryable.ts';
import { makeSearchDocuments, SEARCH_MS } from '../../engine/sessions/backfill.ts';
import { type Parameters, parameters } from './parameters.ts';
import { parseSearch, type SearchTerm } from './search-terms.ts';

/**
 * Sessions that are listed by id. What more sessions than these have is common: pages then find it in the sessions that come
 * next in their order, of which few need to be read until a page is full, and no list of all is made.
 */
const MAX_LISTED = 1000;

/** The same when only parts of words are looked for: the index finds many that must be compared, and to compare one is cheap. */
const MAX_LISTED_BY_PARTS = 500;

/** Which sessions a search finds. */
export interface SearchMatches {
  /** All of them, or all of those whose timeline still grows when the others are too many. */
  ids: string[];
  /** Terms that every other session is compared with; null when `ids` has all. */
  common: SearchTerm[] | null;
}

/** Finds the sessions that have all terms: by the index, and, while they run, in their timeline. */
export async function findMatches(db: Queryable, search: string): Promise<SearchMatches> {
  await makeSearchDocuments(db, SEARCH_MS); // what was stored just now is found too
  const terms = parseSearch(search);
  const params = parameters();
  const found = terms.map((term) => matcher(term, params));
  // Only signs: nothing to look for, rather than everything.
  const sought = terms.some(({ kind }) => kind === 'part')
    ? []
    : [`(${found.map(({ words }) => words).join(' + ') || '0'}) > 0`];
  const indexed = [...sought, ...found.map((term) => term.indexed)];
  const running = found.map(
    (term) => `(${term.indexed} or exists (
      select 1 from timeline_events e where e.session_id = d.session_id and e.status <> 'STREAMING' and ${term.literal()}))`,
  );
  const limit = terms.every((term) => term.kind === 'part' && !term.stem) ? MAX_LISTED_BY_PARTS : MAX_LISTED;
  const sql = `
    (select d.session_id as id, false as running from session_search d where ${indexed.join(' and ')} limit ${limit + 1})
    union all
    select d.session_id, true from (${GROWING}) g join session_search d on d.session_id = g.id where ${[...sought, ...running].join(' and ')}`;
  const { rows } = await db.query<{ id: string; running: boolean }>(sql, params.values);
  const listed = rows.filter((row) => !row.running);
  const common = listed.length > limit;
  return {
    ids: [...new Set((common ? rows.filter((row) => row.running) : rows).map(({ id }) => id))],
    common: common ? terms : null,
  };
}

/**
 * The condition that a session `t` is among the matches. `read` says how many sessions the statement looks at: the next ones in an
 * order until a page is full, of which each is compared by itself, or all, among which the index finds those that match.
 */
export function matchCondition(
  { ids, common }: SearchMatches,
  params: Parameters,
  read: 'next' | 'all',
): string {
  const listed = `${params.add(ids)}::uuid[]`;
  if (common === null) return `t.id = any(${listed})`;
  const compared = common.map((term) => matcher(term, params).indexed).join(' and ');
  const matches =
    read === 'next'
      ? `(select ${compared} from session_search d where d.session_id = t.id)`
      : `t.id in (select d.session_id from session_search d where ${compared})`;
  return `(${matches} or t.id = any(${listed}))`;
}

/** Sessions that have more in their timeline than session_search knows: they run, wait to go on, or are being asked. */
const GROWING = `
  select id from alert_sessions where status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL') and deleted_at is null
  union
  select id from alert_sessions where status = 'PENDING' and last_timeline_sequence > 0 and deleted_at is null
  union
  select session_id from stages where type = 'CHAT' and status in ('PENDING', 'ACTIVE')`;

interface Matcher {
  /** Condition on `session_search d`. */
  indexed: string;
  /** Condition on `timeline_events e`. */
  literal(): string;
  /** Words that the index can look for, as SQL. */
  words: string;
}

const CONFIGURATION = `'tarsy_search'::regconfig`;

// A value that no part of a statement uses has no type, so each is added where it is used.
function matcher({ text, ...term }: SearchTerm, params: Parameters): Matcher {
  const pattern = () => `lower(${params.add(`%${text.replace(/[\\%_]/g, '\\$&')}%`)})`;
  const literal = () => `lower(e.content) like ${pattern()}`;
  if (term.kind === 'part') {
    const like = `d.words like ${pattern()}`;
    if (!term.stem) return { indexed: like, literal, words: '1' };
    const query = `plainto_tsquery(${CONFIGURATION}, ${params.add(text)})`;
    return { indexed: `(${like} or d.document @@ ${query})`, literal, words: '1' };
  }
  // As tarsy_search_document takes them out.
  const query = `phraseto_tsquery(${CONFIGURATION}, ${params.add(text.replace(/[_\-./@<&~+]/g, ' '))})`;
  const sought = term.kind === 'start' ? `${params.add(`'${text.toLowerCase()}':*`)}::tsquery` : query;
  // Signs alone are no word, and no condition.
  return {
    indexed: `(numnode(${query}) = 0 or d.document @@ ${sought})`,
    literal: () => `(numnode(${query}) = 0 or ${literal()})`,
    words: `numnode(${query})`,
  };
}
