import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, NotFoundError } from '../common/errors.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import { readSession } from '../engine/store/sessions.ts';
import { isActive } from './decide.ts';
import { startGroupSession } from './start-investigation.ts';
import { firingAlerts } from './store/alerts.ts';
import { GROUP_JSON, historyOf, lockGroupKeys } from './store/groups.ts';
import { readRows, writeRows } from './store/rows.ts';
import { lockedWithoutDelivery, type UpkeepDeps } from './stored-group.ts';

/**
 * Investigates a group now, regardless of rules, silences, budgets and storms. Returns the active session if there is
 * one.
 * @throws NotFoundError, ConflictError if none of its alerts fires, TooManyAlertsError
 */
export async function investigateGroup(
  deps: UpkeepDeps,
  groupId: string,
  by: Actor,
): Promise<SessionSnapshot> {
  const found = await requireGroup(deps.db, groupId);
  const { newSession, sessionId } = await deps.transaction(async (tx) => {
    const now = await lockGroupKeys(tx, found.source, [found.groupKey]);
    const group = await requireGroup(tx, groupId);
    const firing = await firingAlerts(tx, [group.id]);
    if (firing.length === 0)
      throw new ConflictError('No alert of this group is firing, so there is nothing to investigate.');
    const { last } = await historyOf(tx, group.source, group.groupKey, now);
    if (isActive(last)) return { newSession: null, sessionId: last.id };
    const locked = lockedWithoutDelivery(deps, { tx, now, group, firing });
    const ruling = { ...locked.ruling, groupWaitMs: 0 };
    const applied = await startGroupSession(deps, { ...locked, ruling }, `Requested by ${by.name}.`);
    const { outcome } = applied;
    await writeRows(tx, group.source, now, {
      groups: [{ ...group, firingCount: firing.length, lastOutcome: outcome, ...applied.group }],
      decisions: [{ ...applied, rule: null, silenceId: null, alertId: null, groupId }],
    });
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

async function requireGroup(db: Queryable, id: string): Promise<AlertGroupRow> {
  const query = `select ${GROUP_JSON} as row from alert_groups g where id = $1`;
  const [group] = await readRows<AlertGroupRow>(db, query, [id]);
  if (!group) throw new NotFoundError('There is no group with this id.');
  return group;
}
