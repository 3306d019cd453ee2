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
import { expectPageFits } from '../helpers/page-fit.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(NO_BROWSER)(browserSuite('the notifications page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let hook: Receiver;
  let pool: ReturnType<typeof openTestPool>;
  beforeAll(async () => {
    hook = await startReceiver();
    dashboard = await startDashboard({
      env: { HOOK_SECRET: `whsec_${Buffer.alloc(32, 5).toString('base64')}` },
      notifications: {
        channels: {
          hook: { kind: 'webhook', url: hook.url, secrets_env: ['HOOK_SECRET'], allow_private: true },
          mail: { kind: 'email', host: 'smtp.invalid', from: 't@example.com', to: ['ops@example.com'] },
        },
        rules: [{ events: ['session.ended', 'approval.requested'], channels: ['hook'] }],
      },
    });
    pool = openTestPool(dashboard.app.database.url);
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
    await hook.close();
  });
  beforeEach(async () => {
    await pool.query('delete from notification_deliveries');
    guarded = await dashboard.open();
    ({ page } = guarded);
    return () => guarded.close();
  });
  const channels = () => page.getByRole('list', { name: 'Channels' }).locator('> li');
  const deliveries = () => page.getByRole('list', { name: 'Deliveries' }).locator('> li');

  const insert = (error: string) =>
    pool.query(
      `insert into notification_deliveries (id, channel, kind, event, event_key, notice, status, attempts, last_error, ended_at)
       values (gen_random_uuid(), 'hook', 'webhook', 'budget.reached', 'old', '{"text": "All is used."}', 'FAILED', 3, $1, now())`,
      [error],
    );

  test('sends a test and repeats a delivery', async () => {
    await insert('HTTP_400: hooks.example answered 400. <b onclick=pwned()>x</b>');
    await page.goto(`${dashboard.app.url}/system`);
    await page
      .getByRole('navigation', { name: 'System' })
      .getByRole('link', { name: 'Notifications' })
      .click();
    await deliveries().getByText('<b onclick=pwned()>x</b>').waitFor();
    expect(await channels().allInnerTexts()).toEqual([
      expect.stringMatching(
        /^hook\s+Webhook · 127\.0\.0\.1:\d+\s+session\.ended, approval\.requested\s+Send test$/,
      ),
      expect.stringMatching(/^mail\s+E-mail · ops@example\.com\s+No rule sends events to it\s+Send test$/),
    ]);
    await page.getByRole('button', { name: 'Send test to hook' }).click();
    expect(JSON.parse((await hook.nth(1)).body).type).toBe('tarsy.test');
    await deliveries().filter({ hasText: 'test' }).getByText('Delivered').waitFor();
    await page.getByRole('button', { name: 'Hide delivered ones' }).click();
    await expect.poll(() => deliveries().count(), SOON).toBe(1);
    await page.getByRole('button', { name: 'Send again: budget.reached to hook' }).click();
    expect(JSON.parse((await hook.nth(2)).body).data.why).toBe('All is used.');
    await page.getByText('Everything is delivered').waitFor();
    expect(new URL(page.url()).search).toBe('?open=1');
  });

  test('shows the deliveries of one channel, and why a channel fails', async () => {
    await insert('HTTP_400: hooks.example answered 400.');
    await pool.query(
      `insert into system_warnings (id, category, key, message)
       values (gen_random_uuid(), 'notifications', 'mail', 'The channel mail does not deliver notifications (TLS).')`,
    );
    await page.goto(`${dashboard.app.url}/system/notifications`);
    await channels().getByText('does not deliver notifications (TLS)').waitFor();
    await page.getByRole('button', { name: 'mail', exact: true }).click();
    await page.getByRole('heading', { name: 'Deliveries to mail' }).waitFor();
    await page.getByText('No deliveries yet').waitFor();
    await page.getByRole('button', { name: 'Show all channels' }).click();
    await expect.poll(() => deliveries().count(), SOON).toBe(1);
    await pool.query('delete from system_warnings');
  });

  test('looks correct', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await insert(`UNREACHABLE: ${'a-long-host-name.'.repeat(20)}example could not be reached.`);
    await page.goto(`${dashboard.app.url}/system/notifications`);
    await expect.poll(() => deliveries().count(), SOON).toBe(1);
    await expectPageFits(page, 'notifications');
  });
});
