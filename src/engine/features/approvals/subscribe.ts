import type { ApprovalRow } from '../../../db/entities/index.ts';
import { type Changes, type ChangesDeps, type ChangesOf, createChanges } from '../../live/polled-changes.ts';

/** An approval, and whose it is. */
type ApprovalChange = ApprovalRow & { team: string | null };

/** Tells of every approval that was requested or decided, or whose call was made. */
export const createApprovalChanges = (deps: ChangesDeps): Changes<ApprovalChange> =>
  createChanges(deps, APPROVALS);

const APPROVALS: ChangesOf = {
  topic: 'approvals',
  everyMs: 500,
  changed: `select id, updated_at::text as version from approvals
    where updated_at > now() - make_interval(secs => $1) order by updated_at, id`,
  rows: `select to_jsonb(a) || jsonb_build_object('team', s.team) as row
    from approvals a join alert_sessions s on s.id = a.session_id
    where a.id = any($1::uuid[]) and s.deleted_at is null order by a.updated_at, a.id`,
};
