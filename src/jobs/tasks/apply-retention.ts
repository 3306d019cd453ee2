import { z } from 'zod';
import { defineTask, type NamedTask } from '../kit.ts';

export const APPLY_RETENTION = 'apply-retention';

/** Task that deletes old sessions. The payload comes from the crontab and is unused. */
export function applyRetentionTask(run: () => Promise<unknown>): NamedTask {
  return defineTask({
    name: APPLY_RETENTION,
    payload: z.object({}).loose(),
    run: async () => void (await run()),
  });
}
