import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { alertsSuite } from '../helpers/alerts-page.ts';
import { apiClient } from '../helpers/api.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { alertBody, sendDelivery } from '../helpers/deliveries.ts';
import { pollOften } from '../helpers/page-polling.ts';

const SUBSCRIPTIONS = ['SessionsChanged', 'AlertGroupsChanged', 'ReviewBoardChanged'];

describe.skipIf(NO_BROWSER)(browserSuite('pages whose subscriptions start late'), () => {
  const suite = alertsSuite();
  let page: Page;
  let late: string[];
  beforeEach(async () => {
    ({ page } = suite);
    late = [];
    await page.addInitScript(pollOften);
    // The connection opens, but its subscriptions do not reach the server.
    await page.routeWebSocket(/\/graphql$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const name = SUBSCRIPTIONS.find((subscription) => String(message).includes(`${subscription} {`));
        if (name === undefined) server.send(message);
        else late.push(name);
      });
    });
  });
  const open = async (path: string, subscription: string): Promise<void> => {
    await page.goto(`${suite.url}${path}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => late).toContain(subscription);
  };
  const deliver = (fingerprint: string) =>
    sendDelivery(suite.url, alertBody({ severity: 'info', fingerprint, group: 'disks', title: 'Disk full' }));

  test('the list of sessions shows a session of that time', async () => {
    await open('/', 'SessionsChanged');
    await page.getByText('Nothing running').waitFor();
    await apiClient(suite.url).submit('Disk full of logs');
    await page.getByText('Queued #1').waitFor();
    await page.getByRole('link', { name: 'Disk full of logs' }).waitFor();
  });

  test('the filters offer the values of a session of that time', async () => {
    await open('/', 'SessionsChanged');
    await page.getByText('Nothing running').waitFor();
    await apiClient(suite.url).submit('Disk full of logs');
    await page.getByText('Queued #1').waitFor();
    const author = page.getByRole('combobox', { name: 'Author' });
    await expect.poll(() => author.isEnabled(), { timeout: 20_000 }).toBe(true);
    await author.click();
    await page.getByRole('option', { name: 'api-client' }).waitFor();
  });

  test('the board shows a session of that time', async () => {
    await open('/review', 'ReviewBoardChanged');
    await apiClient(suite.url).submit('Disk full of logs');
    await page.getByRole('link', { name: 'Disk full of logs' }).waitFor();
  });

  test('the alerts show a group of that time, and its page another alert', async () => {
    await open('/alerts', 'AlertGroupsChanged');
    await page.getByText('No alerts received yet').waitFor();
    await deliver('a');
    await page.getByRole('list', { name: 'Alert groups' }).getByRole('link').first().click();
    await page.getByText('1 of 1 firing').waitFor();
    await deliver('b');
    await page.getByText('2 of 2 firing').waitFor();
  });
});
