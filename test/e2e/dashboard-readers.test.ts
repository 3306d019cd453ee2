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

  interface Place {
    path: string;
    /** Text of the page that appears with its data. */
    ready: string;
  }
  /** Asserts the enabled buttons of a page for this user. */
  async function expectButtons(user: string, { path, ready }: Place, expected: string[]): Promise<void> {
    const { page, close } = await dashboard.open({ extraHTTPHeaders: { 'x-forwarded-user': user } });
    await page.goto(`${dashboard.app.url}${path}`);
    await page.getByText(ready).first().waitFor();
    // The page knows the viewer and so its rights.
    await page.getByText(user, { exact: true }).first().waitFor();
    const enabled = page.locator('main').getByRole('button', { disabled: false });
    const names = async () => (await enabled.allInnerTexts()).filter((name) => name !== '');
    await expect.poll(names).toEqual(expected);
    await close();
  }

  test('is not offered to investigate or silence a group', async () => {
    const place = { path: `/alerts/${group}`, ready: 'Excluded' };
    await expectButtons('vera', place, []);
    await expectButtons('rex', place, ['Silence', 'Investigate now']);
  });

  test('is not offered to create or end silences', async () => {
    const place = { path: '/alerts/silences', ready: 'Work' };
    const ended = 'Show ended silences';
    await expectButtons('vera', place, [ended]);
    await expectButtons('rex', place, ['New silence', ended, 'End']);
  });
});
