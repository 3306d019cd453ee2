import type pg from 'pg';
import type { Page } from 'playwright-core';
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
import { insertReportedSession, LONG } from '../helpers/reported-session.ts';

vi.setConfig({ testTimeout: 120_000 });

const RED = '\u001b[31m';
/** 900 lines; the word "needle" is on two of them, far below what the page shows at first. */
const RESULT = Array.from({ length: 900 }, (_, n) =>
  n === 700 ? `${RED}needle one and needle two\u001b[0m` : n === 850 ? 'needle three' : `${n} a quiet line`,
).join('\n');

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let pool: pg.Pool;
let api: ApiClient;
let address = '';

describe.skipIf(NO_BROWSER)(browserSuite('finding text in a session'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard();
    pool = openTestPool(dashboard.app.database.url);
    api = apiClient(dashboard.app.url);
    const { id, numbers } = await insertReportedSession({ app: dashboard.app, api, pool });
    await pool.query(`update timeline_events set content = $2 where sequence_number = $1`, [
      numbers[0],
      RESULT,
    ]);
    address = `${dashboard.app.url}/sessions/${encodeURIComponent(id)}`;
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  /** Returns the texts of a highlight, and if the first one is inside the window and every box around it. */
  const highlighted = (name: string) =>
    page.evaluate((key) => {
      const ranges = [...(CSS.highlights.get(key) ?? [])] as Range[];
      const first = ranges[0];
      const place = first?.getBoundingClientRect();
      const isInside = (box: Element | null): boolean => {
        if (box === null || box === document.body) return true;
        const { top, bottom } = box.getBoundingClientRect();
        const clips = /auto|scroll|hidden/.test(getComputedStyle(box).overflowY);
        return (
          (!clips || (place!.top >= top - 1 && place!.bottom <= bottom + 1)) && isInside(box.parentElement)
        );
      };
      const inView = place !== undefined && place.top > 90 && place.bottom < innerHeight;
      return {
        texts: ranges.map(String),
        visible: inView && isInside(first!.startContainer.parentElement),
        line: first?.startContainer.parentElement?.closest('[data-start]')?.textContent ?? null,
      };
    }, name);
  const field = (name: string) => page.getByRole('searchbox', { name });

  test('counts matches, and goes to each one inside a long result', async () => {
    await page.goto(address);
    await page.getByRole('button', { name: 'Collapse all' }).waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('NEEDLE');
    await page.getByText('1 of 3', { exact: true }).waitFor();
    await expect
      .poll(() => highlighted('tarsy-place'))
      .toEqual({ texts: ['needle'], visible: true, line: 'needle one and needle two' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('3 of 3', { exact: true }).waitFor();
    await expect
      .poll(() => highlighted('tarsy-place'))
      .toEqual({ texts: ['needle'], visible: true, line: 'needle three' });
    await page.keyboard.press('Shift+Enter');
    await page.getByText('2 of 3', { exact: true }).waitFor();
    await expect.poll(async () => (await highlighted('tarsy-place')).line).toBe('needle one and needle two');
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await highlighted('tarsy-search')).texts).toEqual([]);
  });

  test('highlights while typing, also across bold text and above the timeline', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(address);
    await field('Find in this session').fill('disk of db-1 is full');
    await expect.poll(async () => (await highlighted('tarsy-search')).texts.length).toBeGreaterThanOrEqual(2);
    await page.getByText(/^1 of [2-9]$/).waitFor();
    await expect.poll(async () => (await highlighted('tarsy-place')).visible).toBe(true);
    // The field stays in view, although the match is outside the timeline.
    expect((await field('Find in this session').boundingBox())!.y).toBeLessThan(400);
  });

  test('finds and copies in the evidence dialog, whose lines have numbers', async () => {
    await page.goto(`${address}#claim-1-1`);
    const dialog = page.getByRole('dialog');
    await dialog.locator('mark').waitFor();
    expect(await dialog.locator('[data-line="13001"]').count()).toBe(1);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('19999 nothing');
    await dialog.getByText('1 of 1', { exact: true }).waitFor();
    await expect
      .poll(() => highlighted('tarsy-dialog-place'))
      .toMatchObject({ texts: ['19999 nothing'], visible: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy tool output' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect((await page.evaluate(() => navigator.clipboard.readText())).length).toBe(LONG.length);
    await field('Find in tool output').focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => field('Find in tool output').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});
