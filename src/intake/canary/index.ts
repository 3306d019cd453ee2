import type { Logger } from 'pino';
import type { IntakeConfig, SourceConfig } from '../../config/types.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { regularly } from '../../engine/regularly.ts';
import type { Warnings } from '../../warnings.ts';
import { canarySource } from './alert.ts';
import { sendWhenDue } from './send.ts';
import { type CanaryState, canaryStates } from './states.ts';
import { judgeCanaries, readCanaries } from './store.ts';
import { createCanaryWarnings, requireHealthy } from './watch.ts';

/** Milliseconds between looks whether a canary is due, has ended, or stays away. */
const LOOK_MS = 1_000;

/** Signs of life: the alert that a process sends to itself, and those that rules take as such. */
export interface Canaries {
  /** Through which this process sends to itself; null = it does not. */
  source: SourceConfig | null;
  /** Empty when the configuration has none. */
  states(): Promise<CanaryState[]>;
  /** @throws Error when a sign of life stays away */
  check(): Promise<void>;
  /** Sends, looks and warns from now on. @param url of this process's server */
  start(url: string): { stop(): Promise<void> };
}

export function createCanaries(deps: {
  config: IntakeConfig;
  db: Queryable;
  transaction: Transaction;
  warnings: Warnings;
  logger: Logger;
}): Canaries {
  const { config, db, warnings, logger } = deps;
  const startedAt = Date.now();
  const source = config.canary && canarySource(config.canary);
  const isAny = config.canary !== null || config.rules.some(({ isCanary }) => isCanary);
  const states = async () =>
    isAny ? canaryStates(config, await readCanaries(db), startedAt, Date.now()) : [];

  return {
    source,
    states,
    check: async () => requireHealthy(await states()),
    start(url) {
      if (!isAny) return { stop: async () => {} };
      const warn = createCanaryWarnings(warnings);
      const round = async () => {
        if (config.canary !== null && source !== null) {
          await judgeCanaries(db);
          await sendWhenDue({ ...deps, config: config.canary, source }, url);
        }
        await warn(await states());
      };
      return regularly(round, { task: 'Sending signs of life', everyMs: LOOK_MS, logger });
    },
  };
}
