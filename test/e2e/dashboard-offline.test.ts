import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  whenPainted,
} from '../helpers/dashboard.ts';
import { openSwitchableProxy, type SwitchableProxy } from '../helpers/switchable-proxy.ts';

/** Each test waits for several reconnects of a browser. */
vi.setConfig({ testTimeout: 90_000 });

describe.skipIf(NO_BROWSER)(browserSuite('a network that fails and recovers'), () => {
  let dashboard: Dashboard;
  let line: SwitchableProxy;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    line = await openSwitchableProxy(dashboard.app.url);
    guarded = await dashboard.open({}, line.url);
    ({ page } = guarded);
  });
  afterEach(async () => {
    await guarded.close();
    await line.close();
  });

  /** Marks the page, so that a reload can be detected: a reload loses the mark. */
  const markPage = () => page.evaluate(() => Object.assign(globalThis, { sameOne: true }));
  const isSamePage = () => page.evaluate(() => 'sameOne' in globalThis);

  test('the list catches up without a reload', async () => {
    const { llm } = dashboard.app;
    const api = apiClient(dashboard.app.url);
    const earlier = llm.calls.length;
    llm.script([{ gate: 'before' }, { text: 'Done.' }], { text: 'Seen after all.' });
    await page.goto(line.url);
    await markPage();
    await api.submit('Begun before');
    await page.getByText(/Stage 1 of 1/).waitFor();
    line.refuse();
    await page.getByText('Reconnecting…').waitFor();
    llm.open('before');
    llm.script([{ gate: 'meanwhile' }, { text: 'Done too.' }], { text: 'Second summary.' });
    await llm.call(earlier + 1); // the summary of the first session
    await api.submit('Begun meanwhile');
    await llm.reached('meanwhile');
    line.accept();
    await page.getByText('Seen after all.').waitFor();
    await page.getByRole('button', { name: 'Cancel Begun meanwhile' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    llm.open('meanwhile');
    await page.getByText('Second summary.').waitFor();
    expect(await isSamePage()).toBe(true);
    llm.assertNoUnusedScripts();
  });

  test('the list drops a session that ended while the list was read again', async () => {
    const { llm } = dashboard.app;
    llm.script([{ gate: 'read' }, { text: 'Done.' }], { text: 'Ended while it was read.' });
    await page.goto(line.url);
    await apiClient(dashboard.app.url).submit('Ends while it is read');
    await page.getByRole('button', { name: 'Cancel Ends while it is read' }).waitFor();
    await llm.reached('read');
    line.refuse();
    await page.getByText('Reconnecting…').waitFor();
    const read = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const isRead = (request: Request) => request.postData()?.includes('activeSessions') ?? false;
    await page.route('**/graphql', async (route) => {
      if (!isRead(route.request())) return route.continue();
      const response = await route.fetch();
      read.resolve();
      await answer.promise;
      await route.fulfill({ response });
    });
    const answered = page.waitForResponse((response) => isRead(response.request()));
    line.accept();
    await read.promise;
    await page.getByText('Live', { exact: true }).waitFor();
    llm.open('read');
    await page.getByRole('table').getByText('Ended while it was read.').waitFor();
    answer.resolve();
    await (await answered).finished();
    await whenPainted(page);
    expect(await page.getByText('Nothing running').count()).toBe(1);
    llm.assertNoUnusedScripts();
  });

  test('keeps typed text that cannot be sent, and sends it later', async () => {
    const { llm } = dashboard.app;
    llm.script({ text: 'Done.' }, { text: 'Sent after all.' });
    await page.goto(`${line.url}/submit`);
    const alert = page.getByRole('textbox', { name: /^alert/i });
    await alert.fill('Typed while the network went');
    line.refuse();
    await page.getByRole('button', { name: 'Investigate' }).click();
    await page.getByText('The server is not responding. The alert was not submitted.').waitFor();
    expect(await alert.inputValue()).toBe('Typed while the network went');
    line.accept();
    await page.getByRole('button', { name: 'Investigate' }).click();
    await page.getByText('Sent after all.').first().waitFor();
    llm.assertNoUnusedScripts();
  });

  test('every page shows an error while the server is unreachable, and recovers', async () => {
    await page.goto(`${line.url}/system`);
    await page.getByText('Connected, live updates on').waitFor();
    line.refuse();
    await page.getByText('Not responding', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.getByText('Could not load the history.').waitFor();
    line.accept();
    await page.getByText('Nothing running').waitFor();
    await page.getByText('Could not load the history.').waitFor({ state: 'detached' });
  });

  test.each([502, 503, 504])(
    'retries a query that a proxy answers with %i, but not a mutation',
    async (status) => {
      const asked: string[] = [];
      await page.route('**/graphql', (route) => {
        const { query = '' } = route.request().postDataJSON() as { query?: string };
        const kind = /^\s*(query|mutation)/.exec(query)?.[1] ?? '';
        asked.push(kind);
        if (kind === 'query' && asked.filter((each) => each === kind).length > 4) return route.continue();
        return route.fulfill({ status, contentType: 'text/html', body: '<h1>Nobody there</h1>' });
      });
      await page.goto(line.url);
      await page.getByText('Nothing running').waitFor();
      expect(await page.getByText('Could not load the history.').count()).toBe(0);
      await page.goto(`${line.url}/submit`);
      await page.getByRole('textbox', { name: /^alert/i }).fill('Sent once');
      await page.getByRole('button', { name: 'Investigate' }).click();
      await page.getByText('The alert was not submitted.').waitFor();
      expect(asked.filter((kind) => kind === 'mutation')).toHaveLength(1);
    },
  );

  test('a page whose server was updated says so and offers to reload', async () => {
    const next = await startTestApp({ version: 'test+0123456789ab' });
    // Waits until the page knows both versions. A page cut off earlier would take the next versions as its
    // first ones.
    const versionKnown = Promise.all(
      ['/health', '/'].map((path) =>
        page.waitForResponse(
          (response) =>
            response.request().resourceType() === 'fetch' && response.url() === `${line.url}${path}`,
        ),
      ),
    );
    await page.goto(line.url);
    await page.getByText('Nothing running').waitFor();
    for (const answer of await versionKnown) await answer.finished();
    await markPage();
    line.accept(next.url);
    await page.getByText('updated from tarsy/test to tarsy/test+0123456789ab').waitFor();
    expect(await isSamePage()).toBe(true);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('No investigations yet').waitFor();
    expect(await isSamePage()).toBe(false);
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('definition').filter({ hasText: 'test+0123456789ab' }).waitFor();
    await next.stop();
  });
});
