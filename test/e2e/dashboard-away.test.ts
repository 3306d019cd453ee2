import type { Page, Route } from 'playwright-core';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { alertsSuite } from '../helpers/alerts-page.ts';
import { apiClient } from '../helpers/api.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { alertBody, sendDelivery } from '../helpers/deliveries.ts';

vi.setConfig({ testTimeout: 60_000 });

type Answer = (route: Route) => Promise<void>;
const nobody: Answer = (route) => route.abort('connectionrefused');
const failure: Answer = (route) => route.fulfill({ status: 500, json: { errors: [{ message: 'Later' }] } });
const refusal: Answer = (route) => route.fulfill({ json: { errors: [{ message: 'Not for you any more' }] } });

describe.skipIf(NO_BROWSER)(browserSuite('pages while the server does not answer'), () => {
  const suite = alertsSuite();
  let page: Page;
  let asked: string[];
  beforeEach(() => {
    ({ page } = suite);
    asked = [];
  });
  /**
   * Sets how later queries are answered. The socket stays open, as if only a proxy's path to the server were
   * cut.
   */
  const answer = (how: Answer) =>
    page.route(/\/graphql$/, async (route) => {
      asked.push((route.request().postDataJSON() as { operationName: string }).operationName);
      await how(route);
    });
  /** Resolves once the page has sent the query and rendered the outcome. */
  const whenAsked = async (name: string): Promise<void> => {
    await expect.poll(() => asked, { timeout: 20_000 }).toContain(name);
    await page.evaluate(() => new Promise((shown) => setTimeout(() => requestAnimationFrame(shown), 100)));
  };
  const lookAgain = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const silence = () =>
    apiClient(suite.url).query(
      'mutation ($endsAt: DateTime!) { createSilence(input: { matchers: ["host=db-03"], comment: "Work", endsAt: $endsAt }) { __typename } }',
      { endsAt: new Date(Date.now() + 3_600_000) },
    );

  test.each([
    ['/alerts/silences', 'host=db-03', 'Silences', nobody],
    ['/alerts/silences', 'host=db-03', 'Silences', failure],
    ['/system', 'kubernetes-server', 'McpServers', nobody],
    ['/system', '/webhooks/prod', 'AlertSources', nobody],
    ['/system/tokens', 'No active API tokens', 'ApiTokens', nobody],
    ['/system/audit', 'silence.create', 'AuditEvents', nobody],
    ['/system/configuration', 'tarsy.yaml', 'Configuration', nobody],
  ])('keeps what %s shows: %s', async (path, shown, query, how) => {
    await silence();
    await page.goto(`${suite.url}${path}`);
    const text = page.getByText(shown).first();
    await text.waitFor();
    await answer(how);
    await lookAgain();
    await whenAsked(query);
    expect(await text.isVisible()).toBe(true);
  });

  test('hides data that the server now refuses', async () => {
    await silence();
    await page.goto(`${suite.url}/alerts/silences`);
    await page.getByText('host=db-03').waitFor();
    await answer(refusal);
    await lookAgain();
    await page.getByText('Not for you any more').waitFor();
    expect(await page.getByText('host=db-03').count()).toBe(0);
  });

  test('keeps a group with the text that is being written on its page', async () => {
    const group = (fingerprint: string) =>
      sendDelivery(suite.url, alertBody({ severity: 'info', fingerprint, group: 'one' }));
    await group('a');
    await page.goto(`${suite.url}/alerts`);
    await page.getByRole('list', { name: 'Alert groups' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    const comment = page.getByRole('dialog').getByLabel('Comment');
    await comment.fill('Somebody moves the disks');
    await answer(nobody);
    await group('b');
    await whenAsked('AlertGroupPage');
    expect(await comment.inputValue()).toBe('Somebody moves the disks');
  });
});
