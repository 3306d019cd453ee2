import { visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { WaitReason } from '../../db/wait-reason.ts';
import { IN_QUEUE, MAY_WAIT, WAIT_REASON } from '../../engine/store/waits.ts';
import type { WaitingView, WaitingWorkView } from '../../schema/views.ts';
import type { ReadDb } from './tables.ts';

/** Largest number of sessions with a known queue position, because positions are sent with every change. */
const MAX_POSITIONS = 500;

/** SQL: the first sessions that may get a slot, with their positions. */
const QUEUE = `
  select id, (row_number() over (order by queue_at, id))::int as position from (
    select t.id, t.queue_at from alert_sessions t where ${IN_QUEUE} order by t.queue_at, t.id limit ${MAX_POSITIONS}
  ) first`;

/** SQL: the positions of the sessions $1 among those that may get a slot. */
export const QUEUE_POSITIONS = `select id, position from (${QUEUE}) queue where id = any($1)`;

/** SQL order of waiting sessions `t`: first those that may get a slot, in the order in which they get it. */
export const QUEUE_ORDER = `(t.wait is not null), coalesce(t.run_at > now() and t.attempt = 0, false), t.queue_at, t.id`;

/** Time (ms) for which a session with a slot may lack a worker. After that, workers are reported as missing. */
const UNCLAIMED_MS = 30_000;

/** SQL columns of session `t`: the reason, when the wait began, and how long a slot has waited for a worker (ms). */
const WAIT_COLUMNS = `${WAIT_REASON} as reason, t.wait ->> 'cause' as cause, t.wait ->> 'message' as message,
  case
    when t.wait is not null then (t.wait ->> 'since')::timestamptz
    when t.status = 'WAITING_FOR_APPROVAL' then t.parked_at
    when t.status = 'IN_PROGRESS' then t.lease_expires_at
    when t.attempt = 0 and t.run_at > now() then t.created_at
    else greatest(t.created_at, t.last_interaction_at, t.parked_at, case when t.run_at <= now() then t.run_at end)
  end as since,
  (extract(epoch from now() - t.dispatched_at) * 1000)::float8 as "slotMs"`;

interface WaitRow {
  reason: WaitReason | null;
  cause: string | null;
  message: string | null;
  since: Date;
  slotMs: number | null;
}

const WAITS = `select t.id, ${WAIT_COLUMNS}, queue.position,
    coalesce((t.wait ->> 'until')::timestamptz, case when t.attempt = 0 and t.run_at > now() then t.run_at end,
      case when t.status = 'WAITING_FOR_APPROVAL' then (
        select min(a.expires_at) from approvals a where a.session_id = t.id and a.status = 'PENDING') end) as until
  from alert_sessions t left join (${QUEUE}) queue on queue.id = t.id where t.id = any($1) and ${MAY_WAIT}`;

/** Returns why sessions wait, in the order of the ids; `null` for those that run freely or have ended. */
export async function readWaits(db: Queryable, ids: readonly string[]): Promise<(WaitingView | null)[]> {
  const { rows } = await db.query<WaitRow & { id: string; until: Date | null; position: number | null }>(
    WAITS,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row?.reason) return null;
    const { reason, since, until } = row;
    return { reason, message: messageOf(row, row.position), since, until };
  });
}

/** Returns why one session waits, as a sentence. */
function messageOf({ reason, message, slotMs }: WaitRow, position: number | null): string {
  if (message !== null) return message;
  if (reason === 'APPROVAL') return 'A tool call needs approval.';
  if (reason === 'GROUP_WAIT') return 'More alerts of the group may arrive.';
  if (reason === 'DEPENDENCY') return 'The worker is not responding. Another worker resumes the session.';
  if (slotMs !== null) return slotMs > UNCLAIMED_MS ? NO_WORKER : 'A worker starts the session next.';
  if (position === 1) return 'The session gets the next free slot.';
  const before = position === null ? `at least ${MAX_POSITIONS}` : String(position - 1);
  return `Waiting for a free slot behind ${before} ${before === '1' ? 'session' : 'sessions'}.`;
}

const NO_WORKER = 'No worker starts the session, although a slot is free. Check that workers are running.';

/** Messages of the reasons that have no stored cause, for all sessions together. */
const COMMON_MESSAGES: Partial<Record<WaitReason, string>> = {
  SLOT: 'All slots for running sessions are in use.',
  APPROVAL: 'Tool calls need approval.',
  GROUP_WAIT: 'More alerts of the same groups may arrive.',
  DEPENDENCY: 'Workers are not responding. Other workers resume the sessions.',
};

const WORK = (visible: string) => `
  select reason, cause, count(*)::int as sessions, min(since) as since, max("slotMs") as "slotMs",
    (array_agg(message order by since desc))[1] as message
  from (select ${WAIT_COLUMNS} from alert_sessions t where ${MAY_WAIT} and ${visible}) waiting
  where reason is not null group by reason, cause order by sessions desc, reason, cause limit 100`;

/** SQL: alert groups that get no session because a budget is used up, at most 1,000. */
const GROUPS = (visible: string) => `
  select count(*)::int as "alertGroups", min(d.at) as since, (array_agg(d.reason order by d.at desc))[1] as message
  from (select g.id from alert_groups g where g.resolved_at is null and g.last_outcome = 'OVER_BUDGET' and ${visible}
    limit 1000) g
  cross join lateral (select d.at, d.reason from intake_decisions d where d.group_id = g.id
    and d.outcome = 'OVER_BUDGET' order by d.at desc, d.id desc limit 1) d`;

/** Returns why work stands still, one entry for each cause. */
export async function readWaitingWork({ pool, sight }: ReadDb): Promise<WaitingWorkView[]> {
  const visibility = [visibilityParameter(sight)];
  const [work, groups] = await Promise.all([
    pool.query<WaitRow & { reason: WaitReason; sessions: number }>(
      WORK(visibleSql('t.team', '$1')),
      visibility,
    ),
    pool.query<{ alertGroups: number; since: Date; message: string }>(
      GROUPS(visibleSql('g.team', '$1')),
      visibility,
    ),
  ]);
  return [
    ...groups.rows
      .filter(({ alertGroups }) => alertGroups > 0)
      .map((group) => ({ ...group, reason: 'BUDGET' as const, sessions: 0 })),
    ...work.rows.map(({ reason, sessions, since, message, slotMs }) => {
      const common = slotMs !== null && slotMs > UNCLAIMED_MS && reason === 'SLOT' ? NO_WORKERS : null;
      return {
        ...{ reason, sessions, since, alertGroups: 0 },
        message: common ?? message ?? COMMON_MESSAGES[reason] ?? reason,
      };
    }),
  ];
}

const NO_WORKERS =
  'No worker starts these sessions, although slots are free. Check that workers are running.';
