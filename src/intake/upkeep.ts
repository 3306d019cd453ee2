import { prepared } from '../db/prepared.ts';
import { span } from './duration-text.ts';
import { lookAgain } from './reevaluate-groups.ts';
import { storeDecisions } from './store/decisions.ts';
import { lockGroupKeys } from './store/groups.ts';
import type { TendDeps } from './stored-group.ts';
import { renewStorms } from './storm.ts';
import { tellStorms } from './storm-updates.ts';

/** Groups closed in one round: the rest waits for the next. */
const ROUND = 200;

/** What no delivery asks for: groups that were decided against for a while, alerts that nobody tells of any more, texts of storms. */
export async function tend(deps: TendDeps): Promise<void> {
  await renewStorms(deps.db);
  await tellStorms(deps);
  await lookAgain(deps);
  await closeStale(deps);
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
