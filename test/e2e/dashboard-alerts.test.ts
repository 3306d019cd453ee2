import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { alertsSuite } from '../helpers/alerts-page.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { alertBody, sendDelivery } from '../helpers/deliveries.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(NO_BROWSER)(browserSuite('the alerts page'), () => {
  const rules = [
    { name: 'quiet', match: ['severity="info"'], investigate: 'never', team: 'shop' },
    { name: 'waits', match: ['severity="warning"'], group_wait: '1h' },
  ];
  const suite = alertsSuite({ rules });
  let page: Page;
  beforeEach(() => {
    ({ page } = suite);
  });
  const deliver = (body: Record<string, unknown>) => sendDelivery(suite.url, body);
  const goto = (path: string) => page.goto(`${suite.url}${path}`);
  const items = () => page.getByRole('list', { name: 'Alert groups' }).getByRole('listitem');

  async function deliverSome(): Promise<void> {
    await deliver(alertBody({ severity: 'warning', title: `Disk full ${HOSTILE}` }));
    await deliver(alertBody({ severity: 'warning', fingerprint: 'cpu', title: 'CPU high' }));
    await deliver(alertBody({ severity: 'info', fingerprint: 'backup', group: 'b', title: 'Backup late' }));
    const dns = { severity: 'error', fingerprint: 'dns', group: 'c', title: 'DNS slow' };
    await deliver(alertBody(dns));
    await deliver(alertBody({ ...dns, state: 'ok' }));
  }

  test('lists groups with their outcomes', async () => {
    await deliverSome();
    await goto('/');
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('3 groups').waitFor();
    expect(await items().nth(0).innerText()).toContain('DNS slow');
    expect(await items().nth(1).innerText()).toContain('Excluded: The rule "quiet" excludes these alerts.');
    expect(await items().nth(2).innerText()).toContain(`Disk full ${HOSTILE}`);
    expect(await items().nth(2).innerText()).toContain('2 of 2 firing');
    await items()
      .nth(2)
      .getByRole('link', { name: /: investigation of Disk full/ })
      .click();
    await page.waitForURL(/\/sessions\//);
  });

  test('filters the list by each condition and keeps filters in the address', async () => {
    await deliverSome();
    await goto('/alerts');
    await page.getByText('3 groups').waitFor();
    const choose = async (field: string, option: string) => {
      await page.getByRole('combobox', { name: field, exact: true }).click();
      await page.getByRole('option', { name: option }).click();
      await page.keyboard.press('Escape');
    };
    const shows = (count: string) => page.getByText(count, { exact: true }).waitFor();
    await choose('State', 'Firing');
    await shows('2 groups');
    await choose('Severity', 'Info');
    await shows('1 group');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows('3 groups');
    await page.getByLabel('Team').fill('shop');
    await page.keyboard.press('Enter');
    await shows('1 group');
    await choose('Source', 'prod');
    await choose('Alert type', 'test');
    await choose('Received', 'Last hour');
    await page.getByRole('textbox', { name: 'Search titles and labels' }).fill('backup');
    await expect
      .poll(() => new URL(page.url()).search, SOON)
      .toBe('?q=backup&source=prod&type=test&team=shop&within=1h');
    await page.reload();
    await shows('1 group');
    expect(await items().first().innerText()).toContain('Backup late');
    await goto('/alerts?after=nothing');
    await page.getByRole('button', { name: 'Show first page' }).click();
    await shows('3 groups');
    await goto('/alerts?from=2030-01-01T00:00:00Z');
    await page.getByText('No matching alert groups').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await shows('3 groups');
  });

  test('follows live changes and pages through the list', async () => {
    await goto('/alerts');
    await page.getByText('No alerts received yet').waitFor();
    for (let index = 0; index < 26; index++)
      await deliver(alertBody({ severity: 'info', fingerprint: `f${index}`, group: `g${index}` }));
    await page.getByText('26 groups').waitFor();
    expect(await items().count()).toBe(25);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => items().count(), SOON).toBe(1);
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => items().count(), SOON).toBe(25);
    await deliver(alertBody({ severity: 'info', fingerprint: 'f3', group: 'g3', state: 'ok' }));
    await items().first().getByText('Resolved: ').waitFor();
  });

  test('updates while it is being read', async () => {
    await page.clock.install();
    let told = Promise.withResolvers<void>();
    const subscribed = Promise.withResolvers<void>();
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('alertGroupsChanged')) subscribed.resolve();
      });
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('alertGroupsChanged')) told.resolve();
      });
    });
    const change = async (fingerprint: string): Promise<void> => {
      told = Promise.withResolvers();
      await deliver(alertBody({ severity: 'info', fingerprint, group: fingerprint, title: fingerprint }));
      await told.promise;
      // As long as the page waits at most for a burst of changes to end.
      await page.clock.runFor(2_000);
    };
    await goto('/alerts');
    await page.getByText('No alerts received yet').waitFor();
    await subscribed.promise;
    const read = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      const { query = '' } = route.request().postDataJSON() as { query?: string };
      if (!query.includes('query AlertGroups(')) return route.continue();
      const response = await route.fetch();
      read.resolve();
      await answered.promise;
      await route.fulfill({ response });
    });
    await change('first');
    await read.promise;
    await change('second');
    answered.resolve();
    await items().getByText('second').first().waitFor();
  });

  test('shows changes between its first read and its subscription', async () => {
    const answered = Promise.withResolvers<void>();
    await page.routeWebSocket(/\/graphql$/, async (socket) => {
      await answered.promise;
      socket.connectToServer();
    });
    await goto('/alerts');
    await page.getByText('No alerts received yet').waitFor();
    await deliver(alertBody({ severity: 'info' }));
    answered.resolve();
    await items().first().waitFor();
  });

  test('links an empty list to the sender’s configuration', async () => {
    await goto('/alerts');
    await page.getByRole('link', { name: 'Show setup steps' }).click();
    await page.getByRole('region', { name: 'Alert sources' }).waitFor();
  });
});
