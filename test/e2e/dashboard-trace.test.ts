import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { askQuestion } from '../helpers/chat.ts';
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

describe.skipIf(NO_BROWSER)(browserSuite('a session’s trace'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let api: ApiClient;
  beforeAll(async () => {
    dashboard = await startDashboard();
    api = apiClient(dashboard.app.url);
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
  });
  afterEach(() => guarded.close());

  const queries = (): string[] => {
    const names: string[] = [];
    guarded.page.on('request', (request) => {
      const name = /query (\w+)/.exec(request.postData() ?? '')?.[1];
      if (name) names.push(name);
    });
    return names;
  };

  test('lists every exchange, loads contents when opened, and exports everything as JSON', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    app.llm.script(
      [{ thinking: 'Which disk?' }, { text: 'Measuring.' }, toolCall('tools.echo', { text: 'sda 91 %' })],
      [{ text: 'The disk is full.' }, { usage: { input: 80, output: 5, cachedRead: 60, cacheWrite: 15 } }],
      { text: 'Full disk.' },
    );
    const id = await api.submit('Disk trouble');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    const asked = queries();
    await page.goto(`${app.url}/sessions/${id}`);
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.getByRole('heading', { name: 'Trace: Disk trouble' }).waitFor();
    expect(asked).not.toContain('LlmDetail');

    await page.getByRole('button', { name: /tools\.echo/ }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('echo: sda 91 %').waitFor();
    expect(asked).toContain('McpDetail');

    await page.getByRole('button', { name: /Iteration 2/ }).click();
    await page.getByText(/^Conversation, \d+ messages$/).waitFor();
    await page.getByText('80 in (60 cached, 15 written to cache), 5 out, 0 thinking').waitFor();
    const totals = await page.getByRole('region', { name: 'Totals' }).innerText();
    expect(totals).toMatch(/Cache reads\s+60 \(60 %\)\s+Cache writes\s+15/);
    expect(asked.filter((name) => name === 'LlmDetail')).toHaveLength(1);
    await page.getByRole('button', { name: /^user/ }).click();
    await page.getByRole('region', { name: 'Message 2' }).getByText('Disk trouble').waitFor();
    await page.getByRole('button', { name: /^Executive summary/ }).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download JSON' }).click(),
    ]);
    const whole = JSON.parse(await readFile(await download.path(), 'utf8'));
    const [traced] = whole.trace.stages[0].executions;
    expect(traced.llmInteractions).toHaveLength(2);
    expect(traced.llmInteractions[0].thinking).toBe('Which disk?');
    expect(traced.execution.messages.map((message: { role: string }) => message.role)).toEqual([
      'SYSTEM',
      'USER',
      'ASSISTANT',
      'TOOL',
      'ASSISTANT',
    ]);
    expect(whole.trace.sessionInteractions[0].type).toBe('EXECUTIVE_SUMMARY');
  });

  test('sums up the visible exchanges, counts questions separately, and filters them', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    app.llm.script(
      toolCall('tools.count_lines', { n: 'many' }),
      [{ text: 'The disk is full.' }, { usage: { input: 80, output: 5 } }],
      { text: 'Full disk.' },
    );
    const id = await api.submit('Disk trouble again');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    const totals = page.getByRole('region', { name: 'Totals' });
    const tokens = async () => Number(/^Tokens\s+(\d+)$/m.exec(await totals.innerText())?.[1]);
    const told = async (): Promise<number> => {
      const { session } = await api.query<{ session: { tokenUsage: { totalTokens: number } } }>(
        `query ($id: ID!) { session(id: $id) { tokenUsage { totalTokens } } }`,
        { id },
      );
      return session.tokenUsage.totalTokens;
    };
    await page.goto(`${app.url}/sessions/${id}/trace`);
    await totals.waitFor();
    const before = await tokens();
    expect(before).toBe(await told());
    expect(await totals.innerText()).not.toContain('After the investigation');

    app.llm.script([{ text: 'Since Friday.' }, { usage: { input: 30, output: 4 } }]);
    await askQuestion(api, id, 'Since when?');
    await totals.getByText('After the investigation: 1 model call').waitFor();
    expect(await tokens()).toBe(before);
    const after = Number(/After the investigation: .* (\d+) tokens\./.exec(await totals.innerText())?.[1]);
    expect(before + after).toBe(await told());

    const exchanges = page.getByRole('button', { expanded: false }).filter({ hasText: /scripted-1|tools/ });
    await expect.poll(() => exchanges.count()).toBeGreaterThan(4);
    await page.getByRole('checkbox', { name: 'Failures only (1)' }).click();
    await page.waitForURL(/failed=1/);
    await expect
      .poll(() => exchanges.allInnerTexts())
      .toEqual([expect.stringContaining('tools.count_lines')]);
    await expectPageFits(page, 'trace-failures');
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Model calls' }).click();
    await page.getByText('No matching interactions').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => exchanges.count()).toBeGreaterThan(4);
    expect(await page.getByText('0 ms', { exact: true }).count()).toBe(0);
  });

  test('zooms into a stage with the keyboard alone', async () => {
    const { page } = guarded;
    dashboard.app.llm.script(
      toolCall('tools.echo', { text: 'sda 91 %' }),
      { text: 'The disk is full.' },
      { text: 'Full disk.' },
    );
    const id = await api.submit('Disk trouble once more');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await page.goto(`${dashboard.app.url}/sessions/${id}/trace`);
    const stage = page.getByRole('region', { name: /^Stage 1/ });
    const shown = stage.getByRole('status').filter({ hasText: /shown/i });
    const bars = stage.getByTitle(/^starts after/).locator('> *');
    await shown.getByText('The whole time is shown.').waitFor();
    const count = await bars.count();
    expect(count).toBeGreaterThan(2);
    const buttonIsFocused = (name: string) => () =>
      page.evaluate(() => document.activeElement?.ariaLabel).then((label) => label === name);
    await page.getByRole('checkbox').focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('Tab');
        return buttonIsFocused('Zoom in')();
      })
      .toBe(true);
    await page.keyboard.press('Enter');
    await shown.getByText(/^Shown: /).waitFor();
    for (const key of ['+', '+', '+', '+', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    await expect.poll(() => bars.count()).toBeLessThan(count);
    await expectPageFits(page, 'trace-zoom');
    await page.keyboard.press('0');
    await shown.getByText('The whole time is shown.').waitFor();
    expect(await bars.count()).toBe(count);
    expect(await buttonIsFocused('Zoom in')()).toBe(true);
    // From a call, the keys zoom into that call.
    const call = stage.getByRole('button', { name: /tools\.echo/ });
    await call.focus();
    for (let step = 0; step < 8; step += 1) await page.keyboard.press('+');
    await shown.getByText(/^Shown: /).waitFor();
    const own = call.getByTitle(/^starts after/).locator('> *');
    await expect.poll(() => own.count()).toBe(1);
  });

  test('grows while the investigation runs', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    app.llm.script(
      [{ gate: 'first' }, toolCall('tools.echo', { text: 'one' })],
      [{ gate: 'second' }, { text: 'Done.' }],
      { text: 'Summary.' },
    );
    const id = await api.submit('Disk trouble');
    await app.llm.reached('first');
    await page.goto(`${app.url}/sessions/${id}/trace`);
    await page.getByText('Running').first().waitFor();
    app.llm.open('first');
    await page.getByRole('button', { name: /tools\.echo/ }).waitFor();
    app.llm.open('second');
    await page.getByRole('button', { name: /^Executive summary/ }).waitFor();
    await page.getByText('Completed').first().waitFor();
  });
});
