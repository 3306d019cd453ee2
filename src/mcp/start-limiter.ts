import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import { within } from '../common/within.ts';

/**
 * How often a server's program starts at a time: it loads meanwhile, which takes a processor each. Fifty that start at once
 * keep this process from renewing its leases.
 */
const AT_A_TIME = availableParallelism();
/** Whoever starts for longer (ms) waits for something else than a processor, and lets the next one start. */
const TURN_MS = 1_000;

/** By server: one whose starts hang holds up no other. */
const queues = new Map<string, PQueue>();

/**
 * Starts a server's program when it is its turn among those of this server. `signal` ends the waiting, not the start.
 * @throws the signal's reason, or what the start throws
 */
export function startInTurn<T>(serverId: string, start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const starts = queues.get(serverId) ?? new PQueue({ concurrency: AT_A_TIME });
  queues.set(serverId, starts);
  const started = Promise.withResolvers<T>();
  const turn = async () => {
    started.resolve(start());
    await within(TURN_MS, started.promise).catch(() => {}); // its caller hears of it
  };
  starts.add(turn, { signal }).catch(started.reject); // without effect once it has begun
  return started.promise;
}
