import type { Logger } from 'pino';
import { WARNING_CATEGORIES, type Warnings } from '../../../warnings.ts';
import { regularly } from '../../common/periodic.ts';

/** Milliseconds between two looks at the LLM service, and that it has to answer. */
const LOOK_MS = 5_000;
const ANSWER_MS = 4_000;

/** One that fails once may be restarting, or the machine is busy. */
const FAILURES = 2;

/** Whether the LLM service is there, as a process sees it. */
export interface LlmWatch {
  /** @throws Error while it is known not to be there */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Looks after the LLM service: operators are warned while it is away, for all that is investigated waits for it. There is
 * one such warning. Whoever sees the service come back clears it, and whoever still misses it raises it again.
 */
export function watchLlmService(deps: {
  /** Rejects when the service does not say within so many milliseconds that it serves. */
  ask: (limitMs: number) => Promise<void>;
  /** host:port */
  address: string;
  warnings: Warnings;
  logger: Logger;
  lookMs?: number;
}): LlmWatch {
  const { ask, address, warnings, logger, lookMs = LOOK_MS } = deps;
  const category = WARNING_CATEGORIES.llmService;
  let failures = 0;
  let known: 'here' | 'away' | null = null;
  let last = '';
  const clear = async () => {
    if (known !== 'here') await warnings.clear(category);
    known = 'here';
  };
  const look = async () => {
    try {
      await ask(ANSWER_MS);
      failures = 0;
      await clear();
    } catch (error) {
      failures += 1;
      if (failures < FAILURES) return;
      last = error instanceof Error ? error.message : String(error);
      known = 'away';
      await warnings.raise({
        category,
        message: 'The LLM service does not answer. What is being investigated waits for it.',
        details: `Tried at ${address}. Workers look again every few seconds.`,
      });
      throw error;
    }
  };
  const looking = regularly(look, { task: 'Looking at the LLM service', everyMs: lookMs, logger });
  return {
    async check() {
      if (known === 'away') throw new Error(`the LLM service does not answer: ${last}`);
    },
    async stop() {
      await looking.stop();
      // Whoever else misses it says so.
      if (known === 'away') await clear();
    },
  };
}
