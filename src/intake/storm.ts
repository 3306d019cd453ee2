import type { StormConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import { type Severity, TERMINAL_SESSION_STATUSES } from '../db/enums.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import { updatePendingAlert } from '../engine/alert/source-updates.ts';
import type { Headline } from '../engine/api/engine.ts';
import { formatDuration } from './duration-text.ts';
import { oneLine } from './group-document.ts';

/** Number of groups that concurrent transactions may add. Closer to the limit, transactions wait for each other. */
const MAX_CONCURRENT = 16;

export function isFarFromStorm(
  { groups, stormy }: RecentGroups,
  limits: Pick<StormConfig, 'groups'>,
): boolean {
  return stormy === 0 && groups + MAX_CONCURRENT < limits.groups;
}

/** Recently investigated groups of a source, and how many of them are in a storm. Counts stop at the storm limit. */
export interface RecentGroups {
  groups: number;
  stormy: number;
}

/** A group with its source and team, because storms of other teams do not count. */
type StormScope = Pick<AlertGroupRow, 'source' | 'id' | 'team'>;

/**
 * Returns the group's storm, or `null`. `sessionId` is `null` if the storm has no active session. A storm begins when
 * the recent groups reach the limit, and lasts until they are fewer than half of it. Near the limit, a source's
 * transactions run one by one, so that the limit is exact.
 */
export async function findStorm(
  tx: Queryable,
  group: StormScope,
  limits: StormConfig,
  now: Date,
): Promise<{ sessionId: string | null } | null> {
  const recent = await countRecent(tx, group, limits, now);
  if (recent.isStorm && recent.sessionId !== null) return recent;
  if (isFarFromStorm(recent, limits)) return null;
  await tx.query(prepared(`select pg_advisory_xact_lock(hashtextextended($1, 1))`), [group.source]);
  const counted = await countRecent(tx, group, limits, now);
  return counted.isStorm ? counted : null;
}

async function countRecent(
  tx: Queryable,
  { source, id, team }: StormScope,
  limits: StormConfig,
  now: Date,
): Promise<RecentGroups & { sessionId: string | null; isStorm: boolean }> {
  const since = new Date(now.getTime() - limits.withinMs);
  const values = [source, since, id, TERMINAL_SESSION_STATUSES, limits.groups, team ?? null];
  type Counted = RecentGroups & { sessionId: string | null };
  const [recent] = (await tx.query<Counted>(prepared(COUNT_RECENT), values)).rows;
  const { groups, stormy, sessionId } = recent!;
  const isStorm = groups >= limits.groups || (stormy > 0 && groups >= limits.groups / 2);
  return { groups, stormy, sessionId, isStorm };
}

const RECENTLY = `g.source = $1 and g.team is not distinct from $6 and g.investigated_at > $2 and g.id <> $3`;

/**
 * Counts groups up to the limit. Searches all recent groups for the storm's session (one without group): it may be old.
 */
const COUNT_RECENT = `select count(*)::int as groups, count(*) filter (where s.group_id is null)::int as stormy,
    (select s.id from alert_groups g join alert_sessions s on s.id = g.session_id
     where ${RECENTLY} and s.group_id is null and s.status <> all($4::text[])
     order by g.investigated_at desc limit 1) as "sessionId"
  from (
    select session_id from alert_groups g where ${RECENTLY} order by investigated_at desc limit $5
  ) g join alert_sessions s on s.id = g.session_id`;

const SEVERITY_RANK = `array_position(array['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'], g.severity)`;

const LISTED_GROUPS = 20;

/** Returns the text for agents and the headline of a storm that begins with this group. */
export function describeNewStorm(
  { source, title, severity }: AlertGroupRow,
  { groups, withinMs }: StormConfig,
): { data: string; headline: Headline } {
  const lines = [
    `# Storm of alerts from ${source}`,
    '',
    `More than ${groups} groups of alerts came within ${formatDuration(withinMs)}. Look for the one cause that they share.`,
    '',
    'The first that is not investigated by itself:',
    `- ${severity} ${title}`,
    '',
  ];
  const stormTitle = `Storm of alerts from ${source}: more than ${groups} groups`;
  return { data: lines.join('\n'), headline: { title: stormTitle, severity, entities: [] } };
}

interface StormSession {
  id: string;
  source: string;
  groups: number;
  firing: number;
  severity: Severity;
}

/** Updates the text of waiting storm sessions. Returns their number. */
export async function updateStormTexts(db: Queryable): Promise<number> {
  const { rows } =
    await db.query<StormSession>(`select s.id, g.source, count(*)::int as groups, sum(g.firing_count)::int as firing,
      (array_agg(g.severity order by ${SEVERITY_RANK}))[1] as severity
    from alert_sessions s join alert_groups g on g.session_id = s.id
    where s.status = 'PENDING' and s.attempt = 0 and s.group_id is null group by s.id, g.source`);
  for (const storm of rows) {
    const title = `Storm of alerts from ${storm.source}: ${storm.groups} groups`;
    const headline = { title, severity: storm.severity, entities: [] };
    await updatePendingAlert(db, storm.id, { data: await wholeDocument(db, storm), headline });
  }
  return rows.length;
}

async function wholeDocument(db: Queryable, { id, source, groups, firing }: StormSession): Promise<string> {
  const worst = await worstGroups(db, id, LISTED_GROUPS, null);
  const shared = await db.query<{ name: string; value: string; alerts: number }>(
    prepared(`select l.key as name, l.value, count(*)::int as alerts from alert_groups g join alerts a on a.group_id = g.id,
       jsonb_each_text(a.labels) l where g.session_id = $1
     group by 1, 2 having count(*) > 1 order by 3 desc, 1 limit ${LISTED_GROUPS}`),
    [id],
  );
  return [
    `# Storm of alerts from ${source}`,
    '',
    `${groups} groups with ${firing} alerts that fire. Look for the one cause that they share.`,
    '',
    'Labels that most of the alerts have:',
    ...shared.rows.map(({ name, value, alerts }) => `- ${line(name)}: ${line(value)} (${alerts} alerts)`),
    '',
    `The worst groups${groups > LISTED_GROUPS ? `, ${LISTED_GROUPS} of ${groups}` : ''}:`,
    ...worst.map((group) => `- ${groupLine(group)}`),
    '',
  ].join('\n');
}

interface WorstGroup {
  title: string;
  severity: string;
  firing: number;
  openedAt: Date;
}

/** Returns the worst and largest groups of a storm's session. @param since limits to groups that joined later */
export async function worstGroups(
  db: Queryable,
  sessionId: string,
  limit: number,
  since: Date | null,
): Promise<WorstGroup[]> {
  const { rows } = await db.query<WorstGroup>(
    prepared(`select title, severity, firing_count as firing, opened_at as "openedAt" from alert_groups g
     where session_id = $1 and ($3::timestamptz is null or investigated_at > $3)
     order by ${SEVERITY_RANK}, firing_count desc, opened_at
     limit $2`),
    [sessionId, limit, since],
  );
  return rows;
}

export function groupLine({ severity, title, firing, openedAt }: WorstGroup): string {
  return `${severity} ${line(title)}: ${firing} firing, since ${openedAt.toISOString()}`;
}

const line = (text: string) => oneLine(text).slice(0, 300);
