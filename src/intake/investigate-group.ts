import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, NotFoundError } from '../common/errors.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import { decodeRow } from '../engine/live/event-log.ts';
import { readSession } from '../engine/store/sessions.ts';
import { isActive } from './decide.ts';
import { startGroupSession } from './start-investigation.ts';
import { firingAlerts } from './store/alerts.ts';
import { storeDecisions } from './store/decisions.ts';
import { historyOf, lockGroupKeys, updateGroup } from './store/groups.ts';
import { rulingOfGroup, sourceOfGroup, type UpkeepDeps } from './stored-group.ts';

/**
 * Investigates a group now, regardless of rules, silences and storms. Returns its active investigation if there is one.
 * @throws NotFoundError, ConflictError if none of its alerts fires, TooManyAlertsError
 */
export async function investigateGroup(
  deps: UpkeepDeps,
  groupId: string,
  by: Actor,
): Promise<SessionSnapshot> {
  const found = await groupOf(deps.db, groupId);
  if (!found) throw new NotFoundError('There is no group with this id.');
  const { newSession, sessionId } = await deps.transaction(async (tx) => {
    await lockGroupKeys(tx, found.source, [found.groupKey]);
    const group = await groupOf(tx, groupId);
    if (!group) throw new NotFoundError('There is no group with this id.');
    const firing = await firingAlerts(tx, [group.id]);
    if (firing.length === 0)
      throw new ConflictError('None of its alerts fires any more: there is nothing to look into.');
    const now = new Date();
    const { last } = await historyOf(tx, group.source, group.groupKey, now);
    if (isActive(last)) return { newSession: null, sessionId: last.id };
    const ruling = { ...rulingOfGroup(deps, group, firing), groupWaitMs: 0 };
    const locked = {
      ...{
        tx,
        now,
        group,
        firing,
        ruling,
        alerts: group.alertCount,
        hasChanges: true,
        changed: [],
        receivedAt: null,
      },
      source: sourceOfGroup(deps, group),
    };
    const applied = await startGroupSession(deps, locked, `${by.name} asked for it.`);
    await updateGroup(tx, { ...group, lastOutcome: applied.outcome, ...applied.group });
    await storeDecisions(tx, group.source, now, [
      { ...applied, rule: null, silenceId: null, alertId: null, groupId },
    ]);
    await recordAudit(tx, by, {
      action: 'alert_group.investigate',
      target: { type: 'AlertGroup', id: groupId },
      detail: { session: applied.sessionId },
    });
    return applied;
  });
  if (newSession) deps.submissions.stored(newSession);
  return (await readSession(deps.db, sessionId))!;
}

async function groupOf(db: Queryable, id: string): Promise<AlertGroupRow | null> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(g) as row from alert_groups g where id = $1',
    [id],
  );
  return rows[0] ? decodeRow(rows[0].row) : null;
}
