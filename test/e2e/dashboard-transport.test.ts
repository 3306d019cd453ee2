import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { type NodeProxy, startNodeProxy } from '../helpers/front-proxy.ts';
import { openSwitchableProxy, type SwitchableProxy } from '../helpers/switchable-proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(NO_BROWSER)(browserSuite('a page without WebSockets'), () => {
  let dashboard: Dashboard;
  let line: SwitchableProxy;
  let proxy: NodeProxy;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    line = await openSwitchableProxy(dashboard.app.url);
    proxy = await startNodeProxy({ upstream: line.url, prefix: '', strips: false, upgrades: false });
    guarded = await dashboard.open({}, proxy.url);
    ({ page } = guarded);
    await page.goto(proxy.url);
    await page.getByText('Live over HTTP').waitFor();
  });
  afterEach(async () => {
    await guarded.close();
    await proxy.close();
    await line.close();
  });

  test('catches up after a lost network, and asks for a WebSocket only a few times', async () => {
    const { llm } = dashboard.app;
    const before = proxy.upgradeRequests();
    llm.script([{ text: 'Done.' }], { text: 'Summary of what was missed.' });
    line.refuse();
    await page.getByText('Reconnecting…').waitFor();
    await apiClient(dashboard.app.url).submit('Begun while the network was away');
    line.accept();
    await page.getByText('Live over HTTP').waitFor();
    await page.getByText('Summary of what was missed.').waitFor();
    // One attempt may have been due when the events began to come over HTTP.
    expect(proxy.upgradeRequests() - before).toBeLessThanOrEqual(1);
    llm.assertNoUnusedScripts();
  });

  test('returns to the WebSocket once it gets through, without losing events', async () => {
    const { llm } = dashboard.app;
    llm.script([{ text: 'Begun. ' }, { gate: 'moved' }, { text: 'Ended.' }], { text: 'Moved over.' });
    proxy.setUpgrades(true);
    await apiClient(dashboard.app.url).submit('Goes on while the page moves');
    await page.getByText('Goes on while the page moves').first().waitFor();
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
    await page.getByText('Live', { exact: true }).waitFor();
    llm.open('moved');
    await page.getByText('Moved over.').waitFor();

    proxy.setUpgrades(false);
    await page.getByText('Live over HTTP').waitFor();
    llm.script([{ text: 'Done.' }], { text: 'Back over HTTP.' });
    await apiClient(dashboard.app.url).submit('Seen over HTTP again');
    await page.getByText('Back over HTTP.').waitFor();
    llm.assertNoUnusedScripts();
  });

  test('reads what its streams did not deliver once the WebSocket gets through', async () => {
    const { llm } = dashboard.app;
    const api = apiClient(dashboard.app.url);
    await page.route('**/graphql', (route) =>
      // A proxy that collects the whole answer never passes on an event.
      route.request().headers().accept === 'text/event-stream' ? undefined : route.continue(),
    );
    await page.reload();
    await page.getByText('Live over HTTP').waitFor();
    await page.getByText('Nothing running').waitFor();
    llm.script([{ text: 'Done.' }], { text: 'Summary without an event.' });
    const ended = await api.submit('Ends without an event');
    await api.waitFor(ended, ({ status }) => ENDED.has(status));
    llm.script([{ gate: 'read' }, { text: 'Done.' }], { text: 'Summary after the move.' });
    await api.submit('Runs without an event');
    await llm.reached('read');
    proxy.setUpgrades(true);
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel Runs without an event' }).waitFor();
    await page.getByText('Summary without an event.').waitFor();
    llm.open('read');
    await page.getByText('Summary after the move.').waitFor();
    llm.assertNoUnusedScripts();
  });

  test('pauses its streams while it is hidden, and catches up when it is shown', async () => {
    const { llm } = dashboard.app;
    const setVisibility = (state: string) =>
      page.evaluate((next) => {
        Object.defineProperty(document, 'visibilityState', { value: next, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await setVisibility('hidden');
    await expect.poll(() => proxy.openStreams()).toBe(0);
    llm.script([{ text: 'Done.' }], { text: 'Summary while hidden.' });
    await apiClient(dashboard.app.url).submit('Begun while hidden');
    await setVisibility('visible');
    await page.getByText('Summary while hidden.').waitFor();
    await expect.poll(() => proxy.openStreams()).toBeGreaterThan(0);
  });
});
