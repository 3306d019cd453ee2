import type pg from 'pg';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { alertsSuite } from '../helpers/alerts-page.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { alertBody, sendDelivery } from '../helpers/deliveries.ts';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(NO_BROWSER)(browserSuite('the silences page'), () => {
  const suite = alertsSuite();
  let page: Page;
  let pool: pg.Pool;
  beforeEach(() => {
    ({ page, pool } = suite);
  });
  const items = () => page.getByRole('list', { name: 'Silences' }).locator('> li');

  async function make(matcher: string): Promise<void> {
    await page.getByRole('button', { name: 'New silence' }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
    await dialog.getByLabel('One matcher per line; all must match').fill(matcher);
    await dialog.getByLabel('Comment').fill('Planned work');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  test('creates a silence, shows what it suppressed, and ends it early', async () => {
    await page.goto(`${suite.url}/alerts`);
    await page.getByRole('link', { name: 'Silences' }).click();
    await page.getByText('No active silences').waitFor();
    await make('host="db-03"');
    await items()
      .first()
      .getByText(/^\s*1 h \d+ m left/)
      .waitFor();
    expect((await sendDelivery(suite.url, alertBody())).outcome).toBe('SILENCED');
    await page.reload();
    await items().first().getByText('1 alert delivery silenced.').waitFor();
    await page.getByRole('button', { name: 'End silence host="db-03"' }).click();
    await page.getByRole('button', { name: 'End silence' }).click();
    await page.getByText('No active silences').waitFor();
    await page.getByRole('button', { name: 'Show ended silences' }).click();
    await items().first().getByText('Ended early by api-client').waitFor();
    expect(new URL(page.url()).search).toBe('?ended=1');
  });

  test('previews what a silence covers, shows it at the group, and refuses an equal one', async () => {
    await sendDelivery(suite.url, alertBody());
    await sendDelivery(suite.url, alertBody({ fingerprint: 'net', title: 'Net', group: 'net' }));
    await page.goto(`${suite.url}/alerts`);
    const group = page.getByRole('list', { name: 'Alert groups' }).getByRole('listitem');
    await expect.poll(() => group.count(), SOON).toBe(2);
    await page.goto(`${suite.url}/alerts/silences`);
    await page.getByRole('button', { name: 'New silence' }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
    await dialog.getByLabel('One matcher per line; all must match').fill('host="db-03"');
    await dialog.getByText('2 firing alerts in 2 groups.').waitFor();
    await dialog.getByLabel('One matcher per line; all must match').fill('alertname="Net"');
    await dialog.getByText('1 firing alert in 1 group.').waitFor();
    await dialog.getByLabel('Comment').fill('Planned work');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New silence' }).click();
    await dialog.getByLabel('One matcher per line; all must match').fill('alertname = Net');
    await dialog.getByLabel('Comment').fill('Again');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText(/already silenced this until .*: Planned work/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.goto(`${suite.url}/alerts`);
    await group
      .filter({ hasText: 'Net' })
      .getByText(/Silenced, 1 h \d+ m left/)
      .waitFor();
    expect(await page.getByText('Silenced, 1 h').count()).toBe(1);
    await group.filter({ hasText: 'Net' }).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Net' }).waitFor();
    await page.getByRole('link', { name: 'Planned work' }).waitFor();
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  });

  test('creates a new silence from an ended one, and pages through the list', async () => {
    await pool.query(
      `insert into silences (id, matchers, comment, created_by, created_at, starts_at, ends_at)
       select gen_random_uuid(), array['host="h' || n || '"'], 'Work ' || n, 'ana', now() - n * interval '1 minute',
         now() - interval '2 hours', now() - interval '1 hour' from generate_series(1, 51) n`,
    );
    await page.goto(`${suite.url}/alerts/silences?ended=1`);
    await expect.poll(() => items().count(), SOON).toBe(50);
    const line = Promise.withResolvers<void>();
    await page.route('**/graphql', (route) => line.promise.then(() => route.continue()));
    const older = page.getByRole('button', { name: 'Older' });
    await older.dblclick();
    line.resolve();
    await expect.poll(() => items().count(), SOON).toBe(1);
    await page.getByRole('button', { name: 'Newer' }).click();
    await expect.poll(() => items().count(), SOON).toBe(50);
    await older.click();
    await expect.poll(() => items().count(), SOON).toBe(1);
    await page.getByRole('button', { name: 'Repeat silence: host="h51"' }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
    expect(await dialog.getByLabel('Comment').inputValue()).toBe('Work 51');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Newer' }).click();
    await items().first().getByText(/left$/).waitFor();
    expect(await items().first().innerText()).toContain('host="h51"');
  });

  test('a future silence shows when it begins', async () => {
    await pool.query(
      `insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
       values (gen_random_uuid(), array['host="h1"'], 'Later', 'ana', now() + interval '3 hours', now() + interval '4 hours')`,
    );
    await page.goto(`${suite.url}/alerts/silences`);
    await items()
      .first()
      .getByText(/Starts in 2 h \d+ m/)
      .waitFor();
  });
});
