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

/** Each waits for an investigation that is held back. */
vi.setConfig({ testTimeout: 60_000 });

const SIZES = [
  ['a wide window', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
] as const;

/** A text of so many lines, each a paragraph. */
const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `Line ${n + 1} of what it says.`).join('\n\n');

describe.skipIf(NO_BROWSER)(browserSuite('the result of a session that is watched'), () => {
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
      const shifts = { sum: 0 };
      Object.assign(globalThis, { shifts });
      const add = (entries: PerformanceEntryList): void => {
        for (const entry of entries) shifts.sum += (entry as unknown as { value: number }).value;
      };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift' });
      Object.assign(globalThis, { takeShifts: () => add(observer.takeRecords()) });
    });
  });
  afterEach(() => guarded.close());

  /** What has moved so far: what was drawn before is counted, however late a busy browser tells of it. */
  const shifted = () =>
    page.evaluate(async () => {
      const page = globalThis as unknown as { shifts: { sum: number }; takeShifts: () => void };
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
      page.takeShifts();
      return page.shifts.sum;
    });
  const isInView = (text: string) =>
    page
      .getByText(text)
      .first()
      .evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= window.innerHeight;
      });

  /** A session whose last words wait; resolves when all before them is on the page. */
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
    ])('is in view when a %s one ends, and nothing jumps', async (_length, count) => {
      const { finish } = await watch(lines(count));
      const before = await shifted();
      await finish();
      await page.getByRole('region', { name: 'Executive summary' }).waitFor();
      await expect.poll(() => isInView('In short: clean up.')).toBe(true);
      await expect.poll(() => isInView('Rests on 1 call of a tool.')).toBe(true);
      expect((await shifted()) - before).toBeLessThan(0.01);
    });
  });

  test('waits for who reads something else', async () => {
    const { finish } = await watch(lines(60));
    await page.mouse.move(640, 600);
    await page.mouse.wheel(0, -400);
    const line = page.getByRole('region', { name: 'Timeline' }).getByText('Line 30 of');
    const place = () => line.evaluate((element) => element.getBoundingClientRect().top);
    await line.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const before = await place();
    await finish();
    const way = page.getByRole('button', { name: 'It has ended: see the result' });
    await way.waitFor();
    expect(Math.abs((await place()) - before)).toBeLessThan(2);
    await way.click();
    await expect.poll(() => isInView('In short: clean up.')).toBe(true);
    await way.waitFor({ state: 'detached' });
  });
});
