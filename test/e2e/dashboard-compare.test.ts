import type pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { axeFindings } from '../helpers/axe.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertReport } from '../helpers/report.ts';

vi.setConfig({ testTimeout: 120_000 });

const claim = (kind: string, text: string, value: string | null = null) => ({
  ...{ kind, text, status: 'SUPPORTED', problem: null, citations: [] },
  facts:
    value === null
      ? []
      : [
          {
            ...{ subject: 'api', attribute: 'restarts', value, unit: null, negated: false, citation: 0 },
            ...{ window: null, filter: null, status: 'SUPPORTED', problem: null },
          },
        ],
});

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let pool: pg.Pool;
let ids: string[] = [];

describe.skipIf(NO_BROWSER)(browserSuite('comparing sessions of the list'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard();
    pool = openTestPool(dashboard.app.database.url);
    ids = await seedHistory(pool, 6);
    const report = { verdict: 'ACTION_REQUIRED', headline: 'The pod restarts.', confidence: 0.8 };
    await insertReport(pool, ids[0]!, {
      ...report,
      claims: [claim('CAUSE', 'The pod restarts 5 times.', '5'), claim('RECOMMENDATION', 'Raise the limit.')],
    });
    await insertReport(pool, ids[1]!, {
      ...report,
      claims: [claim('CAUSE', 'Restarted: 9.', '9'), claim('GAP', 'No log was kept.')],
    });
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
    await page.goto(dashboard.app.url);
    await row(0).waitFor();
  });
  afterEach(() => guarded.close());

  const row = (index: number) =>
    page
      .getByRole('table', { name: 'Finished sessions' })
      .getByRole('row')
      .nth(index + 1);

  test('selects two sessions by keyboard and shows their claims side by side', async () => {
    await row(0).getByRole('checkbox').focus();
    await page.keyboard.press('Space');
    await page.getByText('1 selected. Select another one to compare.').waitFor();
    await row(1).getByRole('checkbox').check();
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.waitForURL(/\/compare\?ids=/);
    const shared = page.getByRole('region', { name: 'Claims that all of them make' });
    await shared.getByText('The pod restarts 5 times.').waitFor();
    await shared.getByText('Restarted: 9.').waitFor();
    const single = page.getByRole('region', { name: 'Claims that only some of them make' });
    expect(await single.getByText('Not claimed.').count()).toBe(2);
    await page.getByRole('table', { name: 'Investigations' }).getByText('Tool calls').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('answers an unknown session with an error', async () => {
    await page.goto(`${dashboard.app.url}/compare?ids=${ids[0]},00000000-0000-7000-8000-000000000000`);
    await page.getByText('There is no session with one of these ids.').waitFor();
  });

  test('shows an outcome below its row without leaving the list', async () => {
    await row(0)
      .getByRole('button', { name: /^Outcome of/ })
      .focus();
    await page.keyboard.press('Enter');
    await row(0).getByRole('list', { name: 'To do' }).getByText('Raise the limit.').waitFor();
    await row(0).getByRole('list', { name: 'Cause' }).getByText('The pod restarts 5 times.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
  });

  test('has a column for ratings only while a row has one, and cuts no tokens at 1024 pixels', async () => {
    await page.setViewportSize({ width: 1024, height: 800 });
    const rating = page.getByRole('columnheader', { name: 'Rating' });
    await expect.poll(() => rating.count()).toBe(0);
    const cut = await page
      .getByText(/ tokens$/)
      .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length);
    expect(cut).toBe(0);
    await pool.query(
      `update alert_sessions set review_status = 'REVIEWED', rating = 'ACCURATE' where id = $1`,
      [ids[2]],
    );
    await page.reload();
    await rating.waitFor();
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('the frame of the page'), () => {
  test('appears before the script has arrived', async () => {
    const slow = await startDashboard();
    const { page: early, close } = await slow.open();
    const { promise, resolve } = Promise.withResolvers<void>();
    await early.route('**/assets/*.js', async (route) => {
      await promise;
      await route.continue();
    });
    await early.goto(slow.app.url, { waitUntil: 'commit' });
    await early.getByRole('status', { name: 'Loading TARSy' }).waitFor();
    await early.getByText('TARSy', { exact: true }).waitFor();
    resolve();
    await early.getByRole('heading', { name: 'Running' }).waitFor();
    expect(await early.getByRole('status', { name: 'Loading TARSy' }).count()).toBe(0);
    await close();
    await slow.stop();
  });
});
