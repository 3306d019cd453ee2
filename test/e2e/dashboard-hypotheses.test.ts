import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { axeFindings } from '../helpers/axe.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  submitAlert,
} from '../helpers/dashboard.ts';
import { claimedFact } from '../helpers/report.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

describe.skipIf(NO_BROWSER)(browserSuite('hypotheses on the dashboard'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  beforeAll(async () => {
    dashboard = await startDashboard({ defaults: { hypotheses: { enabled: true } } });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
  });
  afterEach(() => guarded.close());

  test('the card changes while the agent works, and leads to the proof', { timeout: 120_000 }, async () => {
    const { app } = dashboard;
    const { page } = guarded;
    const update = (...hypotheses: object[]) => toolCall('tarsy.update_hypotheses', { hypotheses });
    let source = '';
    app.llm.script(
      [
        toolCall('tools.count_lines', { n: 20 }),
        update(
          { text: 'Line 7 is wrong', state: 'PROPOSED' },
          { text: '<b>Too few</b> lines', state: 'PROPOSED' },
        ),
      ],
      (request) => {
        const results = request.messages.map(({ content }) => content).join('\n');
        source = /\[(T\d+)\]\n-----BEGIN TOOL RESULT-----\nline 1\n/.exec(results)![1]!;
        const citations = [{ source, quote: 'line 6\nline 7\nline 8' }];
        const facts = [claimedFact('line', 'line', '7')];
        return [{ gate: 'proof' }, update({ id: 'H1', state: 'SUPPORTED', citations, facts })];
      },
      [{ text: 'Line 7 ' }, { gate: 'end' }, { text: 'is wrong.' }],
      { text: 'In short.' },
    );
    await submitAlert(page, app.url, 'Too many lines');
    const card = page.getByRole('region', { name: 'Hypotheses' });
    const items = card.getByRole('listitem');
    await items.filter({ hasText: 'Line 7 is wrong' }).getByText('Proposed').waitFor();
    await items.filter({ hasText: '<b>Too few</b> lines' }).getByText('Proposed').waitFor();
    app.llm.open('proof');
    const proven = items.filter({ hasText: 'Line 7 is wrong' });
    await proven.getByText('Supported').waitFor();
    await proven.getByText('line = 7').waitFor();
    await expect.poll(() => axeFindings(page)).toEqual([]); // a colour may be in transition
    app.llm.open('end');
    await page.getByText('In short.').first().waitFor();
    await proven.getByRole('link', { name: source }).click();
    await expect.poll(() => page.evaluate(() => window.location.hash)).toBe(`#event-${source.slice(1)}`);
    app.llm.assertNoUnusedScripts();
  });
});
