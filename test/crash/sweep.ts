import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClosedGate, EVERY } from './gate.ts';
import type { Lane } from './lane.ts';

/** What is run again and again, each time disturbed at another of its writes. */
export interface Story {
  /** Makes what there must be before writes are counted. @returns what begins the run */
  prepare(lane: Lane, name: string): Promise<() => Promise<Run>>;
}

export interface Run {
  /** A client follows it. */
  watched: Promise<void>;
  /** It has ended, as the client was told. */
  ended: Promise<void>;
  /** Everything that is stored of it. */
  read(): Promise<unknown>;
  /** Everything about it must be as if nothing had happened. */
  check(): Promise<void>;
}

/** What happens to a worker whose write waits at the gate. */
export interface Disturbance {
  /** Workers of a lane that nobody disturbs, ready to go on. */
  workers: number;
  /** Gets the name of the worker, and opens the gate. @returns what is left to do once the run has ended */
  strike(lane: Lane, worker: string, gate: ClosedGate): Promise<((run: Run) => Promise<void>) | void>;
}

/** Far more than any story writes. */
const LAST = 500;

/** Milliseconds after which a run that has not ended never will. */
const PLACE_LIMIT_MS = 120_000;

/** Milliseconds for one sweep on a slow machine, however many lanes there are. */
export const SWEEP_LIMIT_MS = Math.ceil(300 / EVERY) * 15_000 + PLACE_LIMIT_MS;

/**
 * Disturbs the story at its 1st write, at every EVERY-th after it, until one runs through because it does not write so
 * often. Lanes share the places among them.
 * @returns the places that were covered
 */
export async function sweep(
  lanes: readonly Lane[],
  story: Story,
  disturbance: Disturbance,
): Promise<number[]> {
  const covered: number[] = [];
  let next = 1;
  let last = LAST;
  const settled = await Promise.allSettled(
    lanes.map(async (lane) => {
      try {
        while (next <= last) {
          const place = next;
          next += EVERY;
          if (await cover(lane, story, disturbance, place)) covered.push(place);
          else last = Math.min(last, place);
        }
      } catch (error) {
        last = 0; // the others finish what they are at
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
 * @param limitMs milliseconds after which a run that has not come further never will
 * @returns false when the story ended without coming to this place
 */
export async function cover(
  lane: Lane,
  story: Story,
  disturbance: Disturbance,
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
