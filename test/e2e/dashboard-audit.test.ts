import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
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

vi.setConfig({ testTimeout: 120_000 });

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };
const SESSION = '018f0000-0000-7000-8000-000000000001';

describe.skipIf(NO_BROWSER)(browserSuite('the audit page'), () => {
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
    await pool.query('delete from audit_events');
    guarded = await dashboard.open({ acceptDownloads: true });
    ({ page } = guarded);
    return () => guarded.close();
  });
  const items = () => page.getByRole('list', { name: 'Audit events' }).locator('> li');

  /**
   * Inserts `count` audit events, one per day, alternately by ana and bo. The newest has the current time.
   */
  const fill = (count: number) =>
    pool.query(
      `insert into audit_events (id, at, actor, action, target_type, target_id, detail, via, address)
       select gen_random_uuid(), now() - (n - 1) * interval '1 day', case n % 2 when 1 then 'ana' else 'bo' end,
         case n % 3 when 1 then 'session.cancel' else 'silence.create' end,
         case n % 3 when 1 then 'Session' else 'Silence' end, $2::uuid,
         case n % 3 when 1 then null else jsonb_build_object('matchers', array['a="b"', 'number=' || n]) end,
         'PROXY', '192.0.2.7' from generate_series(1, $1::int) n`,
      [count, SESSION],
    );

  test('lists live which changes were made, by whom and to what', async () => {
    await page.goto(`${dashboard.app.url}/system`);
    await page.getByRole('navigation', { name: 'System' }).getByRole('link', { name: 'Audit' }).click();
    await page.getByText('No audit events yet').waitFor();
    const { url } = dashboard.app;
    await apiClient(url, { 'x-forwarded-user': 'ana' }).query(
      'mutation { createApiToken(input: { name: "ci", scopes: [READ] }) { __typename } }',
      {},
    );
    await items().first().waitFor();
    expect(await items().innerText()).toMatch(
      /just now\s+ana\s+none, 127\.0\.0\.1\s+token\.create\s+ApiToken /,
    );
    expect(await items().innerText()).toContain('name: ci; team: none; owner: none; prefix: tarsy_');
  });

  test('filters by actor, action, target and time, and keeps filters in the address', async () => {
    await fill(12);
    await page.goto(`${dashboard.app.url}/system/audit`);
    await expect.poll(() => items().count(), SOON).toBe(12);
    await items().first().getByRole('button', { name: 'ana' }).click();
    await expect.poll(() => items().count(), SOON).toBe(6);
    await items().first().getByRole('button', { name: 'session.cancel' }).click();
    await expect.poll(() => items().count(), SOON).toBe(2);
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Last day' }).click();
    await expect.poll(() => items().count(), SOON).toBe(1);
    expect(new URL(page.url()).search).toBe('?who=ana&action=session.cancel&within=1d');
    await items().getByRole('button', { name: 'History' }).click();
    await page.waitForURL(/object=/);
    await page.goBack();
    await page.waitForURL((address) => !address.search.includes('object'));
    await page.getByLabel('Actor').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No matching events').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await expect.poll(() => items().count(), SOON).toBe(12);
    const link = await items().first().getByRole('link').getAttribute('href');
    expect(link).toBe(`/sessions/${SESSION}`);
  });

  test('combines filters chosen in quick succession, before the first result is shown', async () => {
    await fill(12);
    await page.goto(`${dashboard.app.url}/system/audit`);
    await items()
      .first()
      .evaluate((item) => {
        const buttons = [...item.querySelectorAll('button')];
        for (const name of ['ana', 'session.cancel'])
          buttons.find(({ textContent }) => textContent === name)!.click();
      });
    await page.waitForURL(/\?who=ana&action=session\.cancel$/);
    await expect.poll(() => items().count(), SOON).toBe(2);
  });

  test('pages one after the other, even when they load slowly', async () => {
    await fill(130);
    const answer = Promise.withResolvers<void>();
    await page.route(/graphql/, async (route) => {
      if (/"after":"/.test(route.request().postData() ?? '')) await answer.promise;
      await route.continue();
    });
    await page.goto(`${dashboard.app.url}/system/audit?who=ana`);
    const next = page.getByRole('button', { name: 'Next' });
    await next.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/after=/);
    await next.and(page.getByRole('button', { disabled: true })).waitFor();
    await page.keyboard.press('Enter');
    answer.resolve();
    await items().first().getByText('number=51').waitFor();
    await page.getByText('26 to 50 of 65').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('51 to 65 of 65').waitFor();
    await expect.poll(() => items().count(), SOON).toBe(15);
  });

  test('saves all pages', async () => {
    await fill(130);
    await page.goto(`${dashboard.app.url}/system/audit?who=ana`);
    await page.getByRole('button', { name: 'Next' }).click();
    // Waits for the new page of rows, because a click during the replacement could hit another element.
    await items().first().getByText('number=51').waitFor();
    const save = async (form: string): Promise<string> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: form }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(
        new RegExp(`^tarsy-audit-\\d{4}-\\d\\d-\\d\\d\\.${form.toLowerCase()}$`),
      );
      return readFile(await file.path(), 'utf8');
    };
    const lines = (await save('CSV')).trim().split('\r\n');
    expect(lines).toHaveLength(66);
    expect(lines[1]).toMatch(/Z,ana,PROXY,192\.0\.2\.7,session\.cancel,Session,018f0000-/);
    const events = JSON.parse(await save('JSON'));
    expect(events).toHaveLength(65);
    expect(new Set(events.map(({ actor }: { actor: string }) => actor))).toEqual(new Set(['ana']));
  });

  test('looks correct', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await fill(30);
    await pool.query(
      `insert into audit_events (id, actor, action, detail, via) values
       (gen_random_uuid(), repeat('x', 190), 'token.create', jsonb_build_object('name', repeat('y', 100)), 'OIDC')`,
    );
    await page.goto(`${dashboard.app.url}/system/audit`);
    await expect.poll(() => items().count(), SOON).toBe(25);
    await expectPageFits(page, 'audit');
    await page.goto(`${dashboard.app.url}/system/audit?who=ana&from=2026-01-01T00:00:00.000Z`);
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    await expectPageFits(page, 'audit-narrowed', { whole: false });
  });
});
