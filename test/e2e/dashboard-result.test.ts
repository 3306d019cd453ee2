import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { placeAtRest } from '../helpers/scrolling.ts';

/** The browser's performance entry for a layout shift, which TypeScript does not declare. */
interface LayoutShift extends PerformanceEntry {
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

/** Each test waits for an investigation whose model waits at a gate. */
vi.setConfig({ testTimeout: 60_000 });

const SIZES = [
  ['a wide window', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
] as const;

/** Returns a text of `count` paragraphs of one line. */
const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `Line ${n + 1} of what it says.`).join('\n\n');

describe.skipIf(NO_BROWSER)(browserSuite('the result of a followed session'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let gate = 0;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
    await page.addInitScript(() => {
      const moved: string[] = [];
      const add = (entries: PerformanceEntryList): void => {
        for (const { sources } of entries as LayoutShift[])
          for (const { node, previousRect: from, currentRect: to } of sources)
            if (Math.abs(to.top - from.top) > 1 || Math.abs(to.bottom - from.bottom) > 1)
              moved.push(`${node?.nodeName} “${node?.textContent}”: ${from.top} → ${to.top}`);
      };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift' });
      Object.assign(globalThis, {
        takeMoved: () => {
          add(observer.takeRecords());
          return moved.splice(0);
        },
      });
    });
  });
  afterEach(() => guarded.close());

  /**
   * Returns the vertical movements since the last call. Waits for frames, so that those of earlier drawing are included. At the
   * end, buttons appear beside others, which may move sideways.
   */
  const moved = () =>
    page.evaluate(async () => {
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
      return (globalThis as unknown as { takeMoved: () => string[] }).takeMoved();
    });
  const isInView = (text: string) =>
    page
      .getByText(text)
      .first()
      .evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= window.innerHeight;
      });

  /** Opens a session whose model holds its last words back. Resolves once the page shows all earlier text. */
  async function watch(text: string): Promise<{ finish: () => Promise<void> }> {
    const { llm, url } = dashboard.app;
    const api = apiClient(url);
    gate += 1;
    const name = `end-${gate}`;
    llm.script(
      [{ thinking: 'Looking.' }, toolCall('tools.echo', { text: 'measured' })],
      [{ text }, { gate: name }, { text: '\n\nThe disk is **full**.' }],
      { text: 'In short: clean up.' },
    );
    const id = await api.submit('Disk almost full');
    await page.goto(`${url}/sessions/${id}`);
    await llm.reached(name);
    await page.getByText(text.split('\n').at(-1)!).waitFor();
    return {
      finish: async () => {
        llm.open(name);
        await api.waitFor(id, ({ status }) => ENDED.has(status));
      },
    };
  }

  describe.each(SIZES)('in %s', (_name, size) => {
    beforeEach(() => page.setViewportSize(size));

    test.each([
      ['short', 2],
      ['long', 60],
    ])('is in view when a %s one ends, without a jump', async (_length, count) => {
      const { finish } = await watch(lines(count));
      await moved();
      await finish();
      await page.getByRole('region', { name: 'Executive summary' }).waitFor();
      await expect.poll(() => isInView('In short: clean up.')).toBe(true);
      await expect.poll(() => isInView('Based on 1 tool call.')).toBe(true);
      expect(await moved()).toEqual([]);
    });
  });

  test('does not scroll a reader who reads something else', async () => {
    const { finish } = await watch(lines(60));
    await page.mouse.move(640, 600);
    await page.mouse.wheel(0, -400);
    const line = page.getByRole('region', { name: 'Timeline' }).getByText('Line 30 of');
    const place = () => line.evaluate((element) => element.getBoundingClientRect().top);
    await line.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const before = await placeAtRest(page, place);
    await finish();
    const way = page.getByRole('button', { name: 'Investigation ended. Show result' });
    await way.waitFor();
    expect(Math.abs((await place()) - before)).toBeLessThan(2);
    await way.click();
    await expect.poll(() => isInView('In short: clean up.')).toBe(true);
    await way.waitFor({ state: 'detached' });
  });
});
