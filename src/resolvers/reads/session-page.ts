import { visiblePartsSql, visibleSql } from '../../access/visibility.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import type {
  OrderDirection,
  SessionFilterValue,
  SessionOrderField,
  SessionPageArgs,
} from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { Page } from '../../schema/views.ts';
import { once } from './once.ts';
import { parameters } from './parameters.ts';
import { decodeCursor, encodeCursor, SORT_KEYS, type SortKey, sortKeyOf } from './session-cursor.ts';
import { checkSearch, filterConditions, teamsSought } from './session-filter.ts';
import { findMatches, matchCondition, type SearchMatches } from './session-search.ts';
import type { ReadDb } from './tables.ts';

const DEFAULT_PAGE = 25;
const MAX_PAGE = 100;

interface List {
  db: Queryable;
  columns: string;
  filter: SessionFilterValue;
  teams: string[] | null;
  field: SessionOrderField;
  direction: OrderDirection;
  matches: SearchMatches | null;
}
/** Rows before or after a key, with or without the row of the key. */
interface Border {
  side: 'before' | 'after';
  key: SortKey;
  inclusive?: boolean;
}

/** Returns one page of sessions by keyset. @throws BAD_USER_INPUT for an invalid page size, cursor or filter */
export async function readSessionPage(db: ReadDb, args: SessionPageArgs): Promise<Page<SessionSnapshot>> {
  const { limit, backward } = pageSize(args);
  const { field, direction } = args.orderBy ?? { field: 'CREATED_AT', direction: 'DESC' };
  const filter = args.filter ?? {};
  const after = args.after == null ? null : decodeCursor(field, args.after, 'after');
  const before = args.before == null ? null : decodeCursor(field, args.before, 'before');
  const borders: Border[] = [];
  if (after) borders.push({ side: 'after', key: after });
  if (before) borders.push({ side: 'before', key: before });

  if (filter.search != null) checkSearch(filter.search);
  const pool = filter.search == null ? db.pool : db.search;
  const matches = filter.search == null ? null : await findMatches(pool, filter.search);
  const teams = teamsSought(filter, db.sight);
  const list: List = {
    ...{ db: pool, columns: db.tables.session.columns },
    ...{ filter, teams, field, direction, matches },
  };
  const found = await selectSessions(list, borders, limit + 1, backward);
  const more = found.length > limit;
  const rows = found.slice(0, limit);
  if (backward) rows.reverse();
  const keys = rows.map((row) => sortKeyOf(field, row));

  // An empty page lies at its cursor, whose row then counts as outside the page.
  const beyond = async (side: 'before' | 'after', edge: SortKey | undefined, cursor: SortKey | null) => {
    if (edge) return exists(list, { side, key: edge });
    return cursor ? exists(list, { side, key: cursor, inclusive: true }) : false;
  };
  return {
    edges: rows.map((node, index) => ({ cursor: encodeCursor(field, keys[index]!), node })),
    hasNextPage: once(
      async () => (more && !backward) || (before !== null && (await beyond('after', keys.at(-1), before))),
    ),
    hasPreviousPage: once(
      async () => (more && backward) || (after !== null && (await beyond('before', keys[0], after))),
    ),
    totalCount: once(() => countSessions(list)),
  };
}

function pageSize({ first, last }: SessionPageArgs): { limit: number; backward: boolean } {
  if (first != null && last != null) throw badUserInput('Give `first` or `last`, not both.');
  const limit = first ?? last ?? DEFAULT_PAGE;
  if (limit < 1 || limit > MAX_PAGE) {
    throw badUserInput(
      `\`${first == null ? 'last' : 'first'}\` must lie between 1 and ${MAX_PAGE}; ${limit} was given.`,
    );
  }
  return { limit, backward: last != null };
}

async function selectSessions(
  list: List,
  borders: Border[],
  limit: number,
  backward: boolean,
): Promise<SessionSnapshot[]> {
  const direction = (list.direction === 'ASC') === backward ? 'desc' : 'asc';
  const order = SORT_KEYS[list.field].map((part) => `${part.sql} ${direction}`).join(', ');
  const { where, values } = conditions(list, borders);
  // Selects ids first: the index of the order contains the filter columns, so only rows of the page are read.
  const sql = `select ${list.columns} from alert_sessions t where t.id in (
    select t.id from alert_sessions t where ${where} order by ${order} limit ${limit}) order by ${order}`;
  return (await list.db.query<SessionSnapshot>(sql, values)).rows;
}

async function exists(list: List, border: Border): Promise<boolean> {
  const { where, values } = conditions(list, [border]);
  const sql = `select exists (select 1 from alert_sessions t where ${where}) as found`;
  return (await list.db.query<{ found: boolean }>(sql, values)).rows[0]!.found;
}

async function countSessions(list: List): Promise<number> {
  const { where, values } = conditions({ ...list, teams: null }, [], 'all');
  const counts = visiblePartsSql('t.team', `$${values.push(list.teams)}`, list.teams).map(
    (part) => `(select count(*) from alert_sessions t where ${where} and ${part})`,
  );
  const sql = `select (${counts.join(' + ')})::int as total`;
  return (await list.db.query<{ total: number }>(sql, values)).rows[0]!.total;
}

function conditions(
  list: List,
  borders: Border[],
  read: 'next' | 'all' = 'next',
): { where: string; values: unknown[] } {
  const params = parameters();
  const all = [...filterConditions(list.filter, params), visibleSql('t.team', params.add(list.teams))];
  if (list.matches) all.push(matchCondition(list.matches, params, read));
  const parts = SORT_KEYS[list.field];
  for (const { side, key, inclusive } of borders) {
    const operator = (side === 'after') === (list.direction === 'ASC') ? '>' : '<';
    const place = parts.map((part, index) => `${params.add(key[index])}::${part.type}`).join(', ');
    all.push(`(${parts.map((part) => part.sql).join(', ')}) ${operator}${inclusive ? '=' : ''} (${place})`);
  }
  return { where: all.join(' and '), values: params.values };
}
