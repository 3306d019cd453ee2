import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { axeFindings } from '../helpers/axe.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  submitAlert,
} from '../helpers/dashboard.ts';
import { addHint } from '../helpers/hints.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Makes the page hidden or visible, as if the viewer changed the tab. */
const turn = (page: Page, next: 'hidden' | 'visible') =>
  page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, next);

describe.skipIf(NO_BROWSER)(browserSuite('the situation of a session on its page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
  });
  afterEach(() => guarded.close());

  test('the card names who is here, and what changed since the viewer looked away', async () => {
    const { app } = dashboard;
    const { page } = guarded;
    app.llm.script(
      [{ gate: 'first' }, toolCall('tools.echo', { text: 'var is full' })],
      [{ gate: 'second' }, { text: 'The disk is full.' }],
      { text: 'In short.' },
    );
    await submitAlert(page, app.url, 'Disk almost full');
    await app.llm.reached('first');
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!);
    const card = page.getByRole('region', { name: 'Situation' });
    await page.getByRole('button', { name: 'Conclude now' }).waitFor();
    expect(await card.count()).toBe(0); // alone, and nothing was missed

    await turn(page, 'hidden');
    await addHint(apiClient(app.url), id, 'Before <b>the</b> break.');
    await turn(page, 'visible');
    const changes = card.getByRole('listitem');
    await changes.filter({ hasText: 'Before <b>the</b> break.' }).waitFor();
    await card.getByText(/^Here: /).waitFor();
    await turn(page, 'hidden');
    app.llm.open('first');
    await app.llm.reached('second');
    await turn(page, 'visible');
    await changes.filter({ hasText: 'Call of tools.echo ended.' }).waitFor();
    await card.getByText('Since you looked away: 1 change').waitFor();
    expect(await changes.count()).toBe(1);
    await expect.poll(() => axeFindings(page)).toEqual([]); // a colour may be in transition
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

    app.llm.open('second');
    await page.getByText('In short.').first().waitFor();
    await card.waitFor({ state: 'detached' });
    app.llm.assertNoUnusedScripts();
  });
});
