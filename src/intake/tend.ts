import type { Config } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/engine.ts';
import { decodeRow } from '../engine/events/log.ts';
import { rulingOf } from './deliver.ts';
import { matchedLabels, type RuleOf } from './rules.ts';
import { type SettleDeps, settleGroup } from './settle.ts';
import { type FiringAlert, firingAlerts } from './store/alerts.ts';
import { storeDecisions } from './store/decisions.ts';
import { lockGroupKeys, openGroups } from './store/groups.ts';
import { activeSilences, coveringSilence } from './store/silences.ts';
import { renewStorms } from './storm.ts';
import { tellStorms } from './storm-news.ts';
import { span } from './words.ts';

export interface TendDeps extends SettleDeps {
  db: Queryable;
  ruleOf: RuleOf;
  config: Config['intake'];
}

/** Groups looked after in one round: the rest waits for the next. */
const ROUND = 200;

/** What no delivery asks for: groups whose silence ended, alerts that nobody tells of any more, texts of storms. */
export async function tend(deps: TendDeps): Promise<void> {
  await renewStorms(deps.db);
  await tellStorms(deps);
  await decideUnsilenced(deps);
  await closeStale(deps);
}

/** Who is known of a group's source, also when it is not configured any more. */
export function sourceOfGroup(config: Config['intake'], { source }: Pick<AlertGroupRow, 'source'>) {
  const known = Object.hasOwn(config.sources, source) ? config.sources[source] : undefined;
  return { name: source, alertType: known?.alertType ?? null };
}

/** The ruling of a group by its stored alerts. */
export function rulingOfGroup(
  deps: Pick<TendDeps, 'config' | 'ruleOf'>,
  group: AlertGroupRow,
  firing: readonly FiringAlert[],
) {
  const source = sourceOfGroup(deps.config, group);
  const members = firing.map((alert) => {
    const told = {
      ...alert,
      fingerprint: alert.id,
      groupKey: group.groupKey,
      episode: null,
      state: 'FIRING' as const,
    };
    return {
      state: 'FIRING',
      ruling: deps.ruleOf({ ...told, annotations: {}, startsAt: null, endsAt: null, url: null }, source),
    };
  });
  return { ...rulingOf(members), groupKey: group.groupKey };
}

async function decideUnsilenced(deps: TendDeps): Promise<void> {
  const { rows } = await deps.db.query<{ row: Record<string, unknown> }>(
    prepared(`select to_jsonb(g) as row from alert_groups g
     where last_outcome = 'SILENCED' and resolved_at is null order by last_received_at limit ${ROUND}`),
  );
  const groups = rows.map(({ row }) => decodeRow<AlertGroupRow>(row));
  if (groups.length === 0) return;
  const silences = await activeSilences(deps.db, new Date());
  const alerts = Map.groupBy(
    await firingAlerts(
      deps.db,
      groups.map(({ id }) => id),
    ),
    ({ groupId }) => groupId,
  );
  for (const group of groups) {
    const source = sourceOfGroup(deps.config, group);
    const labels = (alerts.get(group.id) ?? []).map((alert) => matchedLabels(alert, source));
    if (coveringSilence(silences, group.team ?? null, labels) === null) await decideAgain(deps, group);
  }
}

/** Decides about a group as if a delivery had told nothing new. */
async function decideAgain(deps: TendDeps, { source, groupKey }: AlertGroupRow): Promise<void> {
  const begun = await deps.transaction(async (tx): Promise<SessionSnapshot | null> => {
    await lockGroupKeys(tx, source, [groupKey]);
    const group = (await openGroups(tx, source, [groupKey])).get(groupKey);
    if (group?.lastOutcome !== 'SILENCED') return null; // somebody was quicker
    const firing = await firingAlerts(tx, [group.id]);
    if (firing.length === 0) return null;
    const now = new Date();
    const settled = await settleGroup(
      deps,
      tx,
      now,
      {
        group,
        source: sourceOfGroup(deps.config, group),
        firing,
        alerts: group.alertCount,
        ruling: rulingOfGroup(deps, group, firing),
        isNews: true,
        changed: [],
        receivedAt: null,
      },
      await activeSilences(tx, now),
    );
    const reason = settled.outcome === 'SILENCED' ? settled.reason : `Its silence is over. ${settled.reason}`;
    await storeDecisions(tx, source, now, [{ ...settled, reason, alertId: null, groupId: group.id }]);
    return settled.begun;
  });
  if (begun) deps.submissions.stored(begun);
}

/** Missing is not resolved: an alert that nobody tells of fires on, but not for ever. */
async function closeStale({ db, transaction, config }: TendDeps): Promise<void> {
  const { rows } = await db.query<{ source: string; key: string }>(
    prepared(
      `select source, group_key as key from alert_groups g where ${IS_STALE} order by last_received_at limit ${ROUND}`,
    ),
    [config.staleAfterMs],
  );
  for (const { source, key } of rows) {
    await transaction(async (tx) => {
      await lockGroupKeys(tx, source, [key]);
      const closed = await tx.query<{ id: string; quiet: number; gap: number; now: Date }>(
        prepared(`update alert_groups g set state = 'RESOLVED', firing_count = 0, resolved_at = now(), is_stale = true
         where source = $2 and group_key = $3 and ${IS_STALE}
         returning id, (extract(epoch from now() - last_received_at) * 1000)::float8 as quiet, longest_gap_ms as gap, now()`),
        [config.staleAfterMs, source, key],
      );
      const [group] = closed.rows;
      if (!group) return;
      await tx.query(
        // No source told of an end: whatever is told of it again, also with its old marks, is no late delivery.
        `update alerts set state = 'RESOLVED', ends_at = now(), sent_starts_at = null, episode = null
         where group_id = $1 and state = 'FIRING'`,
        [group.id],
      );
      const reason = `Nothing was told of it for ${span(group.quiet)}, at least ${span(config.staleAfterMs)} and three times its longest gap (${span(group.gap)}): closed as stale. Whether it is over is not known.`;
      const decision = {
        outcome: 'RESOLVED',
        reason,
        rule: null,
        alertId: null,
        sessionId: null,
        silenceId: null,
      } as const;
      await storeDecisions(tx, source, group.now, [{ ...decision, groupId: group.id }]);
    });
  }
}

const IS_STALE = `resolved_at is null and last_received_at < now() - interval '1 millisecond' * greatest($1::bigint, 3 * longest_gap_ms)`;
