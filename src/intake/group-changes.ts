import type { AlertGroupRow } from '../db/entities/index.ts';
import {
  createPolledChanges,
  type PolledChanges,
  type PolledChangesDeps,
  type PolledRows,
} from '../engine/live/polled-changes.ts';

/** Publishes every group with a new decision, because each change of a group has one. */
export const createGroupChanges = (deps: PolledChangesDeps): PolledChanges<AlertGroupRow> =>
  createPolledChanges(deps, GROUPS);

const GROUPS: PolledRows = {
  topic: 'alertGroups',
  everyMs: 250, // lists show a change within a second, including their own read
  changed: `select group_id as id, id as version from (
      select distinct on (group_id) id, group_id, at from intake_decisions
      where at > now() - make_interval(secs => $1) and group_id is not null order by group_id, at desc, id desc
    ) d order by at, id`,
  rows: 'select to_jsonb(g) as row from alert_groups g where id = any($1::uuid[]) order by last_received_at, id',
};
