import { availableParallelism } from 'node:os';
import { settlesWithin } from '../common/time-limit.ts';

/** Maximum number of one server's programs that start at once, because more would delay lease renewals. */
const MAX_CONCURRENT = availableParallelism();
/** Time (ms) after which a start no longer counts, because it then waits for something other than a processor. */
const SLOT_MS = 1_000;

interface StartQueue {
  running: number;
  waiting: Set<() => Promise<void>>;
}

/** Queues by server, so that hanging starts of one server delay no other. */
const queues = new Map<string, StartQueue>();

/**
 * Runs `start` when fewer than MAX_CONCURRENT programs of this server are starting, first come, first served.
 * `signal` ends the wait, not a start that has begun.
 */
export function limitStarts<T>(serverId: string, start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const queue = queues.get(serverId) ?? { running: 0, waiting: new Set() };
  queues.set(serverId, queue);
  const started = Promise.withResolvers<T>();
  const cancel = () => {
    queue.waiting.delete(run);
    started.reject(signal.reason);
  };
  const run = async () => {
    signal.removeEventListener('abort', cancel);
    started.resolve(Promise.try(start));
    await settlesWithin(SLOT_MS, started.promise).catch(() => {}); // the caller gets the error
  };
  signal.addEventListener('abort', cancel, { once: true });
  queue.waiting.add(run);
  runWaiting(queue);
  return started.promise;
}

function runWaiting(queue: StartQueue): void {
  for (const run of queue.waiting) {
    if (queue.running >= MAX_CONCURRENT) return;
    queue.waiting.delete(run);
    queue.running += 1;
    void run().finally(() => {
      queue.running -= 1;
      runWaiting(queue);
    });
  }
}
