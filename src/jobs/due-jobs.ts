import type pg from 'pg';
import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import { prepared } from '../db/prepared.ts';

/** Interval (ms) of the search for due jobs: the longest delay of a job whose notification was lost, or of a retry. */
const SEARCH_MS = 2_000;

const DUE = prepared(`
  select t.identifier as task, count(*) as jobs
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where j.is_available and j.run_at <= now() group by t.identifier`);

interface DueListener {
  tasks: readonly string[];
  /** Gets the number of due jobs of these tasks, if there are any. */
  onDue: (jobs: number) => void;
}

interface Search {
  listeners: Set<DueListener>;
  stop(): Promise<void>;
}

const searches = new WeakMap<pg.Pool, Search>();

/**
 * Calls `onDue` every 2 s while jobs are due that no worker has taken. One statement serves all runners on a pool,
 * because otherwise each idle worker of each runner would poll.
 * @returns the function that ends the calls
 */
export function watchDueJobs(queue: pg.Pool, listener: DueListener, logger: Logger): () => void {
  const { listeners, stop } = searches.get(queue) ?? startSearch(queue, logger);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    searches.delete(queue);
    void stop(); // not awaited, because the database may not answer
  };
}

function startSearch(queue: pg.Pool, logger: Logger): Search {
  const listeners = new Set<DueListener>();
  async function round(): Promise<void> {
    const { rows } = await queue.query<{ task: string; jobs: number }>(DUE);
    for (const { tasks, onDue } of listeners) {
      const due = rows.filter(({ task }) => tasks.includes(task));
      if (due.length > 0) onDue(due.reduce((sum, { jobs }) => sum + jobs, 0));
    }
  }
  const { stop } = runPeriodically(round, { task: 'search due jobs', everyMs: SEARCH_MS, logger });
  const search = { listeners, stop };
  searches.set(queue, search);
  return search;
}
