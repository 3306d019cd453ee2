import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertRow, insertSession } from '../helpers/http-api.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(NO_BROWSER)(browserSuite('the usage page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let pool: ReturnType<typeof openTestPool>;
  beforeAll(async () => {
    dashboard = await startDashboard({ role: 'api' });
    pool = openTestPool(dashboard.app.database.url);
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    await pool.query('delete from alert_sessions');
    guarded = await dashboard.open({ acceptDownloads: true });
    ({ page } = guarded);
    return () => guarded.close();
  });

  /**
   * Inserts sessions for this many days, each with two calls: one of an expensive or unpriced model, one of a
   * cheap model.
   */
  async function fill(days: number): Promise<string[]> {
    const ids: string[] = [];
    for (let day = 0; day < days; day++) {
      const usd = day % 5 === 0 ? null : 0.4 * (1 + (day % 7));
      const title =
        day === 1 ? `=SUM(A1) ${'very-long-name-'.repeat(12)}` : `Disk of db-${day} is almost full`;
      const created = new Date(Date.now() - day * 24 * 3_600_000);
      const session = await insertSession(pool, {
        ...{ title, severity: 'ERROR', entities: [], status: 'COMPLETED', created_at: created },
        ...{ alert_type: day % 2 ? 'host' : 'kubernetes', team: day % 3 ? 'payments' : null },
        ...{ cost_usd: (usd ?? 0) + 0.03, unpriced_calls: usd === null ? 1 : 0, total_tokens: 70_000 },
      });
      for (const [model, cost] of [
        [usd === null ? 'our-org/llama-4' : 'claude-opus-5', usd],
        ['gemini-3.7-flash', 0.03],
      ] as const)
        await insertRow(pool, 'llm_interactions', {
          ...{ session_id: session, type: 'ITERATION', provider: 'p', model_name: model, duration_ms: 1 },
          ...{
            request: '{}',
            response: '{}',
            input_tokens: 30_000,
            output_tokens: 5_000,
            total_tokens: 35_000,
          },
          ...{ cached_read_tokens: 12_000, cost_usd: cost, created_at: created },
        });
      ids.push(session);
    }
    return ids;
  }
  const rows = () => page.getByRole('table').filter({ hasText: 'Sessions' }).locator('tbody tr');

  test('is reachable, and shows an empty state', async () => {
    await page.goto(`${dashboard.app.url}/system`);
    await page.getByRole('navigation', { name: 'System' }).getByRole('link', { name: 'Usage' }).click();
    await page.getByText('No model calls in this period').waitFor();
  });

  test('shows a period with filters, and keeps both in the address', async () => {
    await fill(8);
    await page.goto(`${dashboard.app.url}/system/usage?span=7`);
    await expect
      .poll(() => rows().allInnerTexts(), SOON)
      .toEqual([
        expect.stringMatching(/^claude-opus-5\s+\$8\.40\s+5\s+5\s+175k$/),
        expect.stringMatching(/^gemini-3\.7-flash\s+\$0\.21\s+7\s+7\s+245k$/),
        expect.stringMatching(/^our-org\/llama-4\s+unknown\s+2\s+2\s+70\.0k$/),
      ]);
    await page.getByText('Price unknown for 2 calls').waitFor();
    const chart = page.getByRole('img', { name: /^Cost by day, UTC: maximum \$2\.83/ });
    await chart.waitFor();
    expect(await chart.locator('rect[fill^="var"]').count()).toBe(7);
    const days = page.getByRole('table', { name: 'Cost by day, UTC' });
    expect(await days.locator('tbody tr').count()).toBe(7);
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'Team' }).click();
    await expect
      .poll(() => rows().allInnerTexts(), SOON)
      .toEqual([expect.stringMatching(/^none\s+\$4\.49/), expect.stringMatching(/^payments\s+\$4\.12/)]);
    expect(new URL(page.url()).search).toBe('?span=7&by=TEAM');
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Between' }).click();
    const day = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);
    await page.getByLabel('First day').fill(day);
    await page.waitForURL(/from=/);
    // The field keeps the focus while the viewer types a date.
    const focused = page.getByLabel('First day').and(page.locator(':focus'));
    expect(await focused.count()).toBe(1);
    await page.getByLabel('Last day').fill(day);
    await expect.poll(() => rows().count(), SOON).toBe(1);
    await page.getByRole('link', { name: /^=SUM/ }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor({ state: 'detached' });
    await page.getByText('$0.83', { exact: true }).waitFor();
  });

  test('saves the visible figures, even while others load', async () => {
    await fill(2);
    await page.goto(`${dashboard.app.url}/system/usage?by=MODEL&span=7`);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (/"by":"TEAM"/.test(route.request().postData() ?? '')) {
        asked.resolve();
        await answer.promise;
      }
      await route.continue();
    });
    await page.getByRole('heading', { name: 'By model' }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'Team' }).click();
    await asked.promise;
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^tarsy-usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    expect((await readFile(await file.path(), 'utf8')).split('\r\n')).toEqual([
      'model,sessions,calls,input_tokens,cached_read_tokens,cache_write_tokens,output_tokens,thinking_tokens,total_tokens,cost_usd,unpriced_calls',
      'claude-opus-5,1,1,30000,12000,0,5000,0,35000,0.8,0',
      'gemini-3.7-flash,2,2,60000,24000,0,10000,0,70000,0.06,0',
      'our-org/llama-4,1,1,30000,12000,0,5000,0,35000,0,1',
      '',
    ]);
    answer.resolve();
    await page.getByRole('heading', { name: 'By team' }).waitFor();
  });

  test('looks correct', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await fill(25);
    await page.goto(`${dashboard.app.url}/system/usage`);
    await expect.poll(() => rows().count(), SOON).toBe(3);
    await expectPageFits(page, 'usage');
  });
});
