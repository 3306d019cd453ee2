import type { Logger } from 'pino';
import { runPeriodically } from '../../common/periodic.ts';
import type { IntakeConfig, NotificationsConfig, SourceConfig } from '../../config/types.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { notifyOfWarning } from '../../engine/features/notifications/request.ts';
import { deleteOtherWarnings, WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import { canarySource } from './alert.ts';
import { sendWhenDue } from './send.ts';
import { type CanaryState, canaryStates } from './states.ts';
import { readCanaries, recordOutcomes } from './store.ts';

/** Interval (ms) between checks for canaries that are due, ended or missing. */
const CHECK_MS = 1_000;

/** Monitors canaries: those that this process sends to itself, and alerts that a rule with `canary: true` matches. */
export interface Canaries {
  /** The source of this process's own canary; `null` if it sends none. */
  source: SourceConfig | null;
  states(): Promise<CanaryState[]>;
  /** @throws Error if a canary is missing or its investigation failed */
  check(): Promise<void>;
  /** Starts sending, checking and warning. @param url the address of this process's server */
  start(url: string): { stop(): Promise<void> };
}

export function createCanaries(deps: {
  config: IntakeConfig;
  notifications: NotificationsConfig;
  db: Queryable;
  transaction: Transaction;
  warnings: Warnings;
  logger: Logger;
}): Canaries {
  const { config, db, logger } = deps;
  const startedAt = Date.now();
  const source = config.canary && canarySource(config.canary);
  const isAny = config.canary !== null || config.rules.some(({ isCanary }) => isCanary);
  const states = async () =>
    isAny ? canaryStates(config, await readCanaries(db), startedAt, Date.now()) : [];

  return {
    source,
    states,
    async check() {
      const problems = (await states()).filter(({ healthy }) => !healthy).map(({ error }) => error);
      if (problems.length > 0) throw new Error(problems.join(' '));
    },
    start(url) {
      const warn = createCanaryWarnings(deps);
      const round = async () => {
        if (config.canary !== null && source !== null) {
          await recordOutcomes(db);
          await sendWhenDue({ ...deps, config: config.canary, source }, url);
        }
        await warn(await states());
      };
      return runPeriodically(round, { task: 'send canaries', everyMs: CHECK_MS, logger });
    },
  };
}

function createCanaryWarnings({
  db,
  notifications,
  warnings,
}: {
  db: Queryable;
  notifications: NotificationsConfig;
  warnings: Warnings;
}): (states: readonly CanaryState[]) => Promise<void> {
  const category = WARNING_CATEGORIES.canary;
  let warned: ReadonlyMap<string, string | null> | null = null;
  return async (states) => {
    const now = new Map(states.map(({ source, rule, error }) => [JSON.stringify([source, rule]), error]));
    for (const { source, rule, error } of states) {
      const key = JSON.stringify([source, rule]);
      if (warned?.get(key) === error) continue;
      if (error === null) {
        await warnings.clear(category, key);
        continue;
      }
      await warnings.raise({ category, key, message: MESSAGE, details: error });
      const event = rule === null ? 'canary.failing' : 'source.silent';
      await notifyOfWarning(db, { config: { notifications } }, { category, key }, { event, text: error });
    }
    // The source in a rule's key is `null` until the rule's first canary arrives. Earlier processes may have had other rules.
    if (warned === null || [...warned.keys()].some((key) => !now.has(key)))
      await deleteOtherWarnings(db, category, [...now.keys()]);
    warned = now;
  };
}

const MESSAGE = 'A canary is missing. Alerts may not arrive or may not be investigated.';
