import type { Logger } from 'pino';
import type { AlertGroupRow } from '../db/entities/index.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { LiveListener, SharedStream } from '../engine/engine.ts';
import { decodeRow } from '../engine/events/log.ts';
import { createTrouble } from '../engine/trouble.ts';

/** Milliseconds between looks for what changed, while anybody listens: lists show it within a second, their own reading included. */
const LOOK_MS = 250;

/** Decisions of so long ago (seconds) are looked at again: a transaction may commit that much after its time. */
const MARGIN_S = 30;

/** Groups told of in one look: in a storm thousands change. */
const MAX_TOLD = 200;

export interface GroupChanges {
  subscribe(): SharedStream<AlertGroupRow>;
  close(): void;
}

/**
 * Tells of every group that was decided on: each change of a group has a decision. The rows are asked once in LOOK_MS, once
 * for all who listen, and not at all when nobody does.
 */
export function createGroupChanges({ db, logger }: { db: Queryable; logger: Logger }): GroupChanges {
  const listeners = new Set<LiveListener<AlertGroupRow>>();
  let told = new Set<string>();
  const trouble = createTrouble('Reading changed groups', logger);
  let isFirst = true;
  let place = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;

  async function look(): Promise<void> {
    if (looking || listeners.size === 0) return;
    looking = true;
    try {
      const decided = await recentDecisions(db);
      const fresh = decided.filter(({ id }) => !told.has(id));
      const isNew = !isFirst;
      trouble.worked();
      told = new Set(decided.map(({ id }) => id));
      isFirst = false;
      if (isNew) await tell([...new Set(fresh.map(({ groupId }) => groupId))].slice(0, MAX_TOLD));
    } catch (error) {
      trouble.failed(error);
    } finally {
      looking = false;
    }
  }

  async function tell(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const group of await readGroups(db, ids)) {
      place += 1;
      for (const listener of listeners) listener(group, place);
    }
  }

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    isFirst = true;
  };
  const stream: SharedStream<AlertGroupRow> = {
    topic: 'alertGroups',
    listen(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        timer = setInterval(look, LOOK_MS);
        void look(); // what was decided before is not told
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

async function recentDecisions(db: Queryable): Promise<{ id: string; groupId: string }[]> {
  const { rows } = await db.query<{ id: string; groupId: string }>(
    prepared(`select distinct on (group_id) id, group_id as "groupId" from intake_decisions
     where at > now() - interval '${MARGIN_S} seconds' and group_id is not null order by group_id, at desc, id desc`),
  );
  return rows;
}

async function readGroups(db: Queryable, ids: string[]): Promise<AlertGroupRow[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    prepared(
      'select to_jsonb(g) as row from alert_groups g where id = any($1::uuid[]) order by last_received_at, id',
    ),
    [ids],
  );
  return rows.map(({ row }) => decodeRow<AlertGroupRow>(row));
}
