import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { overflowingElements } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, reducedMotion: 'reduce' } as const;
/** Five lines in the field, which shrinks to one when the question is sent. */
const LONG_QUESTION = 'Since when does the disk of this host fill, and what fills it? '.repeat(4);
const PARAGRAPHS = Array.from({ length: 40 }, (_, n) => `Paragraph ${n} of the answer.`).join('\n\n');

describe.skipIf(NO_BROWSER)(browserSuite('a session on a phone'), { shuffle: false }, () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { llm, url } = dashboard.app;
    const api = apiClient(url);
    llm.script(toolCall('tools.echo', { text: 'one' }), { text: 'The disk is full.' }, { text: 'Full.' });
    const id = await api.submit('Disk almost full');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    guarded = await dashboard.open(PHONE);
    ({ page } = guarded);
    await page.goto(`${url}/sessions/${encodeURIComponent(id)}`);
  });
  afterAll(async () => {
    await guarded?.close();
    await dashboard?.stop();
  });

  test('gives the texts of the timeline the width of the page', async () => {
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('button', { name: /tools\.echo/ }).tap();
    const block = timeline.locator('[data-find="content"]').first();
    await expect.poll(async () => (await block.boundingBox())?.width ?? 0).toBeGreaterThan(330);
  });

  test('follows the answer to a long question until the viewer scrolls back', async () => {
    dashboard.app.llm.script([
      { text: PARAGRAPHS },
      { gate: 'more' },
      { text: `\n\n${PARAGRAPHS}\n\nThe very end.` },
      { gate: 'rest' },
      { text: '\n\nOne more word.' },
      { gate: 'end' },
      { text: ' Done.' },
    ]);
    const field = page.getByRole('textbox', { name: 'Question about this investigation' });
    await field.fill(LONG_QUESTION);
    await page.getByRole('button', { name: 'Ask', exact: true }).tap();
    const shown = (text: string) => page.getByText(text).last();
    const isInView = (text: string) =>
      shown(text).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await expect.poll(() => isInView('Paragraph 39 of the answer.')).toBe(true);
    dashboard.app.llm.open('more');
    await expect.poll(() => isInView('The very end.')).toBe(true);
    await page.mouse.wheel(0, -600);
    await expect.poll(() => isInView('The very end.')).toBe(false);
    dashboard.app.llm.open('rest');
    await shown('One more word.').waitFor();
    expect(await isInView('One more word.')).toBe(false);
    dashboard.app.llm.open('end');
    await shown('Done.').waitFor();
  });

  test('says that the connection is lost, and keeps the header in the window', async () => {
    await guarded.page.context().setOffline(true);
    const told = page.getByText('Reconnecting…');
    await told.waitFor({ timeout: 60_000 });
    await expect.poll(() => overflowingElements(page)).toEqual([]);
    expect((await told.boundingBox())!.y).toBeGreaterThan(700);
    await guarded.page.context().setOffline(false);
    await told.waitFor({ state: 'detached', timeout: 60_000 });
  });
});
