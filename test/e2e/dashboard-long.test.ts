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
import { insertLongSession, lengthenSession } from '../helpers/long-session.ts';
import { placeAtRest } from '../helpers/scrolling.ts';

const EVENTS = 5_000;
/** Maximum number of rows in the document at once, including rows rendered in advance. */
const MOST_ROWS = 120;

describe.skipIf(NO_BROWSER)(browserSuite('a session of thousands of events'), () => {
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

  const rows = () => guarded.page.locator('li[data-index]');

  test('opens with the visible part, and reaches any entry by link and by search', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    const id = await insertLongSession(app.database.url, EVENTS);
    await page.goto(`${app.url}/sessions/${id}`);
    await page.locator('li[data-index="3"]').waitFor();
    expect(await rows().first().getAttribute('aria-setsize')).toBe(String(EVENTS + 1));
    expect(await rows().count()).toBeLessThan(MOST_ROWS);

    await page.goto(`${app.url}/sessions/${id}#event-3332`);
    await page.locator('#event-3332').getByText('Entry 3332').waitFor();
    expect(await rows().count()).toBeLessThan(MOST_ROWS);

    await page.keyboard.press('Control+f');
    await page.keyboard.type('payment-4001');
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.locator('#event-4001').getByRole('region', { name: 'Arguments' }).waitFor();
    // The highlight is applied a frame after the words are rendered.
    await page.waitForFunction(() => (CSS.highlights.get('tarsy-search')?.size ?? 0) > 0);
    await page.getByRole('button', { name: 'Conclusion' }).click();
    await page.waitForFunction(() => scrollY === 0);
  });

  test('prints every entry', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    const id = await insertLongSession(app.database.url, 300);
    await page.goto(`${app.url}/sessions/${id}`);
    await page.locator('li[data-index="3"]').waitFor();
    await page.emulateMedia({ media: 'print' });
    // The browser lays out the page for paper as soon as the listeners of `beforeprint` return.
    const printed = await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      const entries = [...document.querySelectorAll('li[data-index]')];
      const { bottom } = document.querySelector('[aria-label="Timeline"]')!.getBoundingClientRect();
      return {
        entries: entries.length,
        left: Math.round(bottom - entries.at(-1)!.getBoundingClientRect().bottom),
      };
    });
    expect(printed).toEqual({ entries: 301, left: 0 });
  });

  test('follows the end for a reader who is there, and does not scroll for one further up', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    const api = apiClient(app.url);
    const lines = (from: number) => Array.from({ length: 40 }, (_, n) => `Line ${from + n}.\n\n`);
    app.llm.script(
      [
        { gate: 'lengthened' },
        { text: lines(1) },
        { gate: 'up' },
        { text: lines(41) },
        { gate: 'down' },
        { text: 'The end.' },
      ],
      { text: 'Summary.' },
    );
    const id = await api.submit('Disk trouble');
    await app.llm.reached('lengthened');
    await lengthenSession(app.database.url, id, 2_000);
    await page.goto(`${app.url}/sessions/${id}`);
    await page.locator('#event-2000').waitFor();
    app.llm.open('lengthened');
    await page.getByText('Line 40.').waitFor();
    await page.waitForFunction(() => document.documentElement.scrollHeight - innerHeight - scrollY < 100);

    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, -600);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    const place = () => page.evaluate(() => scrollY);
    const before = await placeAtRest(page, place);
    app.llm.open('up');
    await page.getByText('Line 80.').waitFor({ state: 'attached' });
    expect(await place()).toBe(before);

    await page.getByRole('button', { name: 'Jump to latest' }).click();
    app.llm.open('down');
    await page.getByText('The end.').first().waitFor();
    await page.getByText('Summary.').first().waitFor();
    await page.waitForFunction(() => document.documentElement.scrollHeight - innerHeight - scrollY < 100);
  });

  test('keeps an entry open that the reader saw growing, also after the page stopped rendering it', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    app.llm.script([{ gate: 'begun' }, { thinking: 'The pool.' }, { gate: 'seen' }, { text: 'The end.' }], {
      text: 'Summary.',
    });
    const id = await apiClient(app.url).submit('Disk trouble');
    await app.llm.reached('begun');
    await lengthenSession(app.database.url, id, 1_000);
    await page.goto(`${app.url}/sessions/${id}`);
    await page.locator('#event-1000').waitFor();
    app.llm.open('begun');
    const thought = rows().filter({ hasText: 'The pool.' });
    await thought.getByRole('button', { expanded: true }).waitFor();
    app.llm.open('seen');
    await page.getByText('Summary.').first().waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await thought.waitFor({ state: 'detached' });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await thought.getByRole('button', { expanded: true }).waitFor();
  });

  test('scrolls to a linked entry once, and not again when an event arrives', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    app.llm.script([{ gate: 'scrolled' }, { text: 'The end.' }], { text: 'Summary.' });
    const id = await apiClient(app.url).submit('Disk trouble');
    await app.llm.reached('scrolled');
    await lengthenSession(app.database.url, id, 1_000);
    await page.goto(`${app.url}/sessions/${id}#event-500`);
    await page.locator('#event-500').waitFor();
    const place = () => page.evaluate(() => scrollY);
    await placeAtRest(page, place);
    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, -1_500);
    const before = await placeAtRest(page, place);
    const size = async () => Number(await rows().first().getAttribute('aria-setsize'));
    const shown = await size();
    app.llm.open('scrolled');
    await expect.poll(size, { timeout: 20_000 }).toBeGreaterThan(shown);
    await whenPainted(page);
    expect(await place()).toBe(before);
  });
});
