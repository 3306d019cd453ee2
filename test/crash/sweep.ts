import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClosedGate, EVERY } from './gate.ts';
import type { Lane } from './lane.ts';

/** The parts of a lane that a sweep uses. */
type SweptLane = Pick<Lane, 'fill' | 'gate'>;

/** A scenario that is run repeatedly, and disturbed at another one of its writes each time. */
export interface Story<L extends SweptLane = Lane> {
  /** Prepares the data before writes are counted. @returns the function that starts the run */
  prepare(lane: L, name: string): Promise<() => Promise<Run>>;
}

export interface Run {
  /** Resolves once the client that follows the session has seen the end. */
  watched: Promise<void>;
  /** Resolves once a subscriber has received the end. */
  ended: Promise<void>;
  /** Reads everything stored about the run. */
  read(): Promise<unknown>;
  /** Asserts that the result equals that of an undisturbed run. */
  check(): Promise<void>;
}

/** A disturbance of a worker whose write waits at the gate. */
export interface Disturbance<L extends SweptLane = Lane> {
  /** The number of undisturbed workers that stand by to resume the work. */
  workers: number;
  /**
   * Disturbs the worker with this application name and opens the gate. @returns work to do after the run, if
   * any
   */
  strike(lane: L, worker: string, gate: ClosedGate): Promise<((run: Run) => Promise<void>) | void>;
}

export interface Sweep<L extends SweptLane> {
  story: Story<L>;
  disturbance: Disturbance<L>;
  /** Step between the covered writes. @default EVERY */
  every?: number;
}

/** Maximum number of writes of a story. */
const LAST = 500;

/** Time after which an unfinished run counts as stuck (ms). */
const PLACE_LIMIT_MS = 120_000;

/** Time limit of one sweep on a slow machine, for any number of lanes (ms). */
export const SWEEP_LIMIT_MS = Math.ceil(300 / EVERY) * 15_000 + PLACE_LIMIT_MS;

/**
 * Disturbs the story at its first write and at every `every`-th write after it, until a run ends before the
 * next of these writes. The lanes share the writes.
 * @returns the numbers of the covered writes
 */
export async function sweep<L extends SweptLane>(
  lanes: readonly L[],
  { story, disturbance, every = EVERY }: Sweep<L>,
): Promise<number[]> {
  const covered: number[] = [];
  let next = 1;
  let last = LAST;
  const settled = await Promise.allSettled(
    lanes.map(async (lane) => {
      try {
        while (next <= last) {
          const place = next;
          next += every;
          if (await cover(lane, story, disturbance, place)) covered.push(place);
          else last = Math.min(last, place);
        }
      } catch (error) {
        last = 0; // makes the other lanes stop after their current run
        throw error;
      }
    }),
  );
  for (const lane of settled) if (lane.status === 'rejected') throw lane.reason;
  if (last === LAST) throw new Error(`the story writes more than ${LAST} times`);
  return covered.sort((a, b) => a - b);
}

/**
 * Disturbs the story at one of its writes.
 * @param limitMs time after which a run without progress counts as stuck (ms)
 * @returns `false` if the story ended before this write
 */
export async function cover<L extends SweptLane>(
  lane: L,
  story: Story<L>,
  disturbance: Disturbance<L>,
  place: number,
  limitMs: number = PLACE_LIMIT_MS,
): Promise<boolean> {
  const limited = <T>(work: Promise<T>) => within(limitMs, work);
  await lane.fill(disturbance.workers);
  const begin = await story.prepare(lane, `Place ${place} (${randomUUID()})`);
  const gate = await lane.gate.closeAt(place);
  const run = await begin();
  try {
    const worker = await limited(Promise.race([gate.reached, run.ended.then(() => null)]));
    if (worker === null) {
      await gate.open();
      await run.check();
      return false;
    }
    await limited(run.watched);
    const afterwards = await limited(disturbance.strike(lane, worker, gate));
    await limited(Promise.all([run.ended, lane.fill(disturbance.workers)]));
    await run.check();
    if (afterwards) {
      await limited(afterwards(run));
      await run.check();
    }
    return true;
  } catch (error) {
    const state = await run.read().catch(String);
    const message = `disturbed at write ${place}: ${String(error)}\n${JSON.stringify(state, null, 1)}`;
    throw new Error(message, { cause: error });
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = delay(limitMs, null, { signal: over.signal }).then(
    () => Promise.reject(new Error(`nothing happens for ${limitMs / 1000} s`)),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
