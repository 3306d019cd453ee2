import { oneByOne } from '../db/one-by-one.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import {
  addSourceUpdate,
  MAX_UPDATE_LINES,
  markFiring,
  markResolved,
} from '../engine/alert/source-updates.ts';
import { cancelPending } from '../engine/store/sessions.ts';
import type { DecisionDeps } from './apply-decision.ts';
import { updateText } from './notify-session.ts';
import { groupLine, worstGroups } from './storm.ts';

/** Minimum time (s) between two notifications of a storm's session. */
const NEWS_S = 30;

type StormDeps = Pick<DecisionDeps, 'transaction' | 'dispatch' | 'notifySlack'> & { db: Queryable };

interface LiveStorm {
  id: string;
  waits: boolean;
  firing: number;
  isOver: boolean;
  /** Groups that joined after this time are not reported yet; `null` if the last notification was too recent. */
  since: Date | null;
  joined: number;
}

/** Cancels waiting storm sessions without firing alerts. Notifies running ones of joined groups and of the end. */
export async function updateStorms(deps: StormDeps): Promise<void> {
  await oneByOne(await liveStorms(deps.db), async (storm) => {
    if (storm.firing === 0 && storm.waits) await cancelStorm(deps, storm.id);
    else if (!storm.waits) await deps.transaction((tx) => notifyOnce(tx, storm.id));
  });
}

/** Returns the storms whose sessions have not ended, or only the one of a session. */
async function liveStorms(db: Queryable, id: string | null = null): Promise<LiveStorm[]> {
  return (await db.query<LiveStorm>(prepared(LIVE_STORMS), [id])).rows;
}

/** Notifies a storm's session. Locks it first, because every process does this, and one notification is enough. */
async function notifyOnce(tx: Queryable, id: string): Promise<void> {
  await tx.query(prepared('select 1 from alert_sessions where id = $1 for no key update'), [id]);
  await oneByOne(await liveStorms(tx, id), (storm) => notifyStorm(tx, storm));
}

const LIVE_STORMS = `select s.id, s.status = 'PENDING' and s.attempt = 0 as waits, sum(g.firing_count)::int as firing,
    s.resolved_at is not null as "isOver", t.since,
    count(*) filter (where g.investigated_at > t.since)::int as joined
  from alert_sessions s
  join alert_groups g on g.session_id = s.id
  -- Until a session began, its text was updated every few seconds.
  cross join lateral (
    select coalesce(max(e.created_at), s.started_at - interval '5 seconds') as since,
      max(e.created_at) > now() - interval '${NEWS_S} seconds' as fresh
    from timeline_events e where e.session_id = s.id and e.type in ('ALERT_JOINED', 'ALERT_RESOLVED')
  ) last_update
  cross join lateral (select case when last_update.fresh then null else last_update.since end as since) t
  where s.group_id is null and s.status in ('PENDING', 'IN_PROGRESS', 'WAITING_FOR_APPROVAL')
    and ($1::uuid is null or s.id = $1)
  group by s.id, t.since`;

async function cancelStorm(deps: StormDeps, id: string): Promise<void> {
  await deps.transaction(async (tx) => {
    if (!(await cancelPending(tx, id, 'Resolved before the investigation started.'))) return;
    await markResolved(tx, id);
    await deps.notifySlack?.(tx, id, 'TERMINAL');
    await deps.dispatch(tx); // the session may have occupied a slot
  });
}

async function notifyStorm(tx: Queryable, { id, firing, isOver, joined, since }: LiveStorm): Promise<void> {
  if (joined > 0 && since !== null) {
    const lines = (await worstGroups(tx, id, MAX_UPDATE_LINES, since)).map(groupLine);
    const what = joined === 1 ? '1 group' : `${joined} groups`;
    const content = updateText(`${what} joined the storm:`, lines, joined);
    await addSourceUpdate(tx, id, { type: 'ALERT_JOINED', content, lines, count: joined, onResolve: null });
  }
  if (firing > 0 && isOver) await markFiring(tx, id);
  if (firing > 0 || isOver) return;
  await markResolved(tx, id);
  const content = 'All groups of the storm are resolved.';
  await addSourceUpdate(tx, id, { type: 'ALERT_RESOLVED', content, lines: [], count: 0, onResolve: 'tell' });
}
