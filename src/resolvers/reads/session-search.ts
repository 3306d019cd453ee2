import { setTimeout as delay } from 'node:timers/promises';
import { visibleSql } from '../../access/visibility.ts';
import { indexBeforeSearch } from '../../engine/store/search-index.ts';
import type { SessionFilterValue } from '../../schema/args.ts';
import { type Parameters, parameters } from './parameters.ts';
import { checkSearch, filterConditions, teamsSought } from './session-filter.ts';
import type { ReadDb } from './tables.ts';

/** Largest number of matches listed by id. With more matches, pages compare session after session in sort order. */
const MAX_LISTED = 1000;

/**
 * Replaces MAX_LISTED if all terms are sought inside words only. The index then finds more sessions to compare,
 * cheaply.
 */
const MAX_LISTED_BY_PARTS = 500;

export interface SearchMatches {
  /** Ids of all matches. If there are too many: ids of matches whose timeline is still growing. */
  ids: string[];
  /** Terms with which to compare other sessions; `null` if `ids` is complete. */
  common: SearchTerm[] | null;
  /** The teams in whose sessions the terms are sought; '' = no team, `null` = all. */
  teams: readonly string[] | null;
}

/**
 * Duration (ms) in whose multiples searches among some teams are answered. The index passes over the documents of other teams
 * that contain a term in 5 to 10 µs each; without steps, that time would tell that they contain it.
 */
const STEP_MS = 100;

/** Returns the time (ms) from `elapsedMs` to the next multiple of STEP_MS. */
export function restOfStep(elapsedMs: number): number {
  return STEP_MS - (elapsedMs % STEP_MS);
}

/**
 * Finds the sessions that contain all terms: in the search index and, for running sessions, also in their timeline. Sessions
 * of other teams are left out in the index, because reading them would tell by time that they contain a word.
 * @param teams the teams in whose sessions the viewer seeks; '' = no team, `null` = all
 */
export async function findMatches(
  { search: db, index }: Pick<ReadDb, 'search' | 'index'>,
  search: string,
  teams: readonly string[] | null,
): Promise<SearchMatches> {
  await indexBeforeSearch(index);
  const begun = performance.now();
  const terms = parseSearch(search);
  const params = parameters();
  const scope = scopeConditions(teams, params);
  const found = terms.map((term) => matcher(term, params));
  // A search with only punctuation finds nothing, rather than everything.
  const sought = terms.some(({ kind }) => kind === 'part')
    ? []
    : [`(${found.map(({ words }) => words).join(' + ') || '0'}) > 0`];
  const indexed = [...scope, ...sought, ...found.map((term) => term.indexed)];
  const running = found.map(
    (term) => `(${term.indexed} or exists (
      select 1 from timeline_events e where e.session_id = d.session_id and e.status <> 'STREAMING' and ${term.literal()}))`,
  );
  const limit = terms.every((term) => term.kind === 'part' && !term.stem) ? MAX_LISTED_BY_PARTS : MAX_LISTED;
  const sql = `
    (select d.session_id as id, false as running from session_search d where ${indexed.join(' and ')} limit ${limit + 1})
    union all
    select d.session_id, true from (${GROWING}) g join session_search d on d.session_id = g.id where ${[...scope, ...sought, ...running].join(' and ')}`;
  const { rows } = await db.query<{ id: string; running: boolean }>(sql, params.values);
  if (teams !== null) await delay(restOfStep(performance.now() - begun));
  const listed = rows.filter((row) => !row.running);
  const common = listed.length > limit;
  return {
    ids: [...new Set((common ? rows.filter((row) => row.running) : rows).map(({ id }) => id))],
    common: common ? terms : null,
    teams,
  };
}

/**
 * Returns the condition that session `t` matches. `next` compares the sessions one by one; `all` uses the search index.
 */
export function matchCondition(
  { ids, common, teams }: SearchMatches,
  params: Parameters,
  read: 'next' | 'all',
): string {
  const listed = `${params.add(ids)}::uuid[]`;
  if (common === null) return `t.id = any(${listed})`;
  const terms = common.map((term) => matcher(term, params).indexed);
  const compared = [...scopeConditions(teams, params), ...terms].join(' and ');
  const matches =
    read === 'next'
      ? `(select ${compared} from session_search d where d.session_id = t.id)`
      : `t.id in (select d.session_id from session_search d where ${compared})`;
  return `(${matches} or t.id = any(${listed}))`;
}

