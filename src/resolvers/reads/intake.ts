import { anyTeamVisibleSql, visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { AlertGroupRow, AlertRow, IntakeDecisionRow, SilenceRow } from '../../db/entities/index.ts';
import { ALERT_STATES, SEVERITIES } from '../../db/enums.ts';
import type { AlertGroupPageArgs, DecisionPageArgs, PageArgs, SilencePageArgs } from '../../schema/args.ts';
import type { Reads } from '../../schema/context.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { FiringAlertView, Page, SourceCounts } from '../../schema/views.ts';
import { ID_COLUMN, type KeyColumn, type List, momentColumn, readPage } from './page.ts';
import type { ReadDb } from './tables.ts';
import { groupShown } from './visible-rows.ts';

const MIN_SEARCH = 3;
const MAX_SEARCH = 200;

export function createIntakeReads(db: ReadDb) {
  return {
    alertGroups: (args) => readGroups(db, args),
    alertsOfGroup: (groupId, args) => readAlerts(db, groupId, args),
    intakeDecisions: (args) => readDecisions(db, args),
    silences: (args) => readSilences(db, args),
    firingAlerts: (limit) => readFiringAlerts(db, limit),
    sourceCounts: () => readSourceCounts(db),
  } satisfies Partial<Reads>;
}

function readGroups(db: ReadDb, args: AlertGroupPageArgs): Promise<Page<AlertGroupRow>> {
  const filter = args.filter ?? {};
  const list: List<AlertGroupRow> = {
    table: db.tables.alertGroup,
    key: [momentColumn('last_received_at', (row) => row.lastReceivedAt), ID_COLUMN],
    descending: true,
    where: ({ add, any, given }) => [
      visibleSql('t.team', add(visibilityParameter(db.sight))),
      ...any('severity', filter.severity),
      ...any('source', filter.source),
      ...any('alert_type', filter.alertType),
      ...given('state =', filter.state),
      ...any('team', filter.team),
      ...given('last_received_at >=', filter.since),
      ...given('last_received_at <', filter.before),
      ...(filter.search != null ? [searched(filter.search, add)] : []),
      ...(args.foldFlaps ? [notFollowed(given('n.last_received_at <', filter.before))] : []),
    ],
  };
  return readPage(filter.search == null ? db.pool : db.search, list, args);
}

/** Time after a group's end within which the next group of the same key counts as its continuation. */
const FOLDED_WITHIN = `interval '30 minutes'`;

/**
 * Returns the condition that no group of the same key continued group `t`. @param bounds conditions on the next group
 */
function notFollowed(bounds: readonly string[]): string {
  const also = bounds.map((bound) => ` and ${bound}`).join('');
  return `(t.resolved_at is null or not exists (
    select 1 from alert_groups n where n.source = t.source and n.group_key = t.group_key
      and n.team is not distinct from t.team and n.opened_at > t.opened_at and n.opened_at < t.resolved_at + ${FOLDED_WITHIN}${also}))`;
}

function searched(text: string, add: (value: unknown) => string): string {
  const wanted = text.trim();
  if (wanted.length < MIN_SEARCH || wanted.length > MAX_SEARCH)
    throw badUserInput(`A search has ${MIN_SEARCH} to ${MAX_SEARCH} characters.`);
  const place = add(`%${wanted.replace(/[\\%_]/g, '\\$&')}%`);
  return `(t.title ilike ${place} or exists (
    select 1 from alerts a, jsonb_each_text(a.labels) l
    where a.group_id = t.id and (a.title ilike ${place} or l.value ilike ${place} or l.key ilike ${place})))`;
}

function readAlerts({ pool, tables }: ReadDb, groupId: string, args: PageArgs): Promise<Page<AlertRow>> {
  const state: KeyColumn<AlertRow> = {
    sql: 't.state', // FIRING sorts before RESOLVED
    type: 'text',
    of: (alert) => alert.state,
    fits: (value) => (ALERT_STATES as readonly unknown[]).includes(value),
  };
  const list: List<AlertRow> = {
    table: tables.alert,
    key: [state, momentColumn('starts_at', (alert) => alert.startsAt), ID_COLUMN],
    descending: false,
    where: ({ given }) => given('group_id =', groupId),
  };
  return readPage(pool, list, args);
}

/** Sort order of intake decisions: newest first. */
export const DECISION_ORDER = {
  key: [momentColumn<IntakeDecisionRow>('at', ({ at }) => at), ID_COLUMN],
  descending: true,
};

function readDecisions(
  { pool, tables, sight }: ReadDb,
  args: DecisionPageArgs,
): Promise<Page<IntakeDecisionRow>> {
  const list: List<IntakeDecisionRow> = {
    ...DECISION_ORDER,
    table: tables.intakeDecision,
    where: ({ add, any, given }) => [
      `(t.group_id is null or ${groupShown(add(visibilityParameter(sight)))})`,
      ...given('group_id =', args.groupId),
      ...any('outcome', args.outcome),
      ...any('source', args.source),
    ],
  };
  return readPage(pool, list, args);
}

function readSilences({ pool, tables, sight }: ReadDb, args: SilencePageArgs): Promise<Page<SilenceRow>> {
  const list: List<SilenceRow> = {
    table: tables.silence,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add }) => [
      anyTeamVisibleSql('t.teams', add(visibilityParameter(sight))),
      ...(args.includeEnded ? [] : ['t.ends_at > now()']),
    ],
  };
  return readPage(pool, list, args);
}

async function readFiringAlerts({ pool, sight }: ReadDb, limit: number): Promise<FiringAlertView[]> {
  const { rows } = await pool.query<FiringAlertView>(
    `select a.group_id as "groupId", a.labels, a.severity, a.title, t.source, t.alert_type as "alertType"
     from alert_groups t join alerts a on a.group_id = t.id and a.state = 'FIRING'
     where t.resolved_at is null and ${visibleSql('t.team', '$1')}
     order by array_position($3::text[], t.severity), t.last_received_at desc, t.id, a.starts_at limit $2`,
    [visibilityParameter(sight), limit, SEVERITIES],
  );
  return rows;
}

/** Counts the deliveries of the last 7 days, because deliveries are kept that long. */
async function readSourceCounts({ pool }: ReadDb): Promise<SourceCounts[]> {
  const { rows } = await pool.query<SourceCounts>(`
    select source, max(at) filter (where taken > 0) as "lastReceivedAt", sum(taken)::float8 as received, sum(refused)::float8 as rejected from (
      select source, received_at as at, 1 as taken, 0 as refused from intake_deliveries where received_at > now() - interval '7 days'
      union all
      select source, at, 0, count from intake_decisions where code is not null and minute > now() - interval '7 days'
    ) counted group by source`);
  return rows;
}
