import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';

describe.skipIf(NO_BROWSER)(browserSuite('the command palette and the keys of a session'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let ids: string[];
  beforeAll(async () => {
    dashboard = await startDashboard();
    const pool = new pg.Pool({ connectionString: dashboard.app.database.url, max: 1 });
    ids = await seedHistory(pool, 6);
    await pool.end();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  const palette = () => page.getByRole('dialog', { name: 'Command palette' });
  const options = () => palette().getByRole('option');
  const openList = async () => {
    await page.goto(dashboard.app.url);
    await page.getByRole('table').getByRole('link').first().waitFor();
  };
  const openSession = async (id: string) => {
    await page.goto(`${dashboard.app.url}/sessions/${id}`);
    await shown(id);
  };
  /** Waits for the session's page, whose keys lead on. */
  const shown = async (id: string) => {
    await page.waitForURL(`**/sessions/${id}`);
    await page.getByRole('heading', { level: 1, name: `(${ids.indexOf(id)})` }).waitFor();
  };

  test('finds a session by its analysis, from a field too', async () => {
    await openList();
    await page.keyboard.press('/');
    await page.keyboard.press('Control+k');
    await options().first().waitFor();
    await page.keyboard.type('needle-4');
    await options().filter({ hasText: '(4)' }).waitFor();
    await expect.poll(() => options().count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sessions/${ids[4]}`);
    expect(await palette().count()).toBe(0);
  });

  test('runs an action of the page and opens a page', async () => {
    await openSession(ids[0]!);
    await page.keyboard.press('Meta+k');
    await options().first().waitFor();
    await page.keyboard.type('trace');
    await expect.poll(() => options().first().innerText()).toContain('Open trace');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sessions/${ids[0]}/trace`);
    await page.keyboard.press('Control+k');
    await options().first().waitFor();
    await page.keyboard.type('silen');
    await expect.poll(() => options().first().innerText()).toContain('Silences');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/alerts/silences');
  });

  test('keeps what is typed while another page opens', async () => {
    await openSession(ids[0]!);
    await page.keyboard.press('Control+k');
    await options().first().waitFor();
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('a[href$="/trace"]')?.click();
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
    });
    await page.waitForURL(`**/sessions/${ids[0]}/trace`);
    await page.getByRole('heading', { name: 'Trace', includeHidden: true }).first().waitFor();
    await page.keyboard.type('silen');
    await expect.poll(() => options().first().innerText()).toContain('Silences');
  });

  test('closes by Escape and returns the focus', async () => {
    await openList();
    await page.getByRole('button', { name: 'Command palette' }).click();
    await options().first().waitFor();
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    const label = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await expect.poll(label).toBe('Command palette');
  });

  test('j and k follow the list that the viewer saw', async () => {
    await page.goto(`${dashboard.app.url}/?status=completed`);
    const links = page.getByRole('table').getByRole('link');
    await expect.poll(() => links.count()).toBe(4);
    await links.nth(2).click();
    // The third completed session; the fourth session, between them in time, failed.
    await shown(ids[2]!);
    await page.keyboard.press('j');
    await shown(ids[4]!);
    await page.keyboard.press('k');
    await shown(ids[2]!);
  });

  test('j and k follow the time after opening a link', async () => {
    await openSession(ids[2]!);
    await page.keyboard.press('j');
    await shown(ids[3]!);
    await page.keyboard.press('k');
    await shown(ids[2]!);
  });

  test('the help lists the keys of the session', async () => {
    await openSession(ids[0]!);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const label of ['Next session', 'Find in session', 'Open trace', 'Ctrl+K'])
      await help.getByText(label, { exact: true }).waitFor();
  });
});
