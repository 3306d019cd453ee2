import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decisionOf } from '../decide.ts';
import { writeRows } from './rows.ts';

/** Closes locked groups whose last firing alert moved to a group of its own, as when a rule makes it a canary. */
export async function closeLeftGroups(
  tx: Queryable,
  { source, keys, now }: { source: string; keys: readonly string[]; now: Date },
): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    prepared(`update alert_groups g set state = 'RESOLVED', firing_count = 0, resolved_at = $3
     where source = $1 and group_key = any($2::text[]) and resolved_at is null
       and not exists (select 1 from alerts a where a.group_id = g.id and a.state = 'FIRING') returning id`),
    [source, keys, now],
  );
  const reason = 'The last firing alert is now a canary with its own group.';
  const decisions = rows.map(({ id }) => ({ ...decisionOf('RESOLVED', reason), alertId: null, groupId: id }));
  if (decisions.length > 0) await writeRows(tx, source, now, { decisions });
}
