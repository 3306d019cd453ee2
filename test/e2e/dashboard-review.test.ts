import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let ben: ApiClient;

const REVIEW = `mutation ($input: ReviewSessionsInput!) { reviewSessions(input: $input) { __typename } }`;

describe.skipIf(NO_BROWSER)(browserSuite('reviews on the dashboard'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard({
      auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
      // Learning from a rated session would take the scripted answer of another call.
      defaults: { memory: { enabled: false } },
    });
    ben = apiClient(dashboard.app.url, { 'x-forwarded-user': 'ben' });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open({
      reducedMotion: 'reduce',
      extraHTTPHeaders: { 'x-forwarded-user': 'ana' },
    });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  async function investigated(alert: string): Promise<{ id: string; card: Locator }> {
    dashboard.app.llm.script([{ text: 'The disk is full.' }], { text: 'Summary.' });
    const id = await ben.submit(alert);
    await ben.waitFor(id, ({ status }) => ENDED.has(status));
    await page.goto(`${dashboard.app.url}/sessions/${encodeURIComponent(id)}`);
    const card = page.getByRole('region', { name: 'Review' });
    await card.waitFor();
    return { id, card };
  }

  test('rates a session as correct in two clicks, and the list shows and finds it', async () => {
    const { card } = await investigated('disk full of two clicks');
    await card.getByRole('button', { name: 'Right', exact: true }).click();
    await card.getByRole('button', { name: 'Save review' }).click();
    await card.getByText('Right, by ana').waitFor();
    await page.goto(`${dashboard.app.url}/?review=reviewed`);
    await page
      .getByRole('row', { name: /disk full of two clicks/ })
      .getByText('Right', { exact: true })
      .waitFor();
    await page.goto(`${dashboard.app.url}/?review=needs_review&q=clicks`);
    await page.getByText('No matching sessions').waitFor();
  });

  test('records and edits what was wrong, and reopens the review', async () => {
    const { card } = await investigated('disk full of words');
    await card.getByRole('button', { name: 'Wrong' }).click();
    await card.getByRole('textbox', { name: 'Actual cause' }).fill('A log that nobody rotates');
    await card.getByRole('textbox', { name: 'Action taken' }).fill('Rotated it');
    await card.getByRole('button', { name: 'Save review' }).click();
    await card.getByText('A log that nobody rotates').waitFor();
    await card.getByText('Rotated it').waitFor();
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByRole('button', { name: 'Partly right' }).click();
    await card.getByRole('button', { name: 'Save review' }).click();
    await card.getByText('Partly right, by ana').waitFor();
    await expectPageFits(page, 'reviewed');
    await card.getByRole('button', { name: 'Reopen' }).click();
    await card.getByRole('heading', { name: 'Was this right?' }).waitFor();
    await card.getByRole('button', { name: 'History (4)' }).click();
    await card.getByText(/ana rated the investigation \(/).waitFor();
  });

  test('keeps a text in progress when the page is reloaded, as a sign-in does', async () => {
    const { card } = await investigated('disk full of a sign-in');
    await card.getByRole('button', { name: 'Wrong' }).click();
    const feedback = card.getByRole('textbox', { name: 'Actual cause' });
    await feedback.fill('A log that nobody rotates');
    await card.getByRole('textbox', { name: 'Action taken' }).fill('Rotated it');
    await page.reload();
    await feedback.waitFor();
    expect(await feedback.inputValue()).toBe('A log that nobody rotates');
    await card.getByRole('button', { name: 'Save review' }).click();
    await card.getByText('Wrong, by ana').waitFor();
    await card.getByText('Rotated it').waitFor();
    await page.reload();
    await card.getByRole('button', { name: 'Reopen' }).waitFor();
  });

  test('shows a second reviewer live who has claimed the session', async () => {
    const { id, card } = await investigated('disk full of two people');
    await ben.query(REVIEW, { input: { sessionIds: [id], action: 'CLAIM' } });
    await card.getByText('In review by ben').waitFor();
    await expectPageFits(page, 'in-review');
    await card.getByRole('button', { name: 'Unassign' }).click();
    await card.getByRole('button', { name: 'Assign to me' }).click();
    await card.getByRole('button', { name: 'Unassign' }).waitFor();
    await page.goto(`${dashboard.app.url}/?review=in_progress`);
    await page.getByRole('row', { name: /In review ?ana/ }).waitFor();
    await expectPageFits(page, 'list-in-review');
  });

  test('an open form shows that another reviewer was faster', async () => {
    const { id, card } = await investigated('disk full of a race');
    await card.getByRole('button', { name: 'Right', exact: true }).click();
    await ben.query(REVIEW, { input: { sessionIds: [id], action: 'CLAIM' } });
    await card.getByRole('button', { name: 'Save review' }).click();
    await card.getByText(/^ben is the reviewer/).waitFor();
  });

  test("requests a model's score, shows it live, and names the model", async () => {
    await investigated('disk full of opinions');
    const card = page.getByRole('region', { name: 'Score' });
    const part = { reason: 'The result shows <b>it</b>.', points: 70 };
    dashboard.app.llm.script([
      { gate: 'judge' },
      toolCall('submit_score', {
        dimensions: { outcome: part, evidence: part, tools: part, reasoning: part, completeness: part },
        failure_tags: ['missed_available_tool'],
        analysis: 'Sound, but the **journal** was not read.',
        tool_report: 'A tool for quotas is missing.',
      }),
    ]);
    await card.getByRole('button', { name: 'Score now' }).click();
    await card.getByText('Scoring this investigation…').waitFor();
    dashboard.app.llm.open('judge');
    await card.getByText('70 of 100').waitFor();
    await card.getByText(/scored by scripted-1/).waitFor();
    await card.getByText('Available tool not used').waitFor();
    await card.getByRole('button', { name: 'Score details' }).click();
    await card.getByText('The result shows <b>it</b>.').first().waitFor();
    await expectPageFits(page, 'scored');
    await card.getByRole('button', { name: 'Score again' }).waitFor();
  });
});
