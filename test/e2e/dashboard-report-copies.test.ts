import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { ALERT, IN_LONG, insertReportedSession } from '../helpers/reported-session.ts';

vi.setConfig({ testTimeout: 120_000 });

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let pool: pg.Pool;
let session: { id: string };

describe.skipIf(NO_BROWSER)(browserSuite('a report that leaves the page'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard();
    pool = openTestPool(dashboard.app.database.url);
    session = await insertReportedSession({ app: dashboard.app, api: apiClient(dashboard.app.url), pool });
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  const address = (hash = ''): string =>
    `${dashboard.app.url}/sessions/${encodeURIComponent(session.id)}${hash}`;
  const card = (): Locator => page.getByRole('region', { name: 'Verdict' });

  test('can be copied and saved as Markdown, JSON and a postmortem draft', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(address());
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Copy postmortem draft');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`# Postmortem: ${ALERT}\n`);
    const [download] = await Promise.all([page.waitForEvent('download'), choose('Download JSON')]);
    expect(download.suggestedFilename()).toMatch(/^tarsy-[\w-]+\.json$/);
    const saved = JSON.parse(await readFile((await download.path())!, 'utf8'));
    expect(saved).toMatchObject({ format: 'tarsy-session', report: { verdict: 'ACTION_REQUIRED' } });
  });

  test('prints the verdict and its claims in dark text without controls', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(address());
    await card().waitFor();
    const color = () => card().evaluate((element) => getComputedStyle(element).color);
    const onScreen = await color();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
    for (const role of ['button', 'link'] as const)
      expect(await page.getByRole(role, { name: /Submit|Right|Ask|Trace|Conclusion/ }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: /Question/ }).count()).toBe(0);
    await card().getByText(IN_LONG).waitFor();
    expect(await color()).not.toBe(onScreen);
    await expectPageFits(page, 'report-printed', { switchScheme: false });
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await expect.poll(color).toBe(onScreen);
  });

  test('the list shows the verdict first and filters by it', async () => {
    await page.goto(`${dashboard.app.url}/?verdict=action_required`);
    const row = page.getByRole('row', { name: /Disk almost full/ });
    await row.getByText('Action required').waitFor();
    await row.getByText('82 % confidence').waitFor();
    await row.getByText('The disk of db-1 is full.').waitFor();
    await expectPageFits(page, 'list-verdict');
    await page.goto(`${dashboard.app.url}/?verdict=no_action`);
    await page.getByText('No matching sessions').waitFor();
  });
});
