import type pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertSession } from '../helpers/http-api.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

vi.setConfig({ testTimeout: 120_000 });

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let pool: pg.Pool;

describe.skipIf(NO_BROWSER)(browserSuite('calibration on the dashboard'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard({ role: 'api' });
    pool = openTestPool(dashboard.app.database.url);
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    await pool.query('truncate alert_sessions cascade');
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  async function rated(
    count: number,
    rating: string,
    confidence: number,
    more: Record<string, unknown> = {},
  ) {
    for (let n = 0; n < count; n += 1)
      await insertSession(pool, {
        status: 'COMPLETED',
        verdict: 'ACTION_REQUIRED',
        confidence,
        review_status: 'REVIEWED',
        rating,
        completed_at: new Date(),
        ...more,
      });
  }
  const go = (address = ''): Promise<unknown> =>
    page.goto(`${dashboard.app.url}/review/calibration${address}`);

  test('without ratings it explains where they come from', async () => {
    await go();
    await page.getByText('No rated reports yet').waitFor();
    await expectPageFits(page, 'calibration-empty');
    await page.getByRole('link', { name: 'Open the review board' }).click();
    await page.waitForURL(/\/review$/);
    await page.getByRole('link', { name: 'Calibration' }).click();
    await page.waitForURL(/\/review\/calibration$/);
  });

  test('shows shares, Brier score and diagram for all and for one alert type, and the same in the table', async () => {
    await rated(6, 'ACCURATE', 0.9);
    await rated(2, 'INACCURATE', 0.9);
    await rated(1, 'PARTIALLY_ACCURATE', 0.5, { alert_type: 'dns', chain_id: 'dns-chain' });
    const long = new Date(Date.now() - 60 * 86_400_000);
    await rated(1, 'INACCURATE', 0.3, { alert_type: 'dns', chain_id: 'dns-chain', created_at: long });
    await go();
    await page.getByText('10 reviewed: 6 right, 1 partly right, 3 wrong (accuracy 65 %).').waitFor();
    // Brier score of the confidences: (6 · 0.01 + 2 · 0.81 + 0 + 0.09) / 10. The base score is the variance
    // of six 1, one 0.5 and three 0.
    await page
      .getByText('Brier score 0.18 (0 is best). Constant confidence equal to the accuracy would score 0.20.')
      .waitFor();
    const byConfidence = page.getByRole('table', { name: 'By confidence' });
    await byConfidence.getByRole('row', { name: '80 to 100 % 8 90 % 75 %' }).waitFor();
    await byConfidence.getByRole('row', { name: '40 to 60 % 1 50 % 50 %' }).waitFor();
    const chart = page.getByRole('img', { name: /Confidence 90 %, accuracy 75 %, 8 reviewed\./ });
    expect(await chart.locator('circle').count()).toBe(3);
    await page.getByRole('row', { name: 'host host-chain 8 75 % 0 % 25 % 0.21' }).waitFor();
    await expectPageFits(page, 'calibration');

    await page.getByRole('link', { name: 'dns' }).click();
    await page.getByRole('heading', { name: 'dns, dns-chain' }).waitFor();
    await page.getByText('A Brier score needs at least five reviews.').waitFor();
    await page.getByRole('combobox', { name: 'Submitted' }).click();
    await page.getByRole('option', { name: 'Last 30 days' }).click();
    await page.getByText('1 reviewed: 0 right, 1 partly right, 0 wrong').waitFor();
    await page.reload();
    await page.getByText('1 reviewed: 0 right, 1 partly right, 0 wrong').waitFor();
    expect(new URL(page.url()).search).toBe('?within=30d&type=dns&chain=dns-chain');
  });

  test('shows an error instead of the figures of another period while the server does not answer', async () => {
    await rated(6, 'ACCURATE', 0.9);
    await go();
    await page.getByText('6 reviewed: 6 right').waitFor();
    await page.route('**/graphql', (route) => route.abort('connectionrefused'));
    await page.getByRole('combobox', { name: 'Submitted' }).click();
    await page.getByRole('option', { name: 'Last 30 days' }).click();
    await page.getByText('Could not load calibration data.').waitFor();
    expect(await page.getByText('6 reviewed').count()).toBe(0);
  });
});
