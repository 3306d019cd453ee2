import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Maximum number of Tab presses, more than any page needs. */
const MAX_TABS = 60;

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard without a mouse'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());

  /**
   * Presses Tab until an element with this name has the focus. Asserts that each element on the way is
   * visible and named.
   */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const box = element.getBoundingClientRect();
        const labels =
          'labels' in element ? [...((element.labels as NodeListOf<HTMLElement> | null) ?? [])] : [];
        const label = element.getAttribute('aria-label') ?? labels.map((each) => each.innerText).join(' ');
        const style = getComputedStyle(element);
        return {
          tag: element.tagName,
          name: label || element.innerText,
          seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
          ring: style.outlineStyle !== 'none' || element.matches('input, textarea, [role="combobox"]'),
        };
      });
      expect(stop, `after ${tabs + 1} tabs`).toMatchObject({ seen: true, name: expect.stringMatching(/\S/) });
      if (name.test(stop.name)) return;
    }
    throw new Error(`nothing called ${name} is reached by ${MAX_TABS} tabs`);
  }

  test('submit, read and ask', async () => {
    const { page, close } = await dashboard.open();
    const { llm, url } = dashboard.app;
    llm.script(
      [{ thinking: 'Looking.' }, toolCall('tools.echo', { text: 'found it' })],
      { text: 'The volume is **full**.' },
      { text: 'In short: full.' },
      { text: 'Because nothing rotates.' },
    );
    await page.goto(url);
    await page.getByText('Nothing running').waitFor();
    await tabTo(page, /Submit alert/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/submit/);
    await page.getByRole('textbox', { name: /^alert/i }).waitFor();
    await page.keyboard.type('Disk almost full');
    await tabTo(page, /Alert type/);
    await tabTo(page, /^Tools/);
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: /Chain default/ }).waitFor();
    await tabTo(page, /Investigate/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\//);
    await page.getByText('In short: full.').first().waitFor();
    // the page has processed the end of the investigation, and scrolls no more
    await page.getByPlaceholder('Ask about this investigation').waitFor();

    await tabTo(page, /Copy link/);
    await tabTo(page, /echo/);
    await page.keyboard.press('Enter');
    await page.getByText('Arguments', { exact: true }).waitFor();
    await tabTo(page, /question/i);
    await page.keyboard.type('Why?');
    await page.keyboard.press('Enter');
    await page.getByText('Because nothing rotates.').first().waitFor();
    await close();
    llm.assertNoUnusedScripts();
  });

  test('the first Tab stop skips the header, and navigation moves the focus to the page', async () => {
    const { page, close } = await dashboard.open();
    await page.goto(`${dashboard.app.url}/system`);
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await expect.poll(() => skip.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('h');
    await page.getByText('History').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    await close();
  });
});
