import type { Page } from 'playwright-core';

/** Number of frames without a change after which a place counts as final. A busy machine draws them later. */
const STILL_FRAMES = 20;

/** Returns a place in the page once it no longer changes, because the browser scrolls smoothly after a turn of the wheel. */
export async function placeAtRest(page: Page, place: () => Promise<number>): Promise<number> {
  for (let last = await place(); ; ) {
    await page.evaluate(async (frames) => {
      for (let frame = 0; frame < frames; frame += 1) await new Promise(requestAnimationFrame);
    }, STILL_FRAMES);
    const now = await place();
    if (now === last) return now;
    last = now;
  }
}
