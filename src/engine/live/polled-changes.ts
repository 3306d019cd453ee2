import type { Logger } from 'pino';
import { createFailureLog } from '../../common/periodic.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { LiveListener, SharedStream } from '../api/engine.ts';
import { readRows } from './event-log.ts';

/** Overlap of two polls (s), because a transaction may commit this long after the timestamp of its rows. */
const MARGIN_S = 30;

/** Maximum number of rows published by one poll. The next polls publish the rest. */
const MAX_ROWS = 200;

export interface PolledRows {
  topic: string;
  /** The time between polls while there are listeners (ms). */
  everyMs: number;
  /** SQL: `id` and `version` of rows changed in the last $1 seconds, oldest first. A change makes a new version. */
  changed: string;
  /** SQL: the rows whose ids are in $1, as JSON in a column `row`. */
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
  /** Replaces MARGIN_S in tests. */
  marginS?: number;
}

/**
 * Publishes every changed row. One poll serves all listeners; without listeners there are no polls.
 * @param first item that each new subscriber gets first, once later changes are noticed. Default: none
 */
export function createPolledChanges<T>(
  { db, logger, marginS = MARGIN_S }: PolledChangesDeps,
  { topic, everyMs, changed, rows: rowsOf }: PolledRows,
  first?: T,
): PolledChanges<T> {
  const listeners = new Set<LiveListener<T>>();
  const failureLog = createFailureLog(`poll changes of ${topic}`, logger);
  let published: ReadonlySet<string> | null = null; // null before the first poll, whose rows are not published
  let completeAt = 0; // time of the last poll that left nothing to publish (Date.now)
  let position = 0;
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let primed = Promise.withResolvers<void>(); // resolves after the first poll, or when the last listener leaves

  async function poll(): Promise<void> {
    if (polling || listeners.size === 0) return;
    polling = true;
    try {
      const { rows } = await db.query<Version>(prepared(changed), [published === null ? marginS : windowS()]);
      const answeredAt = Date.now();
      const before = published ?? new Set(rows.map(keyOf));
      const fresh = rows.filter((row) => !before.has(keyOf(row)));
      const now = fresh.slice(0, MAX_ROWS);
      const due = new Set([...before, ...now.map(keyOf)]);
      if (now.length > 0) await publish(now.map(({ id }) => id));
      failureLog.succeeded();
      if (timer === undefined) return; // the last listener left during the poll
      published = new Set(rows.map(keyOf).filter((key) => due.has(key)));
      primed.resolve();
      if (now.length === fresh.length) completeAt = answeredAt;
    } catch (error) {
      failureLog.failed(error);
    } finally {
      polling = false;
    }
  }

  /** Length of the next poll's time range (s): the overlap and the time since the last complete poll. */
  const windowS = () => marginS + Math.max(0, Date.now() - completeAt) / 1000;

  async function publish(ids: string[]): Promise<void> {
    for (const row of await readRows<T>(db, prepared(rowsOf), [ids])) {
      position += 1;
      for (const listener of listeners) listener(row, position);
    }
  }

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    published = null;
    primed.resolve();
    primed = Promise.withResolvers();
  };
  const stream: SharedStream<T> = {
    topic,
    listen(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        timer = setInterval(poll, everyMs);
        void poll();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    async *replay() {
      if (first === undefined) return position;
      await primed.promise;
      const reached = position; // before the item, because its readers do not see later changes
      yield first;
      return reached;
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
