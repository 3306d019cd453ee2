import type { Logger } from 'pino';
import { runPeriodically } from '../../../common/periodic.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../../warnings.ts';

/** The time between two checks of the LLM service (ms), and the limit for its answer (ms). */
const CHECK_MS = 5_000;
const ANSWER_MS = 4_000;

/** Failed checks in a row before a warning, because the service may be restarting or the machine busy. */
const FAILURES = 2;

export interface LlmWatch {
  /** @throws Error while the service does not answer */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Checks the LLM service regularly and warns operators while it is away, because every investigation waits for it.
 * All processes share one warning. A process that reaches the service clears it; one that does not raises it again.
 */
export function watchLlmService(deps: {
  /** Rejects unless the service reports within the limit (ms) that it is serving. */
  ask: (limitMs: number) => Promise<void>;
  /** host:port */
  address: string;
  warnings: Warnings;
  logger: Logger;
  checkMs?: number;
}): LlmWatch {
  const { ask, address, warnings, logger, checkMs = CHECK_MS } = deps;
  const category = WARNING_CATEGORIES.llmService;
  let failures = 0;
  let state: 'up' | 'down' | null = null;
  let last = '';
  const clear = async () => {
    if (state !== 'up') await warnings.clear(category);
    state = 'up';
  };
  const check = async () => {
    try {
      await ask(ANSWER_MS);
      failures = 0;
      await clear();
    } catch (error) {
      failures += 1;
      if (failures < FAILURES) return;
      last = error instanceof Error ? error.message : String(error);
      state = 'down';
      await warnings.raise({
        category,
        message: 'The LLM service is not responding. Running investigations are waiting.',
        details: `Address: ${address}. Workers retry every few seconds.`,
      });
      throw error;
    }
  };
  const checking = runPeriodically(check, { task: 'check LLM service', everyMs: checkMs, logger });
  return {
    async check() {
      if (state === 'down') throw new Error(`the LLM service does not answer: ${last}`);
    },
    async stop() {
      await checking.stop();
      // A process that still misses the service raises the warning again.
      if (state === 'down') await clear();
    },
  };
}
