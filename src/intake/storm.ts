import type { StormConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import { type Severity, TERMINAL_SESSION_STATUSES } from '../db/enums.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Headline } from '../engine/engine.ts';
import { renewAlert } from '../engine/journal/later-news.ts';
import { span } from './duration-text.ts';

/** A storm that a group comes into. */
export interface Storm {
  /** The storm's session, if it has one that has not ended. */
  sessionId: string | null;
}

/** Groups that deliveries of other transactions may be about to add: so near the limit, they wait for one another. */
const UNDER_WAY = 16;

/** @param groups begun lately, at least this group not among them; @param stormy those of them that are in a storm */
export function isFarFromStorm({ groups, stormy }: Recent, limits: Pick<StormConfig, 'groups'>): boolean {
  return stormy === 0 && groups + UNDER_WAY < limits.groups;
}

/** Of the newest groups of a source that were investigated, as many as a storm needs. */
export interface Recent {
  groups: number;
  stormy: number;
}

/** A group of a source and a team: the storms of others are no business of it. */
type Of = Pick<AlertGroupRow, 'source' | 'id' | 'team'>;

/**
 * Whether this group comes into a storm: beyond the limit, or, once there is one, beyond half of it. Near the limit whoever
 * wants the same for another group of this source waits until the transaction ends, so that the limit is exact; far from
 * it, and in a storm that has its session, nobody waits.
 */
export async function stormOf(
  tx: Queryable,
  group: Of,
  limits: StormConfig,
  now: Date,
): Promise<Storm | null> {
  const seen = await look(tx, group, limits, now);
  if (seen.storm?.sessionId) return seen.storm;
  if (isFarFromStorm(seen, limits)) return null;
  await tx.query(prepared(`select pg_advisory_xact_lock(hashtextextended($1, 1))`), [group.source]);
  return (await look(tx, group, limits, now)).storm;
}

async function look(
  tx: Queryable,
  { source, id, team }: Of,
  limits: StormConfig,
  now: Date,
): Promise<{ groups: number; stormy: number; storm: Storm | null }> {
  const { rows } = await tx.query<{ groups: number; stormy: number; sessionId: string | null }>(
    prepared(COUNT),
    [
      source,
      new Date(now.getTime() - limits.withinMs),
      id,
      TERMINAL_SESSION_STATUSES,
      limits.groups,
      team ?? null,
    ],
  );
  const { groups, stormy, sessionId } = rows[0]!;
  const isStorm = groups >= limits.groups || (stormy > 0 && groups >= limits.groups / 2);
  return { groups, stormy, storm: isStorm ? { sessionId } : null };
}

const LATELY = `g.source = $1 and g.team is not distinct from $6 and g.investigated_at > $2 and g.id <> $3`;

/**
 * Of the newest groups, as many as the limit: more need not be counted. The storm's session is looked for in all of them: who
 * came first waited perhaps the longest, and began it. Sessions of storms are about no single group.
 */
const COUNT = `select count(*)::int as groups, count(*) filter (where s.group_id is null)::int as stormy,
    (select s.id from alert_groups g join alert_sessions s on s.id = g.session_id
     where ${LATELY} and s.group_id is null and s.status <> all($4::text[])
     order by g.investigated_at desc limit 1) as "sessionId"
  from (
    select session_id from alert_groups g where ${LATELY} order by investigated_at desc limit $5
  ) g join alert_sessions s on s.id = g.session_id`;

const SEVERITY_RANK = `array_position(array['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'], severity)`;

/** Groups that are told by name. */
const TOLD = 20;

/** What agents are told of a storm when it begins. */
export function stormDocument(storm: {
  source: string;
  /** That were to be investigated, at least. */
  groups: number;
  first: Pick<AlertGroupRow, 'title' | 'severity'>;
  withinMs: number;
}): string {
  return [
    `# Storm of alerts from ${storm.source}`,
    '',
    `More than ${storm.groups} groups of alerts came within ${span(storm.withinMs)}. Look for the one cause that they share.`,
    '',
    'The first that is not investigated by itself:',
    `- ${storm.first.severity} ${storm.first.title}`,
    '',
  ].join('\n');
}

/** What lists show of a storm. */
export function stormHeadline(source: string, groups: number, severity: Severity): Headline {
  return { title: `Storm of alerts from ${source}: more than ${groups} groups`, severity, entities: [] };
}

interface StormSession {
  id: string;
  source: string;
  groups: number;
  firing: number;
  severity: Severity;
}

/**
 * Gives the sessions of storms that still wait the text of all that came: totals, then the worst and largest groups.
 * @returns how many
 */
export async function renewStorms(db: Queryable): Promise<number> {
  const { rows } =
    await db.query<StormSession>(`select s.id, g.source, count(*)::int as groups, sum(g.firing_count)::int as firing,
      (array_agg(g.severity order by ${SEVERITY_RANK.replace('severity)', 'g.severity)')}))[1] as severity
    from alert_sessions s join alert_groups g on g.session_id = s.id
    where s.status = 'PENDING' and s.attempt = 0 and s.group_id is null group by s.id, g.source`);
  for (const storm of rows) {
    const title = `Storm of alerts from ${storm.source}: ${storm.groups} groups`;
    const headline = { title, severity: storm.severity, entities: [] };
    await renewAlert(db, storm.id, await wholeDocument(db, storm), headline);
  }
  return rows.length;
}

async function wholeDocument(db: Queryable, { id, source, groups, firing }: StormSession): Promise<string> {
  const worst = await worstGroups(db, id, TOLD, null);
  const shared = await db.query<{ name: string; value: string; alerts: number }>(
    prepared(`select l.key as name, l.value, count(*)::int as alerts from alert_groups g join alerts a on a.group_id = g.id,
       jsonb_each_text(a.labels) l where g.session_id = $1
     group by 1, 2 having count(*) > 1 order by 3 desc, 1 limit ${TOLD}`),
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
    `The worst groups${groups > TOLD ? `, ${TOLD} of ${groups}` : ''}:`,
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

/** The worst and largest groups of a storm's session. @param since only those that came into it later; null = all */
export async function worstGroups(
  db: Queryable,
  sessionId: string,
  limit: number,
  since: Date | null,
): Promise<WorstGroup[]> {
  const { rows } = await db.query<WorstGroup>(
    prepared(`select title, severity, firing_count as firing, opened_at as "openedAt" from alert_groups
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

function line(text: string): string {
  return text.replace(/[\s\u0085]+/g, ' ').slice(0, 300);
}
