import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import { maintainPartitions } from '../db/partitions/maintain.ts';

/** Interval (ms) between rounds. Partitions are made months ahead; an interrupted conversion resumes in the next round. */
const INTERVAL_MS = 3_600_000;

/**
 * Partitions large tables by month, and creates the partitions of the coming months: now, and then every hour. Several
 * workers may do so, because one at a time works.
 * @param deps.databaseUrl of PostgreSQL itself, not of a pooler
 */
export function startPartitioning({ databaseUrl, logger }: { databaseUrl: string; logger: Logger }): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const round = () => maintainPartitions(databaseUrl, { logger, signal: stopping.signal });
  const rounds = runPeriodically(round, { task: 'partition tables', everyMs: INTERVAL_MS, logger });
  return {
    async stop() {
      stopping.abort();
      await rounds.stop();
    },
  };
}