/** Returns the SQL conditions on `session_search d` for the sessions of these teams. The search index finds them. */
function scopeConditions(teams: readonly string[] | null, params: Parameters): string[] {
  return teams === null ? [] : [`d.scope && ${params.add(teams)}::text[]`];
}

/** Returns the SQL condition for the visible sessions that match a filter. @throws BAD_USER_INPUT */
export async function visibleConditions(
  db: ReadDb,
  filter: SessionFilterValue | null | undefined,
  params: Parameters,
): Promise<string> {
  const { search, ...rest } = filter ?? {};
  const teams = teamsSought(rest, db.sight);
  const conditions = [...filterConditions(rest, params), visibleSql('t.team', params.add(teams))];
  if (search != null) {
    checkSearch(search);
    conditions.push(matchCondition(await findMatches(db, search, teams), params, 'all'));
  }
  return conditions.join(' and ');
}

/** Selects sessions whose timeline may have text that session_search lacks: running, suspended or answering ones. */
const GROWING = `
  select id from alert_sessions where status in ('IN_PROGRESS', 'CANCELLING', 'WAITING_FOR_APPROVAL') and deleted_at is null
  union
  select id from alert_sessions where status = 'PENDING' and last_timeline_sequence > 0 and deleted_at is null
  union
  select session_id from stages where type = 'CHAT' and status in ('PENDING', 'ACTIVE')`;

interface Matcher {
  /** SQL condition on the row `session_search d`. */
  indexed: string;
  literal(): string;
  /** SQL expression for the number of indexable words. */
  words: string;
}

const CONFIGURATION = `'tarsy_search'::regconfig`;

// Adds a value only where a condition uses it, because PostgreSQL knows no type for unused parameters.
function matcher({ text, ...term }: SearchTerm, params: Parameters): Matcher {
  const pattern = () => `lower(${params.add(`%${text.replace(/[\\%_]/g, '\\$&')}%`)})`;
  const literal = () => `lower(e.content) like ${pattern()}`;
  if (term.kind === 'part') {
    const like = `d.words like ${pattern()}`;
    if (!term.stem) return { indexed: like, literal, words: '1' };
    const query = `plainto_tsquery(${CONFIGURATION}, ${params.add(text)})`;
    return { indexed: `(${like} or d.document @@ ${query})`, literal, words: '1' };
  }
  // Removes the same characters as the SQL function tarsy_search_document.
  const query = `phraseto_tsquery(${CONFIGURATION}, ${params.add(text.replace(/[_\-./@<&~+]/g, ' '))})`;
  const sought = term.kind === 'start' ? `${params.add(`'${text.toLowerCase()}':*`)}::tsquery` : query;
  return {
    indexed: `(numnode(${query}) = 0 or d.document @@ ${sought})`,
    literal: () => `(numnode(${query}) = 0 or ${literal()})`,
    words: `numnode(${query})`,
  };
}

/** One term of a search. All terms must occur in a session. */
export type SearchTerm =
  /** Part of a word as written; `stem` also finds other forms of the word. */
  | { kind: 'part'; text: string; stem: boolean }
  /** Start of a word, for text that is too short to be found inside words. */
  | { kind: 'start'; text: string }
  /** Adjacent words in any form. */
  | { kind: 'phrase'; text: string };

/** Matches text that a trigram index can find. Other text would require reading all rows. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;
const LETTERS = /^\p{L}+$/u;
const LETTERS_OR_DIGITS = /^[\p{L}\p{N}]+$/u;

/** Matches a quoted phrase, or text between white space. A quote inside a word is an ordinary character. */
const TERM = /"([^"]+)"(?=\s|$)|\S+/gu;

export function parseSearch(search: string): SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const [whole, quoted] of search.matchAll(TERM)) {
    const term = quoted === undefined ? word(whole) : phrase(quoted);
    terms.set(`${term.kind} ${term.text}`, term);
  }
  return [...terms.values()];
}

function word(text: string): SearchTerm {
  if (INDEXABLE.test(text)) return { kind: 'part', text, stem: LETTERS.test(text) };
  return LETTERS_OR_DIGITS.test(text) ? { kind: 'start', text } : { kind: 'phrase', text };
}

function phrase(text: string): SearchTerm {
  const inner = text.trim();
  return /\s/u.test(inner) || inner === '' ? { kind: 'phrase', text } : word(inner);
}
