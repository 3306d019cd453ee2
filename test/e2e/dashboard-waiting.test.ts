import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';

const REASON =
  /The budget monthly has used 3,000 of 1,000 tokens \(300 %\) this month\. The budget resets at/;

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard, while a budget is used up'), () => {
  let dashboard: Dashboard;
  let api: ApiClient;
  let pool: pg.Pool;
  const ids: string[] = [];
  beforeAll(async () => {
    dashboard = await startDashboard({
      budgets: {
        monthly: { per: 'month', limit_tokens: 1_000, degrade: ['queue'], degrade_every_percent: 0 },
      },
      agents: { TestAgent: { mcp_servers: [] } },
    });
    const { app } = dashboard;
    api = apiClient(app.url);
    pool = new pg.Pool({ connectionString: app.database.url, max: 1 });
    app.llm.otherwise([{ text: 'Done.' }, { usage: { input: 1_500, output: 0 } }]);
    await api.waitFor(await api.submit('Uses up the budget'), ({ status }) => ENDED.has(status));
    for (const [n, severity] of ['info', 'warning', 'critical', 'error'].entries())
      ids.push(await api.submit(JSON.stringify({ title: `Alert ${n}`, severity })));
  });
  afterAll(async () => {
    await pool?.end();
    await dashboard?.stop();
  });

  test('says why, on every surface; runs one session now, cancels a selection, and the rest begin once there is budget', {
    timeout: 120_000,
  }, async () => {
    const parked = `select 1 from alert_sessions where wait is not null`;
    await expect.poll(async () => (await pool.query(parked)).rows.length, { timeout: 30_000 }).toBe(4);
    const { page, close } = await dashboard.open();
    await page.goto(dashboard.app.url);
    const banner = page.getByRole('status', { name: 'Waiting' });
    await banner.getByText(REASON).waitFor();
    expect(await banner.textContent()).toMatch(/^4 sessions waiting: /);
    await expect.poll(() => page.title()).toBe('(4 waiting) Sessions · TARSy');
    const queued = page.getByRole('region', { name: 'Queued' });
    const titles = () => queued.getByRole('listitem').getByRole('link').allTextContents();
    await expect.poll(titles).toEqual(['Alert 2', 'Alert 3', 'Alert 1', 'Alert 0']);
    const row = queued.getByRole('listitem').filter({ hasText: 'Alert 2' });
    expect(await row.textContent()).toMatch(REASON);
    expect(await row.textContent()).toContain('Waiting for a budget');
    expect(await row.textContent()).not.toContain('#');

    await page.goto(`${dashboard.app.url}/system`);
    const work = page.getByRole('region', { name: 'Waiting' });
    await work.getByText('4 sessions waiting for a budget').waitFor();
    await page.getByText(/4 sessions blocked: The budget monthly/).waitFor();

    await page.goto(`${dashboard.app.url}/sessions/${ids[2]}`);
    const alert = page.getByRole('alert');
    await alert.getByText('Waiting for a budget').waitFor();
    expect(await alert.textContent()).toMatch(REASON);
    await alert.getByRole('button', { name: 'Run now: Alert 2' }).click();
    await page.getByText('Completed').first().waitFor();

    await page.goto(dashboard.app.url);
    await queued.getByRole('checkbox', { name: 'Select Alert 0' }).check();
    await queued.getByRole('checkbox', { name: 'Select Alert 1' }).check();
    await page.getByRole('button', { name: 'Cancel selected' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 2 investigations?' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Test alerts');
    await dialog.getByRole('button', { name: 'Cancel 2 investigations' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(titles).toEqual(['Alert 3']);
    await expect.poll(() => banner.textContent()).toMatch(/^1 session waiting: /);
    const { rows } = await pool.query(`select cancel_reason from alert_sessions where status = 'CANCELLED'`);
    expect(rows).toEqual([{ cancel_reason: 'Test alerts' }, { cancel_reason: 'Test alerts' }]);

    await pool.query('delete from budget_uses');
    await expect.poll(() => banner.textContent(), { timeout: 30_000 }).toBe('');
    await expect.poll(() => page.title()).toBe('Sessions · TARSy');
    await page.goto(`${dashboard.app.url}/sessions/${ids[0]}`);
    await page.getByText('Cancelled: Test alerts').waitFor();
    await close();
  });
});
