import { oneByOne } from '../db/one-by-one.ts';
import { prepared } from '../db/prepared.ts';
import { decisionOf } from './decide.ts';
import { formatDuration } from './duration-text.ts';
import { reevaluateGroups } from './reevaluate-groups.ts';
import { lockGroupKeys } from './store/groups.ts';
import { writeRows } from './store/rows.ts';
import type { UpkeepDeps } from './stored-group.ts';
import { updateStormTexts } from './storm.ts';
import { updateStorms } from './storm-updates.ts';

const ROUND = 200;

/** Does the work that no delivery triggers: reevaluates groups, closes stale ones and updates storms. */
export const runUpkeep = (deps: UpkeepDeps): Promise<void> => oneByOne(STEPS, (step) => step(deps));

const STEPS: readonly ((deps: UpkeepDeps) => Promise<unknown>)[] = [
  ({ db }) => updateStormTexts(db),
  updateStorms,
  reevaluateGroups,
  closeStaleGroups,
];

/** Closes groups that received no delivery for long, because alerts missing from deliveries would fire forever. */
async function closeStaleGroups({ db, transaction, config }: UpkeepDeps): Promise<void> {
  const { rows } = await db.query<{ source: string; key: string }>(
    prepared(
      `select source, group_key as key from alert_groups g where ${IS_STALE} order by last_received_at limit ${ROUND}`,
    ),
    [config.staleAfterMs],
  );
  await oneByOne(rows, ({ source, key }) =>
    transaction(async (tx) => {
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
        // Clears the times, because no end was reported. A delivery with the old start is not late.
        `update alerts set state = 'RESOLVED', ends_at = null, sent_starts_at = null, reported_at = null,
           episode = null
         where group_id = $1 and state = 'FIRING'`,
        [group.id],
      );
      const reason = `Closed as stale after ${formatDuration(group.quiet)} without a report. Limit: ${formatDuration(config.staleAfterMs)}, and three times the longest gap between reports (${formatDuration(group.gap)}). The problem may persist.`;
      const decision = { ...decisionOf('RESOLVED', reason), alertId: null, groupId: group.id };
      await writeRows(tx, source, group.now, { decisions: [decision] });
    }),
  );
}

const IS_STALE = `resolved_at is null and last_received_at < now() - interval '1 millisecond' * greatest($1::bigint, 3 * longest_gap_ms)`;
