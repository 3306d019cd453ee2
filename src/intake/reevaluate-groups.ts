import type { AlertGroupRow } from '../db/entities/index.ts';
import { oneByOne } from '../db/one-by-one.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import { decideAndApply, subjectOf } from './apply-decision.ts';
import { FLAPPING } from './decide.ts';
import { matchedLabels } from './rules.ts';
import { type FiringAlert, firingAlerts } from './store/alerts.ts';
import { flapsOf, historyOf, lockGroupKeys, openGroups } from './store/groups.ts';
import { readRows, writeRows } from './store/rows.ts';
import { activeSilences, coveringSilence } from './store/silences.ts';
import { lockedWithoutDelivery, ruleStoredGroup, sourceOfGroup, type UpkeepDeps } from './stored-group.ts';

/** The outcomes that prevent an investigation only for a time, each with the reason given once that time is over. */
const EXPIRED_REASONS = {
  SILENCED: 'The silence ended.',
  FLAPPING: `The alerts stopped flapping.`,
  OVER_BUDGET: 'The budget is available again.',
} as const;
type TemporaryOutcome = keyof typeof EXPIRED_REASONS;

/** Number of groups read by one query. A round ends after the query in which it reaches this number of decisions. */
const PAGE = 200;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Decides again on firing groups whose reason against an investigation no longer applies. */
export async function reevaluateGroups(deps: UpkeepDeps): Promise<void> {
  const stillApplies = createReasonCheck(deps);
  let decided = 0;
  await oneByOne(
    waitingGroups(deps.db, () => decided < PAGE),
    async ({ group, firing }) => {
      if (await stillApplies(group, firing)) return;
      await reevaluateGroup(deps, group);
      decided++;
    },
  );
}

/** Yields the groups that wait, page by page. @param goesOn called after each page; `false` ends it */
async function* waitingGroups(db: Queryable, goesOn: () => boolean) {
  let page: readonly AlertGroupRow[] = [];
  do {
    page = await pageAfter(db, page.at(-1)?.id ?? BEFORE_ALL);
    const ids = page.map(({ id }) => id);
    const alerts = Map.groupBy(await firingAlerts(db, ids), ({ groupId }) => groupId);
    for (const group of page) yield { group, firing: alerts.get(group.id) ?? [] };
  } while (page.length === PAGE && goesOn());
}

function pageAfter(db: Queryable, id: string): Promise<AlertGroupRow[]> {
  return readRows(db, prepared(NEXT_PAGE), [id]);
}

const RECENTLY = `(now() - interval '${FLAPPING.withinMs} milliseconds')`;

/** Selects open groups whose last outcome was temporary, with an id after $1, except groups that still flap. */
const NEXT_PAGE = `select to_jsonb(g) as row from alert_groups g
  where last_outcome in (${Object.keys(EXPIRED_REASONS)
    .map((outcome) => `'${outcome}'`)
    .join(', ')})
    and resolved_at is null and id > $1
    and (last_outcome <> 'FLAPPING' or (${flapsOf('g.source', 'g.group_key', RECENTLY)}) = 0)
  order by id limit ${PAGE}`;

/** Returns a function that tells if a group must still wait. Silences and budgets are read once per round. */
function createReasonCheck(deps: UpkeepDeps) {
  let silences: ReturnType<typeof activeSilences> | null = null;
  const budgets = new Map<string, Promise<string | null>>();
  return async (group: AlertGroupRow, firing: readonly FiringAlert[]): Promise<boolean> => {
    if (firing.length === 0) return true; // nothing to investigate: about to be closed
    if (group.lastOutcome === 'SILENCED') {
      silences ??= activeSilences(deps.db);
      const source = sourceOfGroup(deps, group);
      const labels = firing.map((alert) => matchedLabels(alert, source));
      return coveringSilence(await silences, group.team ?? null, labels) !== null;
    }
    if (group.lastOutcome !== 'OVER_BUDGET') return false;
    const subject = subjectOf({ group, ...ruleStoredGroup(deps, { group, firing }) });
    const key = JSON.stringify(subject);
    const over = budgets.get(key) ?? deps.overBudget(deps.db, subject);
    budgets.set(key, over);
    return (await over) !== null;
  };
}

/** Decides about a group as if a delivery without changes had arrived. */
async function reevaluateGroup(
  deps: UpkeepDeps,
  { source, groupKey, lastOutcome }: AlertGroupRow,
): Promise<void> {
  const newSession = await deps.transaction(async (tx): Promise<SessionSnapshot | null> => {
    const now = await lockGroupKeys(tx, source, [groupKey]);
    const group = (await openGroups(tx, source, [groupKey])).get(groupKey);
    if (!group || group.lastOutcome !== lastOutcome) return null; // another process decided first
    const firing = await firingAlerts(tx, [group.id]);
    if (firing.length === 0) return null;
    const locked = lockedWithoutDelivery(deps, { tx, now, group, firing });
    const silences = await activeSilences(tx);
    const history = await historyOf(tx, source, groupKey, now);
    const { applied, group: next } = await decideAndApply(deps, locked, { silences, history });
    const reason = `${EXPIRED_REASONS[lastOutcome as TemporaryOutcome]} ${applied.reason}`;
    const isRecorded = applied.outcome === lastOutcome; // the reason applies again, so the stored decision stands
    const decision = { ...applied, reason, alertId: null, groupId: group.id };
    await writeRows(tx, source, now, { groups: [next], decisions: isRecorded ? [] : [decision] });
    return applied.newSession;
  });
  if (newSession) deps.submissions.stored(newSession);
}
