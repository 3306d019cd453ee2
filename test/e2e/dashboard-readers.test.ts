import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';

describe.skipIf(NO_BROWSER)(browserSuite('a viewer without write permission'), () => {
  let dashboard: Dashboard;
  let group: string;
  beforeAll(async () => {
    const roles = { viewer: { users: ['vera'] }, responder: { users: ['rex'] }, admin: { users: ['ada'] } };
    dashboard = await startDashboard({
      role: 'api',
      intake: intakeConfig({ rules: [{ name: 'quiet', match: [], investigate: 'never' }] }),
      auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
      access: { roles },
    });
    await sendDelivery(dashboard.app.url, alertBody());
    const pool = openTestPool(dashboard.app.database.url);
    group = (await pool.query('select id from alert_groups')).rows[0].id;
    await pool.query(
      `insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
       values (gen_random_uuid(), array['a="b"'], 'Work', 'ada', now(), now() + interval '1 hour')`,
    );
    await pool.end();
  });
  afterAll(() => dashboard.stop());

  /** Returns the enabled buttons of a page for this user. */
  async function buttons(user: string, path: string, ready: string): Promise<string[]> {
    const { page, close } = await dashboard.open({ extraHTTPHeaders: { 'x-forwarded-user': user } });
    await page.goto(`${dashboard.app.url}${path}`);
    await page.getByText(ready).first().waitFor();
    // The page knows the viewer and so its rights.
    await page.getByText(user, { exact: true }).first().waitFor();
    const names = await page.locator('main').getByRole('button', { disabled: false }).allInnerTexts();
    await close();
    return names.filter((name) => name !== '');
  }

  test('is not offered to investigate or silence a group', async () => {
    const path = `/alerts/${group}`;
    expect(await buttons('vera', path, 'Excluded')).toEqual([]);
    expect(await buttons('rex', path, 'Excluded')).toEqual(['Silence', 'Investigate now']);
  });

  test('is not offered to create or end silences', async () => {
    const ended = 'Show ended silences';
    expect(await buttons('vera', '/alerts/silences', 'Work')).toEqual([ended]);
    expect(await buttons('rex', '/alerts/silences', 'Work')).toEqual(['New silence', ended, 'End']);
  });
});
