import { runPeriodically } from '../../common/periodic.ts';
import { readDatabaseIdentity } from '../../db/identity.ts';
import { CHANNELS } from '../../engine/live/event-log.ts';
import type { NatsCarrier } from '../../engine/live/nats-carrier.ts';
import { WARNING_CATEGORIES } from '../../warnings.ts';
import type { AppOptions, Core } from './types.ts';

/** Interval of looking whether NATS works (ms). */
const CHECK_MS = 5_000;

/** Channels of a worker, which has no subscribers. */
export const WORKER_CHANNELS = [CHANNELS.cancel, CHANNELS.conclude, CHANNELS.request];

/** Creates the carrier of notices over NATS; `null` unless `events.bus` is `nats`. Connects when the bus starts it. */
export async function createCarrier({
  config,
  env,
  pool,
  logger,
  natsTiming: timing = {},
}: Pick<AppOptions, 'config' | 'env' | 'logger' | 'natsTiming'> &
  Pick<Core, 'pool'>): Promise<NatsCarrier | null> {
  const { bus, nats } = config.events;
  if (bus !== 'nats' || nats === null) return null;
  // Loaded on demand, because most installations have no NATS.
  const [{ createNatsCarrier }, { natsTarget }] = await Promise.all([
    import('../../engine/live/nats-carrier.ts'),
    import('../../engine/live/nats-target.ts'),
  ]);
  const target = natsTarget(nats, env, await readDatabaseIdentity(pool));
  return createNatsCarrier({ target, logger, timing });
}

/**
 * Warns operators while NATS does not work. All processes share one warning. A process that reaches NATS again clears it;
 * one that does not raises it again.
 */
export function watchCarrier({ carrier, warnings, logger }: Pick<Core, 'carrier' | 'warnings' | 'logger'>): {
  stop(): Promise<void>;
} {
  const category = WARNING_CATEGORIES.eventBus;
  let failures = 0;
  let isCleared = false;
  const check = async () => {
    const problem = carrier?.problem() ?? null;
    if (problem !== null) {
      failures += 1;
      if (failures === 1) return; // a reconnection takes less than a second
      isCleared = false;
      await warnings.raise({
        category,
        message: 'NATS is unavailable. PostgreSQL carries live events until NATS is back.',
        details: problem,
      });
      return;
    }
    failures = 0;
    if (!isCleared) await warnings.clear(category);
    isCleared = true;
  };
  if (carrier === null) {
    void warnings.clear(category); // of a configuration with NATS
    return { stop: async () => {} };
  }
  const checking = runPeriodically(check, { task: 'check NATS', everyMs: CHECK_MS, logger });
  return {
    async stop() {
      await checking.stop();
      if (failures > 1) await warnings.clear(category); // a process that still misses NATS raises it again
    },
  };
}
