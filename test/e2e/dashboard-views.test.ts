import pg from 'pg';
import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  whenPainted,
} from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';
import { insertRow } from '../helpers/http-api.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { insertReport } from '../helpers/report.ts';

/** Each test renders the list at several widths. */
vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(NO_BROWSER)(browserSuite('views of the list'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let url: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    url = dashboard.app.url;
    const pool = new pg.Pool({ connectionString: dashboard.app.database.url, max: 2 });
    const [first, second, third] = await seedHistory(pool, 40);
    const set = (id: string | undefined, values: string) =>
      pool.query(`update alert_sessions set ${values} where id = $1`, [id]);
    for (const id of [first!, second!]) {
      await set(id, `team = 'storage', title = 'Disk full', severity = 'CRITICAL'`);
      await insertReport(pool, id);
    }
    await set(first, `review_status = 'REVIEWED', rating = 'PARTIALLY_ACCURATE'`);
    await set(third, `review_status = 'IN_PROGRESS', assignee = 'ana.lopez@example.com'`);
    await insertRow(pool, 'scores', {
      ...{ session_id: first, status: 'COMPLETED', total: 78, model_name: 'judge', requested_by: 'ana' },
    });
    await pool.end();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  const rows = () =>
    page
      .getByRole('table')
      .getByRole('row')
      .filter({ has: page.getByRole('link') });
  const soon = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 20_000 });
  const params = () => new URL(page.url()).searchParams.toString();
  const field = (name: string) => page.getByRole('combobox', { name });
  const choose = async (name: string, option: RegExp) => {
    await field(name).click();
    await page.getByRole('option', { name: option }).click();
    await page.keyboard.press('Escape');
  };
  const openViews = () => page.getByRole('button', { name: /^Views$|^View: To do/ }).click();

  test("rows show verdict, severity, team, rating and the judging model's score", async () => {
    await page.goto(url);
    const row = rows().first();
    for (const text of ['Action required', 'Critical', 'storage', 'Partly right', '78 of 100'])
      await row.getByText(text).waitFor();
    await rows().nth(2).getByText('In review').waitFor();
    await expectPageFits(page, 'list-judged');
  });

  test('options show how many sessions they would match, ignoring the choice in their own filter', async () => {
    await page.goto(url);
    await rows().nth(24).waitFor();
    const options = () => page.getByRole('option').allInnerTexts();
    const told = async (name: string) => {
      await field(name).click();
      await page.getByRole('option', { name: /\d$/ }).first().waitFor();
      const all = (await options()).map((text) => text.replace(/\s+/g, ' ').trim());
      if (name === 'Severity') await expectPageFits(page, 'list-counts', { whole: false });
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      return all;
    };
    expect(await told('Severity')).toContain('Critical 2');
    expect(await told('Team')).toEqual(['storage 2']);
    expect(await told('Rating')).toEqual(['Right 0', 'Partly right 1', 'Wrong 0']);
    await choose('Status', /^Failed/);
    await page.waitForURL(/status=failed/);
    const statuses = await told('Status');
    expect(statuses[0]).toMatch(/^Completed 2\d$/);
    expect(await told('Team')).toEqual(['storage 0']);
    await choose('Team', /^storage/);
    await page.getByText('No matching sessions').waitFor();
    expect(params()).toBe('status=failed&team=storage');
  });

  test('counts that arrive late keep the options of an open filter', async () => {
    await page.goto(url);
    await rows().nth(24).waitFor();
    const answer = Promise.withResolvers<void>();
    const ofSeverity = (request: Request) => /"by":"SEVERITY"/.test(request.postData() ?? '');
    await page.route('**/graphql', async (route) => {
      if (ofSeverity(route.request())) await answer.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(ofSeverity);
    const late = page.waitForResponse((response) => ofSeverity(response.request()));
    await field('Severity').click();
    await asked;
    await page.getByRole('listbox').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await field('Team').click();
    const counted = page.getByRole('option', { name: /storage.*2$/ });
    await counted.waitFor();
    answer.resolve();
    await (await late).finished();
    await whenPainted(page);
    expect(await counted.count()).toBe(1);
  });

  test('saves a named view, opens it, shares it as a link, and deletes it', async () => {
    await page.goto(url);
    await rows().nth(24).waitFor();
    await choose('Verdict', /^Action required/);
    await soon(() => rows().count()).toBe(2);
    await openViews();
    await expectPageFits(page, 'list-views', { whole: false });
    await page.getByRole('menuitem', { name: 'Save view' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('To do');
    await page.getByRole('checkbox', { name: 'Make it the default view' }).check();
    await expectPageFits(page, 'list-save-view', { whole: false });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'View: To do' }).waitFor();

    await page.goto(url);
    await soon(() => rows().count()).toBe(2);
    expect(params()).toBe('');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await soon(() => rows().count()).toBe(25);
    expect(params()).toBe('view=all');
    await page.reload();
    await soon(() => rows().count()).toBe(25);
    await openViews();
    await page.getByRole('menuitemradio', { name: /To do/ }).click();
    await soon(() => rows().count()).toBe(2);
    expect(params()).toBe('verdict=action_required');

    // The recipient of the link has not saved this view.
    const other = await dashboard.open();
    await other.page.goto(page.url());
    await expect.poll(() => other.page.getByRole('row').count(), { timeout: 20_000 }).toBe(3);
    await other.close();

    await openViews();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
    await page.goto(url);
    await soon(() => rows().count()).toBe(25);
  });
});
