import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import type { ScriptedResponse } from '../helpers/scripted-llm/index.ts';

const ANSWER =
  'The **volume /var is full**: it grows by 2 % a day.\n\n- Rotate the log.\n- Grow the volume.\n';
const passage = (text: string, ...groundingChunkIndices: number[]) => {
  const startIndex = ANSWER.indexOf(text);
  return { startIndex, endIndex: startIndex + text.length, text, groundingChunkIndices };
};
const GROUNDED: ScriptedResponse = [
  { text: ANSWER },
  {
    grounding: {
      webSearchQueries: ['var full'],
      groundingChunks: [
        { uri: 'https://example.com/disks', title: 'Full disks' },
        { uri: 'javascript:alert(1)', title: 'Bad' },
        { uri: 'https://example.org/logs', title: 'Logs' },
      ],
      groundingSupports: [
        passage('The **volume /var is full**', 0, 2),
        passage('Rotate the log.', 2),
        passage('Grow the volume.', 1),
        passage('not there', 0),
      ],
    },
  },
];

describe.skipIf(NO_BROWSER)(browserSuite('the web sources of an answer'), () => {
  let dashboard: Dashboard;
  let api: ApiClient;
  beforeAll(async () => {
    dashboard = await startDashboard();
    api = apiClient(dashboard.app.url);
  });
  afterAll(() => dashboard.stop());

  test('shows marks after the supported words in the conclusion, the timeline and the chat', async () => {
    const { app } = dashboard;
    app.llm.script(GROUNDED, { text: 'In short: full.' }, GROUNDED);
    const id = await api.submit('Disk trouble');
    expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
    expect(await waitForStageEnd(api, id, await askQuestion(api, id, 'Why?'))).toBe('COMPLETED');

    const { page, close } = await dashboard.open();
    await page.goto(`${app.url}/sessions/${id}`);
    const conclusion = page.getByRole('region', { name: 'Final analysis' });
    await conclusion.getByText('[1]').waitFor();
    expect(await conclusion.locator('p, li').allInnerTexts()).toEqual([
      'The volume /var is full[1][3]: it grows by 2 % a day.',
      'Rotate the log.[3]',
      'Grow the volume.[2]',
    ]);
    expect(
      await conclusion
        .getByRole('link')
        .evaluateAll((links) =>
          links.map((link) => [link.textContent, link.getAttribute('href'), link.getAttribute('title')]),
        ),
    ).toEqual([
      ['[1]', 'https://example.com/disks', 'Full disks, example.com'],
      ['[3]', 'https://example.org/logs', 'Logs, example.org'],
      ['[3]', 'https://example.org/logs', 'Logs, example.org'],
    ]);
    await page.locator('#chat-2').getByText('[3]').first().waitFor();
    await expectPageFits(page, 'session-with-citations');

    const numbers = page.getByText('Google search').locator('xpath=ancestor::*[.//ol][1]').locator('li');
    expect(
      await numbers.evaluateAll((items) => items.map((item) => Number(item.getAttribute('value')))),
    ).toEqual([1, 2, 3]);
    await close();
  });
});
