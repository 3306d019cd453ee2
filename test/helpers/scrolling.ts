import { setTimeout as delay } from 'node:timers/promises';

/** Time (ms) without a change after which a place counts as final. */
const STILL_MS = 300;

/** Returns a place in the page once it no longer changes, because the browser scrolls smoothly after a turn of the wheel. */
export async function placeAtRest(place: () => Promise<number>): Promise<number> {
  for (let last = await place(); ; ) {
    await delay(STILL_MS);
    const now = await place();
    if (now === last) return now;
    last = now;
  }
}
