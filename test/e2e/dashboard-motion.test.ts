import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';

describe.skipIf(NO_BROWSER)(browserSuite('a reader who prefers reduced motion'), () => {
  let dashboard: Dashboard;
  let session: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { llm, url } = dashboard.app;
    const lines = Array.from({ length: 80 }, (_, n) => `Line ${n + 1}.\n\n`);
    llm.script([{ text: lines }, { gate: 'written' }, { hang: true }]);
    session = await apiClient(url).submit('Disk trouble');
    await llm.reached('written');
  });
  afterAll(() => dashboard.stop());

  /** Returns the running animations by keyframe name or animated property. */
  const moving = (page: Page) =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .map((animation) =>
          animation instanceof CSSTransition
            ? animation.transitionProperty
            : (animation as CSSAnimation).animationName,
        ),
    );

  const openSession = async (page: Page): Promise<void> => {
    await page.goto(`${dashboard.app.url}/sessions/${session}`);
    await page.getByText('Line 80.').waitFor();
  };

  test('sees no animation of running, loading or opening elements', async () => {
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
    await openSession(page);
    await expect.poll(() => moving(page)).toEqual([]);

    await page.goto(dashboard.app.url);
    await page.getByRole('button', { name: 'Cancel Disk trouble' }).click();
    await page.getByRole('dialog').getByText('Keep running').waitFor();
    await expect.poll(() => moving(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.route('**/graphql', () => undefined);
    await page.reload();
    await page.getByRole('status', { name: 'Loading history' }).waitFor();
    await expect.poll(() => moving(page)).toEqual([]);
    await close();
  });

  test('jumps to a target without scrolling', async () => {
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
    await openSession(page);
    const below = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY);
    await expect.poll(below, { timeout: 20_000 }).toBeLessThan(100); // the page follows the streamed text
    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, -600);
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    await jump.waitFor();
    const beyond = await jump.evaluate((button: HTMLElement) => {
      button.click();
      return document.documentElement.scrollHeight - innerHeight - scrollY;
    });
    expect(beyond).toBeLessThan(100);
    const behaviours = await page.evaluate(() =>
      [...document.querySelectorAll('*')].map((element) => getComputedStyle(element).scrollBehavior),
    );
    expect(new Set(behaviours)).toEqual(new Set(['auto']));
    await close();
  });

  test('other readers see that something runs', async () => {
    const { page, close } = await dashboard.open({ reducedMotion: 'no-preference' });
    await openSession(page);
    await expect.poll(async () => (await moving(page)).length).toBeGreaterThan(0);
    await close();
  });
});
