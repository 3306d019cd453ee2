import { z } from 'zod';
import { defineTask, type NamedTask } from '../kit.ts';

export const APPLY_RETENTION = 'apply-retention';

/** Cleans up old sessions. Its payload is the crontab's own; there is nothing to say. */
export function applyRetentionTask(run: () => Promise<unknown>): NamedTask {
  return defineTask({
    name: APPLY_RETENTION,
    payload: z.object({}).loose(),
    run: async () => void (await run()),
  });
}
