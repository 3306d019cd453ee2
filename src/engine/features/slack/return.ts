import type { SlackClient } from './client.ts';
import { SlackCallError } from './failure.ts';

export interface ReturnDeps {
  openClient: () => Pick<SlackClient, 'identity'>;
  /** True if messages wait for another attempt after a failed one. */
  isBehind: () => Promise<boolean>;
  /** Makes these messages due now. */
  resume: () => Promise<void>;
}

/**
 * Returns the function that notices Slack's return after an outage. Without it, messages would wait for their next attempt,
 * which is hours away after a long outage. Only a return makes them due, not any answer, because each attempt counts: if
 * Slack answers but refuses messages, the delays between attempts have to stay.
 */
export function createReturnWatch({ openClient, isBehind, resume }: ReturnDeps): () => Promise<void> {
  let isAway = true; // unknown after a start
  return async () => {
    if (!(await isBehind())) return;
    try {
      await openClient().identity();
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      isAway = true;
      return;
    }
    if (isAway) await resume();
    isAway = false;
  };
}
