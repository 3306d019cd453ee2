import { runPeriodically } from '../../common/periodic.ts';
import {
  backfillHeadlines,
  HEADLINE_POLL_MS,
  INDEX_POLL_MS,
  indexDueSessions,
} from '../../engine/sessions/backfill.ts';
import type { Core, OnStop } from './types.ts';

/** Starts the background tasks that derive search documents and headlines from stored sessions. */
export function startUpkeep({ pool, logger }: Core, onStop: OnStop): void {
  const rounds = [
    runPeriodically(() => indexDueSessions(pool), {
      task: 'Making search documents',
      everyMs: INDEX_POLL_MS,
      logger,
    }),
    runPeriodically(async () => void (await backfillHeadlines(pool)), {
      task: 'Filling in headlines of older alerts',
      everyMs: HEADLINE_POLL_MS,
      logger,
    }),
  ];
  for (const round of rounds) onStop(() => round.stop());
}
