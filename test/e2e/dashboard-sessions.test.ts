import pg from 'pg';
import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  whenPainted,
} from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';
import { stopPolling } from '../helpers/page-polling.ts';

describe.skipIf(NO_BROWSER)(browserSuite('the list of sessions'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let url: string;
  beforeAll(async () => {
    dashboard = await startDashboard({ queue: { max_concurrent_sessions: 1 } });
    url = dashboard.app.url;
    const pool = new pg.Pool({ connectionString: dashboard.app.database.url, max: 2 });
    await seedHistory(pool, 60);
    await pool.end();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  const history = () => page.getByRole('table', { name: 'Finished sessions' });
  const rows = () =>
    history()
      .getByRole('row')
      .filter({ has: page.getByRole('link') });
  /** Returns `expect.poll` with a time limit for a busy machine. */
  const soon = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 20_000 });
  const params = () => new URL(page.url()).searchParams;

  test('finds and highlights search results, and keeps the search only in the address', async () => {
    await page.goto(url);
    await rows().nth(24).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('db-03');
    await page.locator('mark', { hasText: 'db-03' }).first().waitFor();
    await soon(() => rows().count()).toBe(12);
    expect(params().get('q')).toBe('db-03');

    await page.getByRole('textbox', { name: 'Search' }).fill('needle-7:');
    await page.getByText('In the analysis:').waitFor();
    await page.locator('mark', { hasText: 'needle-7:' }).waitFor();
    await soon(() => rows().count()).toBe(1);

    await page.goto(`${url}/submit`);
    await page.getByRole('link', { name: /TARSy/ }).click();
    await rows().nth(24).waitFor();
    expect(params().size).toBe(0);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/q=needle-7/);
    await page.getByText('In the analysis:').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows().nth(24).waitFor();
    expect(params().size).toBe(0);
    await page.goBack();
    await page.getByText('In the analysis:').waitFor();
  });

  test('keeps the icon of the tab when it opens a session', async () => {
    const missing: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) missing.push(response.url());
    });
    await page.goto(url);
    await rows()
      .filter({ hasText: /\(\d+\)/ })
      .first()
      .getByRole('link')
      .click();
    await page.waitForURL('**/sessions/*');
    await page.getByRole('heading', { level: 1, name: '(' }).waitFor();
    const icon = await page.locator('link[rel="icon"]').getAttribute('href');
    expect(icon).toContain(`${url}/assets/favicon`);
    expect(missing).toEqual([]);
  });

  test('a link to the page itself adds no entry to the history of the browser', async () => {
    await page.goto(url);
    await rows().first().waitFor();
    const entries = () => page.evaluate(() => window.history.length);
    const before = await entries();
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    expect(await entries()).toBe(before);
    await page.getByRole('link', { name: 'System', exact: true }).click();
    expect(await entries()).toBe(before + 1);
  });

  test('drops an answer that arrives after that of a later search', async () => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.goto(url);
    await rows().nth(24).waitFor();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('db-03')) {
        asked.resolve();
        await held.promise;
      }
      await route.continue();
    });
    const search = page.getByRole('textbox', { name: 'Search' });
    const late = page.waitForResponse(
      (response) => response.request().postData()?.includes('db-03') ?? false,
    );
    await search.fill('db-03');
    await asked.promise;
    await search.fill('needle-7:');
    await page.locator('mark', { hasText: 'needle-7:' }).waitFor();
    held.resolve();
    await (await late).finished();
    await whenPainted(page);
    expect(await rows().count()).toBe(1);
    expect(await page.locator('mark', { hasText: 'needle-7:' }).count()).toBe(1);
  });

  test('keeps the search field when a search without results is cleared', async () => {
    await page.goto(`${url}/?q=no+such+words`);
    await page.getByText('No matching sessions').waitFor();
    await page.getByText('Nothing running').waitFor();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      asked.resolve();
      await answer.promise;
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'Search' }).press('Escape');
    await asked.promise;
    await page.getByText('No matching sessions').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await expect.poll(focused).toBe('Search history');
    answer.resolve();
    await rows().nth(24).waitFor();
  });

  test('filters by existing values, sorts by columns, and reports an empty result', async () => {
    await page.goto(url);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.keyboard.press('Escape');
    await soon(() => rows().count()).toBe(9);
    await page.getByRole('combobox', { name: 'Author' }).click();
    await page.getByRole('option', { name: 'api-client' }).click();
    await page.keyboard.press('Escape');
    await page.waitForURL(/status=failed&author=api-client/);
    await page.getByRole('button', { name: 'Duration' }).click();
    await page.waitForURL(/sort=duration/);
    await page.locator('[role="columnheader"][aria-sort="descending"]', { hasText: 'Duration' }).waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill('no such words');
    await page.getByText('No matching sessions').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await rows().nth(24).waitFor();
  });

  test('pages forward and back by cursor, and survives an invalid cursor', async () => {
    await page.goto(url);
    // Compares the title only, because the relative time in the row may change meanwhile.
    const title = () => rows().first().getByRole('link').innerText();
    const first = await title();
    const pages = page.getByRole('navigation', { name: 'History pages' });
    await pages.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL(/after=/);
    await soon(title).not.toBe(first);
    const shown = await pages.getByText(/^26 to 50 of \d+$/).innerText(); // other tests add sessions
    const rest = Number(shown.split(' ').at(-1)) - 50;
    await pages.getByRole('button', { name: 'Next' }).click();
    await soon(() => rows().count()).toBe(rest);
    expect(await pages.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.reload();
    await soon(() => rows().count()).toBe(rest);
    await pages.getByRole('button', { name: 'Previous' }).click();
    await page.waitForURL(/before=/);
    await soon(() => rows().count()).toBe(25);
    await pages.getByRole('button', { name: 'Previous' }).click();
    await soon(title).toBe(first);
    await page.goto(`${url}/?after=nonsense`);
    await page.getByRole('button', { name: 'Show first page' }).click();
    await soon(() => rows().count()).toBe(25);
  });

  test('navigates by keyboard shortcuts, which can be listed and turned off', async () => {
    await page.goto(url);
    await rows().first().waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    const second = rows().nth(1).getByRole('link');
    await expect.poll(() => second.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\//);
    await page.goBack();
    await rows().first().waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Next session').waitFor();
    await help.getByRole('button', { name: 'Turn shortcuts off' }).click();
    await help.getByRole('button', { name: 'Close' }).click();
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    expect(await help.count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('reads the history again when a session is gone whose end came without an event', async () => {
    const { llm } = dashboard.app;
    const api = apiClient(url);
    let loses = false;
    await page.routeWebSocket(/\/graphql$/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (!loses || !String(message).includes('sessionsChanged')) socket.send(message);
      });
    });
    llm.script([{ gate: 'ends' }, { text: 'Ended.' }], { text: 'Ended without an event.' });
    llm.script([{ gate: 'follows' }, { text: 'Ended.' }], { text: 'Ended with an event.' });
    await page.goto(url);
    await page.getByText('Live', { exact: true }).waitFor();
    await api.submit('Ends unheard');
    await llm.reached('ends');
    const cancel = page.getByRole('button', { name: 'Cancel Ends unheard' });
    await page.getByText(/Stage 1 of 1: investigation/).waitFor();
    await cancel.waitFor();
    await api.submit('Waits its turn');
    await page.getByText('Queued #1').waitFor();
    loses = true;
    llm.open('ends');
    // The lists are read again every ten seconds.
    await cancel.waitFor({ state: 'detached' });
    await history().getByText('Ended without an event.').waitFor();
    loses = false;
    llm.open('follows');
    await history().getByText('Ended with an event.').waitFor();
    llm.assertNoUnusedScripts();
  });

  test('moves sessions from the queue to the history without reading the list again', async () => {
    await page.addInitScript(stopPolling); // which reads the lists every ten seconds
    const { llm } = dashboard.app;
    const api = apiClient(url);
    llm.script([{ gate: 'first' }, { text: 'One.' }], { text: 'Sum one.' });
    llm.script([{ gate: 'second' }, { text: 'Two.' }], { text: 'Sum two.' });
    // Waits for the connection, because a list shown before it opens is read again once it opens.
    await page.goto(`${url}/system`);
    await page.getByText('Connected, live updates on').waitFor();
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.getByText('Nothing running').waitFor();
    await page.evaluate(() => document.fonts.ready);
    const asked: string[] = [];
    const note = (request: Request): void => {
      const query = /(query|mutation) (\w+)/.exec(request.postData() ?? '')?.[2];
      if (query) asked.push(query);
    };
    await page.getByRole('link', { name: 'TARSy' }).hover();
    page.on('request', note);
    await api.submit('First alert');
    await llm.reached('first');
    await page.getByText(/Stage 1 of 1: investigation/).waitFor();
    await api.submit('Second alert');
    await page.getByText('Queued #1').waitFor();
    llm.open('first');
    await page.getByRole('table').getByText('Sum one.').waitFor();
    await llm.reached('second');
    await page.getByText('Queued #1').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel Second alert' }).waitFor();
    llm.open('second');
    await page.getByRole('table').getByText('Sum two.').waitFor();
    await page.getByText('Nothing running').waitFor();
    expect(asked).not.toContain('ActiveSessions');
    expect(asked.filter((name) => name === 'SessionHistory').length).toBe(2);
    llm.assertNoUnusedScripts();
  });
});
