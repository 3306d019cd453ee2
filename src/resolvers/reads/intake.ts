import { anyTeamVisibleSql, visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { AlertGroupRow, AlertRow, IntakeDecisionRow, SilenceRow } from '../../db/entities/index.ts';
import { ALERT_STATES } from '../../db/enums.ts';
import type { AlertGroupPageArgs, DecisionPageArgs, PageArgs, SilencePageArgs } from '../../schema/args.ts';
import type { Reads } from '../../schema/context.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { Page, SourceCounts } from '../../schema/views.ts';
import { groupInSight } from './in-sight.ts';
import { readPage } from './page.ts';
import { any, parameters } from './parameters.ts';
import type { ReadDb } from './tables.ts';

const MIN_SEARCH = 3;
const MAX_SEARCH = 200;

export function createIntakeReads(db: ReadDb) {
  return {
    alertGroups: (args) => readGroups(db, args),
    alertsOfGroup: (groupId, args) => readAlerts(db, groupId, args),
    intakeDecisions: (args) => readDecisions(db, args),
    silences: (args) => readSilences(db, args),
    sourceCounts: () => readSourceCounts(db),
  } satisfies Partial<Reads>;
}

function readGroups(db: ReadDb, args: AlertGroupPageArgs) {
  const filter = args.filter ?? {};
  const { values, add } = parameters();
  const where = [
    visibleSql('t.team', add(visibilityParameter(db.sight))),
    ...any('severity', filter.severity, add),
    ...any('source', filter.source, add),
    ...any('alert_type', filter.alertType, add),
    ...(filter.state ? [`t.state = ${add(filter.state)}`] : []),
    ...any('team', filter.team, add),
    ...(filter.since ? [`t.last_received_at >= ${add(filter.since)}`] : []),
    ...(filter.before ? [`t.last_received_at < ${add(filter.before)}`] : []),
    ...(filter.search != null ? [searched(filter.search, add)] : []),
  ];
  const order = { column: 'last_received_at', newestFirst: true };
  const moment = ({ lastReceivedAt }: AlertGroupRow) => lastReceivedAt;
  const list = { table: db.tables.alertGroup, where, values, ...order, moment };
  return readPage<AlertGroupRow>(filter.search == null ? db.pool : db.search, list, args);
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
  return readPage(
    pool,
    {
      table: tables.alert,
      where: ['t.group_id = $1'],
      values: [groupId],
      column: 'starts_at',
      moment: ({ startsAt }) => startsAt,
      newestFirst: false,
      lead: { column: 'state', of: ({ state }) => state, words: ALERT_STATES }, // FIRING sorts first
    },
    args,
  );
}

function readDecisions(
  { pool, tables, sight }: ReadDb,
  args: DecisionPageArgs,
): Promise<Page<IntakeDecisionRow>> {
  const { values, add } = parameters();
  const where = [
    `(t.group_id is null or ${groupInSight(add(visibilityParameter(sight)))})`,
    ...(args.groupId ? [`t.group_id = ${add(args.groupId)}`] : []),
    ...any('outcome', args.outcome, add),
    ...any('source', args.source, add),
  ];
  return readPage(
    pool,
    { table: tables.intakeDecision, where, values, column: 'at', moment: ({ at }) => at, newestFirst: true },
    args,
  );
}

function readSilences({ pool, tables, sight }: ReadDb, args: SilencePageArgs): Promise<Page<SilenceRow>> {
  return readPage(
    pool,
    {
      table: tables.silence,
      where: [anyTeamVisibleSql('t.teams', '$1'), ...(args.includeEnded ? [] : ['t.ends_at > now()'])],
      values: [visibilityParameter(sight)],
      column: 'created_at',
      moment: ({ createdAt }) => createdAt,
      newestFirst: true,
    },
    args,
  );
}

/** Counts a week, because deliveries are kept that long. */
async function readSourceCounts({ pool }: ReadDb): Promise<SourceCounts[]> {
  const { rows } = await pool.query<SourceCounts>(`
    select source, max(at) filter (where taken > 0) as "lastReceivedAt", sum(taken)::float8 as received, sum(refused)::float8 as rejected from (
      select source, received_at as at, 1 as taken, 0 as refused from intake_deliveries where received_at > now() - interval '7 days'
      union all
      select source, at, 0, count from intake_decisions where code is not null and minute > now() - interval '7 days'
    ) counted group by source`);
  return rows;
}
