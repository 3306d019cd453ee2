import type { Page } from 'playwright-core';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
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

describe.skipIf(NO_BROWSER)(browserSuite('the health of an investigation'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard({
      mcpServers: { metrics: { transport: { type: 'http', url: 'http://127.0.0.1:2/mcp' } } },
      agents: { TestAgent: { mcp_servers: ['tools', 'metrics'] } },
    });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  async function investigate(...turns: ReturnType<typeof toolCall>[]): Promise<string> {
    const { llm, url } = dashboard.app;
    llm.script(...turns.map((turn) => [turn]), { text: 'The disk is full.' }, { text: 'Short.' });
    const api = apiClient(url);
    const id = await api.submit('disk full');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await page.goto(`${url}/sessions/${encodeURIComponent(id)}`);
    return page.getByRole('note', { name: 'Evidence basis' }).innerText();
  }

  test('an investigation based on the alert alone shows this first, in red', async () => {
    const note = await investigate();
    expect(note).toMatch(/^No tool data/);
    expect(note).toContain('Tools of metrics unavailable: ');
    await expectPageFits(page, 'nothing-measured');
  });

  test('counts calls and names the failed ones', async () => {
    const note = await investigate(toolCall('tools.echo', { text: 'a' }), toolCall('tools.fail'));
    expect(note).toMatch(/^Based on 2 tool calls \(1 failed\)\./);
    await expectPageFits(page, 'rests-on');
  });

  test('shows a provider fallback for the session, for its agent, and in the timeline and the trace', async () => {
    const own = await startDashboard({ defaults: { fallback_providers: [{ provider: 'scripted-google' }] } });
    const seen = await own.open({ reducedMotion: 'reduce' });
    onTestFinished(async () => {
      await seen.close();
      await own.stop();
    });
    own.app.llm.script(
      { error: { code: 'invalid_credentials', message: 'The key was refused.', retryable: false } },
      { text: 'The disk is full.' },
      { text: 'Short.' },
    );
    const api = apiClient(own.app.url);
    const id = await api.submit('disk full');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await seen.page.goto(`${own.app.url}/sessions/${encodeURIComponent(id)}`);
    // The count includes the fallback of the executive summary.
    await seen.page.getByText('Fell back to another model provider 2 times.').waitFor();
    const timeline = seen.page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('instead of scripted', { exact: true }).first().waitFor();
    const entries = timeline.getByText('Provider fallback', { exact: true });
    await expect.poll(() => entries.count()).toBe(2);
    await expectPageFits(seen.page, 'fallback');
    await seen.page.setViewportSize({ width: 390, height: 844 });
    // On a phone, the model's name is truncated, but the badge is not.
    const isWhole = (element: Element) =>
      element.getBoundingClientRect().right <= element.parentElement!.getBoundingClientRect().right;
    const badge = timeline.getByText('instead of scripted', { exact: true }).first();
    await expect.poll(() => badge.evaluate(isWhole)).toBe(true);
    await seen.page.getByRole('link', { name: 'Trace' }).click();
    await seen.page.getByText('instead of scripted', { exact: true }).first().waitFor();
  });
});
