import type { Logger } from 'pino';
import type { ApprovalRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, SharedStream } from '../engine.ts';
import { decodeRow } from '../events/log.ts';
import { createTrouble } from '../trouble.ts';

/** Milliseconds between looks for what changed, while anybody listens. */
const LOOK_MS = 500;

/** What changed so long ago (seconds) is looked at again: a transaction may commit that much after its time. */
const MARGIN_S = 30;

/** Approvals told of in one look. */
const MAX_TOLD = 200;

/** An approval, and whose it is. */
type ApprovalChange = ApprovalRow & { team: string | null };

export interface ApprovalChanges {
  subscribe(): SharedStream<ApprovalChange>;
  close(): void;
}

/** Tells of every approval that was requested or decided, or whose call was made. The rows are asked once for all who listen. */
export function createApprovalChanges({ db, logger }: { db: Queryable; logger: Logger }): ApprovalChanges {
  const listeners = new Set<LiveListener<ApprovalChange>>();
  const trouble = createTrouble('Reading changed approvals', logger);
  let told: ReadonlySet<string> | null = null; // null: what there is by now is not told
  let place = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;

  async function look(): Promise<void> {
    if (looking || listeners.size === 0) return;
    looking = true;
    try {
      const { rows } = await db.query<{ row: Record<string, unknown> }>(prepared(CHANGED));
      trouble.worked();
      const found = rows.map(({ row }) => decodeRow<ApprovalChange>(row));
      const before = told;
      told = new Set(found.map(versionOf));
      if (before !== null) for (const row of found) if (!before.has(versionOf(row))) tell(row);
    } catch (error) {
      trouble.failed(error);
    } finally {
      looking = false;
    }
  }

  function tell(row: ApprovalChange): void {
    place += 1;
    for (const listener of listeners) listener(row, place);
  }

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    told = null;
  };
  const stream: SharedStream<ApprovalChange> = {
    topic: 'approvals',
    listen(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        timer = setInterval(look, LOOK_MS);
        void look();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    // biome-ignore lint/correctness/useYield: nothing comes before what is live
    async *replay() {
      return place;
    },
  };
  return {
    subscribe: () => stream,
    close() {
      listeners.clear();
      stop();
    },
  };
}

const versionOf = ({ id, updatedAt }: ApprovalRow) => `${id} ${updatedAt.getTime()}`;

const CHANGED = `select to_jsonb(a) || jsonb_build_object('team', s.team) as row
  from approvals a join alert_sessions s on s.id = a.session_id
  where a.updated_at > now() - interval '${MARGIN_S} seconds' and s.deleted_at is null
  order by a.updated_at desc, a.id limit ${MAX_TOLD}`;
