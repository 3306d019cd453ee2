import type pg from 'pg';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertSession } from '../helpers/http-api.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

vi.setConfig({ testTimeout: 120_000 });

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let pool: pg.Pool;
let ben: ApiClient;

const REVIEW = `mutation ($input: ReviewSessionsInput!) { reviewSessions(input: $input) { __typename } }`;

describe.skipIf(NO_BROWSER)(browserSuite('the review board'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard({
      role: 'api',
      auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
      access: {
        roles: { viewer: { users: ['*'] }, responder: { users: ['ana', 'ben'] }, admin: { users: ['ada'] } },
      },
    });
    pool = openTestPool(dashboard.app.database.url);
    ben = apiClient(dashboard.app.url, { 'x-forwarded-user': 'ben' });
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    await pool.query('truncate alert_sessions, audit_events cascade');
    await open('ana');
  });
  afterEach(() => guarded.close());

  async function open(who: string): Promise<void> {
    guarded = await dashboard.open({
      reducedMotion: 'reduce',
      extraHTTPHeaders: { 'x-forwarded-user': who },
    });
    ({ page } = guarded);
  }
  let age = 0;
  /** Inserts an ended session. Each call creates a session that is older than the previous one. */
  function ended(title: string, row: Record<string, unknown> = {}): Promise<string> {
    age += 60_000;
    const at = new Date(Date.now() - age);
    return insertSession(pool, {
      title,
      severity: 'WARNING',
      status: 'COMPLETED',
      executive_summary: `About ${title}.`,
      created_at: at,
      started_at: at,
      completed_at: new Date(),
      ...row,
    });
  }
  const go = (address = ''): Promise<unknown> => page.goto(`${dashboard.app.url}/review${address}`);
  const column = (name: string): Locator => page.getByRole('region', { name: new RegExp(`^${name}`) });
  const card = (title: string): Locator => page.getByRole('listitem').filter({ hasText: title });
  const done = (): Locator => page.getByRole('status', { name: 'Last action' });
  /** Title of the focused card. */
  const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement!.textContent);

  test("four columns show the review status of each session and follow others' actions", async () => {
    await insertSession(pool, { title: 'still waiting', status: 'PENDING' });
    const disk = await ended('disk full');
    await ended('dns broken', {
      status: 'FAILED',
      executive_summary: null,
      error_message: 'The model was away.',
    });
    await ended('was cancelled', { status: 'CANCELLED' });
    await go();
    await column('Investigating').getByText('still waiting').waitFor();
    await column('Needs review').getByText('disk full', { exact: true }).waitFor();
    await column('Needs review').getByText('The model was away.').waitFor();
    expect(await page.getByText('was cancelled').count()).toBe(0);
    await ben.query(REVIEW, { input: { sessionIds: [disk], action: 'CLAIM' } });
    await column('In review').getByText('In review by ben').waitFor();
    await ben.query(REVIEW, {
      input: { sessionIds: [disk], action: 'COMPLETE', rating: 'INACCURATE', feedback: 'It was the log' },
    });
    await column('Reviewed').getByText('It was the log').waitFor();
    await column('Reviewed').getByText('Wrong', { exact: true }).waitFor();
    await expectPageFits(page, 'review-board');
  });

  test('reviews by keyboard: move, claim, rate, undo; the focus stays in the column', async () => {
    for (const title of ['one', 'two', 'three']) await ended(title);
    await go();
    await card('one').waitFor();
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    await expect.poll(focused).toBe('two');
    await page.keyboard.press('c');
    await column('In review').getByText('In review by ana').waitFor();
    await done().getByText('1 review assigned to you.').waitFor();
    await expect.poll(focused).toBe('three');
    await page.keyboard.press('3');
    await done().getByText('1 review rated: Wrong.').waitFor();
    await column('Reviewed').getByText('three', { exact: true }).waitFor();
    await page.keyboard.press('z');
    await done().getByText('1 review restored.').waitFor();
    await column('Needs review').getByText('three', { exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Assign to me').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('l');
    await expect.poll(focused).toBe('two');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\//);
  });

  test('reports sessions that others had claimed in a bulk action, and undo reverts the rest', async () => {
    const ids = [];
    for (const title of ['a-1', 'a-2', 'a-3']) ids.push(await ended(title));
    await go();
    await page.getByRole('checkbox', { name: 'Select all shown: Needs review' }).check();
    const bar = page.getByRole('group', { name: 'Actions for selected sessions' });
    await bar.getByText('3 selected').waitFor();
    await expectPageFits(page, 'review-board-selected');
    await page.setViewportSize({ width: 1280, height: 900 });
    // Changes the row in the database only, so that the page is not notified.
    await pool.query(
      `update alert_sessions set review_status = 'IN_PROGRESS', assignee = 'ben' where id = $1`,
      [ids[0]],
    );
    await bar.getByRole('button', { name: 'Partly right' }).click();
    await done().getByText('2 reviews rated: Partly right.').waitFor();
    await done()
      .getByText(/^ben is the reviewer/)
      .waitFor();
    // A session whose change was refused stays selected, so that the viewer can retry.
    await bar.getByText('1 selected').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select a-1' }).isChecked()).toBe(true);
    await column('Reviewed').getByText('a-3', { exact: true }).waitFor();
    await done().getByRole('button', { name: 'Undo' }).click();
    await done().getByText('2 reviews restored.').waitFor();
    await expect.poll(() => column('Needs review').getByRole('listitem').count()).toBe(2);
    expect(await column('In review').getByRole('listitem').count()).toBe(1);
  });

  test('undo keeps sessions that others have changed since', async () => {
    const id = await ended('contested');
    await go();
    await card('contested').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('1');
    await done().getByText('1 review rated: Right.').waitFor();
    await ben.query(REVIEW, { input: { sessionIds: [id], action: 'UPDATE_FEEDBACK', rating: 'INACCURATE' } });
    await column('Reviewed').getByText('Wrong', { exact: true }).waitFor();
    await page.keyboard.press('z');
    await done().getByText('1 review not restored, because another reviewer changed them.').waitFor();
    await column('Reviewed').getByText('Wrong', { exact: true }).waitFor();
  });

  test('adds a comment to each of several sessions', async () => {
    await ended('b-1');
    await ended('b-2');
    await go();
    await card('b-1').waitFor();
    for (const key of ['j', 'x', 'j', 'x', 'e']) await page.keyboard.press(key);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Was this right? 2 sessions').waitFor();
    await dialog.getByRole('button', { name: 'Wrong' }).click();
    await dialog.getByRole('textbox', { name: 'Actual cause' }).fill('A stale cache');
    await expectPageFits(page, 'review-board-words');
    await dialog.getByRole('button', { name: 'Save review' }).click();
    await done().getByText('2 reviews rated: Wrong.').waitFor();
    await expect.poll(() => column('Reviewed').getByText('A stale cache').count()).toBe(2);
  });

  test('keeps a comment that could not be saved, even when the page is reloaded', async () => {
    await ended('b-3');
    await go();
    await card('b-3').waitFor();
    for (const key of ['j', 'x', 'e']) await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: 'b-3' });
    const words = dialog.getByRole('textbox', { name: 'Actual cause' });
    await dialog.getByRole('button', { name: 'Wrong' }).click();
    await words.fill('A stale cache');
    await page.route('**/graphql', (route) => {
      const { query = '' } = route.request().postDataJSON() as { query?: string };
      return query.includes('reviewSessions') ? route.abort() : route.continue();
    });
    await dialog.getByRole('button', { name: 'Save review' }).click();
    await dialog.getByText('The server is not responding.').waitFor();
    await expectPageFits(page, 'review-board-refused');
    await page.unroute('**/graphql');
    await page.reload();
    await words.waitFor();
    expect(await words.inputValue()).toBe('A stale cache');
    await dialog.getByRole('button', { name: 'Save review' }).click();
    await done().getByText('1 review rated: Wrong.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await column('Reviewed').getByText('A stale cache').waitFor();
  });

  test('the address contains the filters and the grouping', async () => {
    await ended('disk full', { severity: 'CRITICAL', alert_type: 'disk' });
    await ended('dns broken', { severity: 'INFO', alert_type: 'dns' });
    await go('?type=disk');
    await card('disk full').waitFor();
    expect(await card('dns broken').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await card('dns broken').waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'Severity' }).click();
    await page.waitForURL(/group=severity/);
    await page.getByRole('checkbox', { name: 'Select all shown: Needs review, Critical' }).check();
    await page.getByText('1 selected').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /^Critical/ }).waitFor();
    await expectPageFits(page, 'review-board-groups');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /^Reviewed/ }).click();
    await page.waitForURL(/column=done/);
    await page.getByText('Nothing reviewed yet').waitFor();
  });

  test('explains to a viewer without permission why nothing can be changed', async () => {
    await guarded.close();
    const id = await ended('not mine');
    await open('vera');
    await go();
    await page.getByText('Requires the role responder. Your role is viewer.').waitFor();
    await card('not mine').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    await page.getByRole('checkbox', { name: 'Select not mine' }).check();
    const take = page.getByRole('button', { name: 'Assign to me', exact: true });
    expect(await take.getAttribute('aria-disabled')).toBe('true');
    await take.click({ force: true });
    await expectPageFits(page, 'review-board-viewer');
    const { rows } = await pool.query('select review_status from alert_sessions where id = $1', [id]);
    expect(rows).toEqual([{ review_status: null }]);
  });
});
