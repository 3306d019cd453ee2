import { createPolledChanges, type PolledChangesDeps, type PolledRows } from '../live/polled-changes.ts';
import { MAY_WAIT, WAIT_REASON } from '../store/waits.ts';

/** Creates the stream of `Engine.subscribeSystemState`. */
export const createWaitChanges = (deps: PolledChangesDeps) => createPolledChanges<object>(deps, WAITS);

/**
 * One row with a fixed id. The row has a new version when the number of waiting sessions per cause changes, or
 * the number of alert groups that wait for a budget.
 */
const WAITS: PolledRows = {
  topic: 'system-state',
  everyMs: 1_000,
  changed: `select 'system' as id, coalesce(md5(string_agg(line, ';' order by line)), '') as version from (
      select concat_ws('/', reason, cause, count(*)) as line
      from (select ${WAIT_REASON} as reason, t.wait ->> 'cause' as cause from alert_sessions t where ${MAY_WAIT}) waiting
      where reason is not null group by reason, cause
      union all
      select concat('groups/', count(*)) from alert_groups where resolved_at is null and last_outcome = 'OVER_BUDGET'
    ) lines where $1::float8 > 0`,
  rows: `select jsonb_build_object('id', id) as row from unnest($1::text[]) id`,
};
