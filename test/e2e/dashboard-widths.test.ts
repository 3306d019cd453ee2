import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { overflowingElements } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { openAll } from '../helpers/xss/watch.ts';

/** The test opens and lays out hundreds of boxes. */
vi.setConfig({ testTimeout: 120_000 });

const WORD = 'x'.repeat(1_500);
const COLUMNS = Array.from({ length: 40 }, (_, n) => `column_${n}`);
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Texts that could make a page wider than its window. */
const WIDE = [
  WORD,
  `[${WORD}](https://example.com/${WORD})`,
  `\`${WORD}\``,
  `- ${WORD}\n  - ${WORD}`,
  `> ${WORD}`,
  `# ${WORD}`,
  ['```', `${WORD} ${WORD}`, '```'].join('\n'),
  [row(COLUMNS), row(COLUMNS.map(() => '---')), row(COLUMNS.map(() => WORD.slice(0, 200)))].join('\n'),
  `- in a list:\n\n  \`\`\`\n  ${WORD}\n  \`\`\``,
  `\u202e${WORD}`,
].join('\n\n');
const LOG = `\u001b[31m${WORD}\u001b[0m\n${JSON.stringify({ [WORD]: WORD })}`;
const ALERT = JSON.stringify({
  labels: { alertname: WORD.slice(0, 150), [WORD.slice(0, 300)]: WORD, severity: 'critical' },
  annotations: { summary: WORD },
});

describe.skipIf(NO_BROWSER)(browserSuite('content wider than a window'), () => {
  let dashboard: Dashboard;
  let id = '';
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { llm, url } = dashboard.app;
    const api = apiClient(url);
    llm.script(
      [{ thinking: WIDE }, { text: WIDE }, toolCall('tools.echo', { text: LOG })],
      [toolCall('tools.nothing', { [WORD.slice(0, 500)]: WORD })],
      { text: WIDE },
      { text: WIDE },
    );
    id = await api.submit(ALERT);
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    llm.script([{ thinking: WIDE }, toolCall('tools.echo', { text: LOG })], { text: WIDE });
    await waitForStageEnd(api, id, await askQuestion(api, id, WORD));
  });
  afterAll(() => dashboard.stop());

  const fits = (page: Page, what: string) =>
    expect.poll(() => overflowingElements(page), { message: what, timeout: 30_000 }).toEqual([]);

  test.each([390, 1440])('never widens the page: %i px', async (width) => {
    const { page, close } = await dashboard.open({ viewport: { width, height: 3_000 } });
    const { url } = dashboard.app;
    await page.goto(url);
    await page.getByRole('link', { name: /x{40}/ }).first().waitFor();
    await fits(page, 'the list');
    await page.goto(`${url}/sessions/${id}`);
    await page.getByRole('region', { name: 'Questions' }).getByRole('group', { name: 'Table' }).waitFor();
    await openAll(page);
    await fits(page, 'the session');
    await page.getByRole('button', { name: 'Open result full screen' }).first().click();
    const viewer = page.getByRole('dialog', { name: 'Result' });
    await viewer.waitFor();
    await fits(page, 'a result full screen');
    await viewer.getByRole('button', { name: 'Wrap' }).click();
    await fits(page, 'a result that is not wrapped');
    await viewer.getByRole('button', { name: 'Close' }).click();
    await page.goto(`${url}/sessions/${id}/trace`);
    await page.getByRole('region', { name: 'Totals' }).waitFor();
    await openAll(page);
    await fits(page, 'the trace');
    await page.goto(`${url}/submit?from=${encodeURIComponent(id)}`);
    await page.getByRole('textbox', { name: /^alert/i }).waitFor();
    await fits(page, 'the alert that is submitted again');
    await close();
  });

  test('searches a text in full-screen mode, and shows JSON as a tree', async () => {
    const { page, close } = await dashboard.open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${dashboard.app.url}/sessions/${id}`);
    await page.getByRole('button', { name: 'Original alert' }).click();
    await page.getByRole('button', { name: 'Open alert text full screen' }).click();
    const viewer = page.getByRole('dialog', { name: 'Alert text' });
    await viewer.getByRole('searchbox', { name: 'Find in alert text' }).fill('sever');
    await viewer.getByText('1 of 1').waitFor();
    await viewer.getByRole('button', { name: 'Tree' }).click();
    await viewer.getByText('severity:').waitFor();
    await viewer.getByText('"critical"').waitFor();
    await close();
  });
});
