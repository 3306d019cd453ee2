import { regularly } from '../../engine/common/periodic.ts';
import { fillHeadlines, HEADLINES_MS, LOOK_MS, makeSearchDocuments } from '../../engine/sessions/backfill.ts';
import type { Core, OnStop } from './types.ts';

/** Starts the background tasks that derive search documents and headlines from stored sessions. */
export function startUpkeep({ pool, logger }: Core, onStop: OnStop): void {
  const rounds = [
    regularly(() => makeSearchDocuments(pool), {
      task: 'Making search documents',
      everyMs: LOOK_MS,
      logger,
    }),
    regularly(async () => void (await fillHeadlines(pool)), {
      task: 'Filling in headlines of older alerts',
      everyMs: HEADLINES_MS,
      logger,
    }),
  ];
  for (const round of rounds) onStop(() => round.stop());
}
