import type { AlertGroupRow } from '../db/entities/index.ts';
import {
  type Changes,
  type ChangesDeps,
  type ChangesOf,
  createChanges,
} from '../engine/live/polled-changes.ts';

/** Publishes every group with a new decision, because each change of a group has one. */
export const createGroupChanges = (deps: ChangesDeps): Changes<AlertGroupRow> => createChanges(deps, GROUPS);

const GROUPS: ChangesOf = {
  topic: 'alertGroups',
  everyMs: 250, // lists show a change within a second, including their own read
  changed: `select group_id as id, id as version from (
      select distinct on (group_id) id, group_id, at from intake_decisions
      where at > now() - make_interval(secs => $1) and group_id is not null order by group_id, at desc, id desc
    ) d order by at, id`,
  rows: 'select to_jsonb(g) as row from alert_groups g where id = any($1::uuid[]) order by last_received_at, id',
};
