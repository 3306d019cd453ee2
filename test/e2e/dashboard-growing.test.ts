import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * A chapter with one of every Markdown block. Words differ between chapters, because the engine stops a model
 * that repeats itself.
 */
const chapter = (n: number): string[] => [
  `## Cause ${n}\n\n`,
  `The pool of **payment-service-${n}** is exhausted.\n\nIts limit is \`${n}50\`.\n\n`,
  `- one of ${n}\n- two of ${n}\n\n1. first of ${n}\n2. second of ${n}\n\n`,
  `### Numbers ${n}\n\n| pod | open |\n|---|---|\n| payment-${n} | ${n * 7} |\n\n`,
  `> quoted ${n}\n\n---\n\n\`\`\`sh\nkubectl get pods -n ${n}\n\nkubectl top pods -n ${n}\n\`\`\`\n\n#### Next ${n}\n\n`,
];
/** A text that is several windows high, in pieces. */
const TEXT = Array.from({ length: 12 }, (_, n) => chapter(n)).flat();

describe.skipIf(NO_BROWSER)(browserSuite('a streaming text'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());

  /** Returns the distance of each block from the first one (px). */
  const places = (page: Page) =>
    page.locator('[id^="event-"]', { hasText: 'payment-service' }).evaluate((entry) => {
      const blocks = [...entry.querySelectorAll('h3, p, li, tr, pre, hr, blockquote')];
      const first = blocks[0]!.getBoundingClientRect().top;
      return blocks.map(
        (block) => `${block.tagName} ${Math.round(block.getBoundingClientRect().top - first)}`,
      );
    });

  test('is laid out at its final position, and off-screen blocks keep their position', async () => {
    const { app } = dashboard;
    app.llm.script(
      [{ text: TEXT }, { text: 'The end.' }, { gate: 'read' }, toolCall('tools.echo', { text: 'x' })],
      {
        text: 'Done.',
      },
    );
    app.llm.script({ text: 'In short.' });
    const { page, close } = await dashboard.open();
    const id = await apiClient(app.url).submit('Disk trouble');
    await page.goto(`${app.url}/sessions/${id}`);
    await page.getByText('The end.').waitFor();
    const skipped = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll<HTMLElement>('[id^="event-"] div')].filter(
            ({ style }) => style.contentVisibility === 'auto',
          ).length,
      );
    await expect.poll(skipped).toBeGreaterThan(50);
    const growing = await places(page);
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
    await page.getByText('Numbers 0').waitFor();
    expect(await height()).toBe(before);
    app.llm.open('read');
    await page.getByText('In short.').first().waitFor();
    expect(await places(page)).toEqual(growing);
    await page.getByRole('button', { name: 'Compact' }).press('Enter');
    await expect.poll(height).toBeLessThan(before / 2);
    await page.reload();
    await page.getByRole('button', { name: 'Compact', pressed: true }).waitFor();
    const heading = page.getByRole('heading', { name: 'Numbers 0' });
    expect(await heading.count()).toBe(0);
    await page.getByRole('button', { name: 'Compact' }).press('Enter');
    await heading.first().waitFor();
    await close();
  });
});
