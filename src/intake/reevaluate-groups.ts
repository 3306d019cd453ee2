import type { AlertGroupRow } from '../db/entities/index.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import { decodeRow } from '../engine/events/log.ts';
import { settleGroup, subjectOf } from './apply-decision.ts';
import { FLAPPING } from './decide.ts';
import { matchedLabels } from './rules.ts';
import { type FiringAlert, firingAlerts } from './store/alerts.ts';
import { storeDecisions } from './store/decisions.ts';
import { flapsOf, lockGroupKeys, openGroups } from './store/groups.ts';
import { activeSilences, coveringSilence } from './store/silences.ts';
import { rulingOfGroup, sourceOfGroup, type TendDeps } from './stored-group.ts';

/** What stood against a group for a while, and what is said once it does not. */
const PASSED = {
  SILENCED: 'Its silence is over.',
  FLAPPING: `It did not begin and end for a while.`,
  OVER_BUDGET: 'Its budget has room again.',
} as const;
type Passing = keyof typeof PASSED;

/** Groups that are looked at together, and those decided on in one round: the rest waits for the next. */
const PAGE = 200;
const ROUND = 200;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Decides on the groups that fire and were decided against for a reason that is gone, though nobody tells of them. */
export async function lookAgain(deps: TendDeps): Promise<void> {
  const stillStands = reasonsNow(deps);
  let decided = 0;
  let page: readonly AlertGroupRow[] = [];
  do {
    page = await pageAfter(deps.db, page.at(-1)?.id ?? BEFORE_ALL);
    const alerts = Map.groupBy(
      await firingAlerts(
        deps.db,
        page.map(({ id }) => id),
      ),
      ({ groupId }) => groupId,
    );
    for (const group of page) {
      if (await stillStands(group, alerts.get(group.id) ?? [])) continue;
      await decideAgain(deps, group);
      decided++;
    }
  } while (page.length === PAGE && decided < ROUND);
}

async function pageAfter(db: Queryable, id: string): Promise<AlertGroupRow[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(prepared(NEXT_PAGE), [
    id,
    new Date(Date.now() - FLAPPING.withinMs),
  ]);
  return rows.map(({ row }) => decodeRow<AlertGroupRow>(row));
}

/** Those that still flap are left out. */
const NEXT_PAGE = `select to_jsonb(g) as row from alert_groups g
  where last_outcome in (${Object.keys(PASSED)
    .map((outcome) => `'${outcome}'`)
    .join(', ')})
    and resolved_at is null and id > $1
    and (last_outcome <> 'FLAPPING' or (${flapsOf('g.source', 'g.group_key', '$2')}) = 0)
  order by id limit ${PAGE}`;

/** Tells whether what stood against a group still does, as silences and budgets are at the beginning of a round. */
function reasonsNow(deps: TendDeps) {
  let silences: ReturnType<typeof activeSilences> | null = null;
  const budgets = new Map<string, Promise<string | null>>();
  return async (group: AlertGroupRow, firing: readonly FiringAlert[]): Promise<boolean> => {
    if (firing.length === 0) return true; // it is about to be closed
    const source = sourceOfGroup(deps, group);
    if (group.lastOutcome === 'SILENCED') {
      silences ??= activeSilences(deps.db, new Date());
      const labels = firing.map((alert) => matchedLabels(alert, source));
      return coveringSilence(await silences, group.team ?? null, labels) !== null;
    }
    if (group.lastOutcome !== 'OVER_BUDGET') return false;
    const subject = subjectOf({ group, source, ruling: rulingOfGroup(deps, group, firing) });
    const key = JSON.stringify(subject);
    const over = budgets.get(key) ?? deps.overBudget(deps.db, subject);
    budgets.set(key, over);
    return (await over) !== null;
  };
}

/** Decides about a group as if a delivery had told nothing new. */
async function decideAgain(deps: TendDeps, { source, groupKey, lastOutcome }: AlertGroupRow): Promise<void> {
  const begun = await deps.transaction(async (tx): Promise<SessionSnapshot | null> => {
    await lockGroupKeys(tx, source, [groupKey]);
    const group = (await openGroups(tx, source, [groupKey])).get(groupKey);
    if (!group || group.lastOutcome !== lastOutcome) return null; // somebody was quicker
    const firing = await firingAlerts(tx, [group.id]);
    if (firing.length === 0) return null;
    const now = new Date();
    const settled = await settleGroup(
      deps,
      tx,
      now,
      {
        group,
        source: sourceOfGroup(deps, group),
        firing,
        alerts: group.alertCount,
        ruling: rulingOfGroup(deps, group, firing),
        isNews: true,
        changed: [],
        receivedAt: null,
      },
      await activeSilences(tx, now),
    );
    if (settled.outcome === lastOutcome) return null; // the reason came back meanwhile, and was told
    const reason = `${PASSED[lastOutcome as Passing]} ${settled.reason}`;
    await storeDecisions(tx, source, now, [{ ...settled, reason, alertId: null, groupId: group.id }]);
    return settled.begun;
  });
  if (begun) deps.submissions.stored(begun);
}
