import { visiblePartsSql, visibleSql } from '../../access/visibility.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import type { SessionOrderField, SessionPageArgs } from '../../schema/args.ts';
import type { Page } from '../../schema/views.ts';
import { ID_COLUMN, type KeyColumn, momentColumn, readPage } from './page.ts';
import { type Parameters, parameters } from './parameters.ts';
import { checkSearch, commonConditions, filterConditions, teamsSought } from './session-filter.ts';
import { findMatches, matchCondition } from './session-search.ts';
import type { ReadDb } from './tables.ts';

type SessionColumn = KeyColumn<SessionSnapshot>;

const textColumn = (column: string, of: SessionColumn['of']): SessionColumn => ({
  sql: `t.${column}`,
  type: 'text',
  of,
  fits: (value) => typeof value === 'string' && !value.includes('\0'),
});

const createdAt = momentColumn<SessionSnapshot>('created_at', (session) => session.createdAt);

const duration: SessionColumn = {
  // Unfinished sessions sort as shorter than finished ones.
  sql: 'coalesce((extract(epoch from t.completed_at - t.started_at) * 1000)::bigint, -1)',
  type: 'bigint',
  of: ({ startedAt, completedAt }) =>
    startedAt && completedAt ? completedAt.getTime() - startedAt.getTime() : -1,
  fits: Number.isSafeInteger,
};

/** Sort columns of each order field. Creation time and id follow and break ties. */
const SORT_COLUMNS: Record<SessionOrderField, SessionColumn[]> = {
  CREATED_AT: [],
  STATUS: [textColumn('status', ({ status }) => status)],
  ALERT_TYPE: [textColumn('alert_type', ({ alertType }) => alertType)],
  AUTHOR: [textColumn('author', ({ author }) => author)],
  DURATION: [duration],
};

export async function readSessionPage(db: ReadDb, args: SessionPageArgs): Promise<Page<SessionSnapshot>> {
  const { field, direction } = args.orderBy ?? { field: 'CREATED_AT', direction: 'DESC' };
  const filter = args.filter ?? {};
  const teams = teamsSought(filter, db.sight);
  if (filter.search != null) checkSearch(filter.search);
  const pool = filter.search == null ? db.pool : db.search;
  const matches = filter.search == null ? null : await findMatches(db, filter.search, teams);
  const where = (params: Parameters, of: string[] | null, read: 'next' | 'all') => [
    ...filterConditions(filter, params),
    visibleSql('t.team', params.add(of)),
    ...(matches ? [matchCondition(matches, params, read)] : []),
  ];
  const list = {
    table: db.tables.session,
    key: [...SORT_COLUMNS[field], createdAt, ID_COLUMN],
    descending: direction === 'DESC',
    cursorStart: ['v1', field],
    where: (params: Parameters) => where(params, teams, 'next'),
  };
  // Replays are counted apart and subtracted, so that a smaller index without ids counts the sessions.
  const subtracts = matches === null && filter.isReplay !== true;
  return readPage(pool, list, args, async () => {
    const params = parameters();
    const all = (subtracts ? commonConditions(filter, params) : where(params, null, 'all')).join(' and ');
    const counts = visiblePartsSql('t.team', params.add(teams), teams).map((part) => {
      const sessions = `(select count(*) from alert_sessions t where ${all} and ${part})`;
      const replays = `(select count(*) from replays p join alert_sessions t on t.id = p.session_id where ${all} and ${part})`;
      return subtracts ? `${sessions} - ${replays}` : sessions;
    });
    const sql = `select (${counts.join(' + ')})::int as total`;
    return (await pool.query<{ total: number }>(sql, params.values)).rows[0]!.total;
  });
}
