import { visibilityParameter } from '../../access/visibility.ts';
import type { ApprovalRow } from '../../db/entities/index.ts';
import { sessionShown } from './in-sight.ts';
import type { ReadDb } from './tables.ts';

const MAX_PENDING = 200;

/** Returns the tool calls that wait for approval, oldest first. */
export async function readPendingApprovals({ pool, tables, sight }: ReadDb): Promise<ApprovalRow[]> {
  const { rows } = await pool.query<ApprovalRow>(
    `select ${tables.approval.columns} from approvals t where t.status = 'PENDING' and ${sessionShown('$1')}
     order by t.requested_at, t.id limit ${MAX_PENDING}`,
    [visibilityParameter(sight)],
  );
  return rows;
}
