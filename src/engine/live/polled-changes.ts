import type { Logger } from 'pino';
import { createFailureLog } from '../../common/periodic.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, SharedStream } from '../api/engine.ts';
import { decodeRow } from './event-log.ts';

/** Look-back (s) of a poll, because transactions commit later than their timestamps say. */
const MARGIN_S = 30;

/** Rows published per poll. The rest follows in the next polls. */
const MAX_ROWS = 200;

/** One kind of rows whose changes are published. */
export interface PolledRows {
  topic: string;
  /** Poll interval (ms) while there are listeners. */
  everyMs: number;
  /** Selects `id` and `version` of rows changed within $1 seconds, oldest change first. Each change gives a new version. */
  changed: string;
  /** Selects, as `row`, the rows with ids in $1. */
  rows: string;
}

export interface PolledChanges<T> {
  subscribe(): SharedStream<T>;
  close(): void;
}

interface Version {
  id: string;
  version: string;
}

export interface PolledChangesDeps {
  db: Queryable;
  logger: Logger;
  /** See MARGIN_S, the default. */
  marginS?: number;
}

/** Publishes every changed row. Rows are polled once for all listeners, and not at all without listeners. */
export function createPolledChanges<T>(
  { db, logger, marginS = MARGIN_S }: PolledChangesDeps,
  { topic, everyMs, changed, rows: rowsOf }: PolledRows,
): PolledChanges<T> {
  const listeners = new Set<LiveListener<T>>();
  const failureLog = createFailureLog(`Reading what changed of ${topic}`, logger);
  let told: ReadonlySet<string> | null = null; // null: existing rows are not published
  let toldAllAt = 0; // when everything was published, by Date.now()
  let place = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;

  async function look(): Promise<void> {
    if (looking || listeners.size === 0) return;
    looking = true;
    try {
      const { rows } = await db.query<Version>(prepared(changed), [told === null ? marginS : windowS()]);
      const answeredAt = Date.now();
      const before = told ?? new Set(rows.map(keyOf));
      const fresh = rows.filter((row) => !before.has(keyOf(row)));
      const now = fresh.slice(0, MAX_ROWS);
      const due = new Set([...before, ...now.map(keyOf)]);
      if (now.length > 0) tell(await read(now.map(({ id }) => id)));
      failureLog.succeeded();
      if (timer === undefined) return; // the last listener left
      told = new Set(rows.map(keyOf).filter((key) => due.has(key)));
      if (now.length === fresh.length) toldAllAt = answeredAt;
    } catch (error) {
      failureLog.failed(error);
    } finally {
      looking = false;
    }
  }

  /** The margin plus the time without a successful poll, such as a database outage. */
  const windowS = () => marginS + Math.max(0, Date.now() - toldAllAt) / 1000;

  async function read(ids: string[]): Promise<T[]> {
    const { rows } = await db.query<{ row: Record<string, unknown> }>(prepared(rowsOf), [ids]);
    return rows.map(({ row }) => decodeRow<T>(row));
  }

  function tell(rows: T[]): void {
    for (const row of rows) {
      place += 1;
      for (const listener of listeners) listener(row, place);
    }
  }

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    told = null;
  };
  const stream: SharedStream<T> = {
    topic,
    listen(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        timer = setInterval(look, everyMs);
        void look();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    // biome-ignore lint/correctness/useYield: there is no replay
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

const keyOf = ({ id, version }: Version) => `${id} ${version}`;
