import { afterEach, describe, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import {
  conclusionOf,
  type OutageSystem,
  quickAlert,
  slowText,
  startOutageSystem,
} from '../helpers/llm-outage.ts';

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard, while the LLM service is away'), () => {
  let dashboard: Dashboard;
  let system: OutageSystem;
  afterEach(async () => {
    await dashboard.browser.close();
    await system.stop();
  });

  test('shows that an investigation and an answer wait and why, and when the wait is over', {
    timeout: 300_000,
  }, async () => {
    system = await startOutageSystem({
      // The model waits for its pages, and the outage ends its calls at once.
      timeouts: { llm_first_token: '5m', llm_stall: '5m' },
      start: async (options) => {
        dashboard = await startDashboard(options);
        return dashboard.app;
      },
    });
    const { app, api } = system;
    const earlier = await api.submit(quickAlert('langchain'));
    await api.waitFor(earlier, ({ status }) => ENDED.has(status));
    const id = await api.submit(slowText('alert', 'langchain'));
    const [investigation, chat] = [await dashboard.open(), await dashboard.open()];
    await investigation.page.goto(`${app.url}/sessions/${id}`);
    await chat.page.goto(`${app.url}/sessions/${earlier}`);
    await chat.page.getByRole('textbox', { name: /question/i }).fill(slowText('question', 'langchain'));
    await chat.page.keyboard.press('Enter');
    await system.halfSaid(2);

    const bringBack = await system.strike('refused');
    for (const { page } of [investigation, chat]) {
      await page.getByText('Waiting for the model').first().waitFor();
      await page
        .getByText(/The model is unavailable: .*Retrying for up to 15m\./)
        .first()
        .waitFor();
      expect(await page.getByText('The model is available again.').count()).toBe(0);
    }
    await investigation.page.getByRole('alert').getByText('Waiting for the model').waitFor();
    const standstill = chat.page.getByRole('status', { name: 'Waiting' });
    await standstill.getByText(/1 session waiting: The model is unavailable/).waitFor();
    // A new investigation has no output yet.
    const next = await api.submit(quickAlert('langchain'));
    const begun = await dashboard.open();
    await begun.page.goto(`${app.url}/sessions/${next}`);
    const warned = begun.page.getByRole('status', { name: 'System warnings' });
    await warned.getByText('The LLM service is not responding.').waitFor();
    // The text is in the line of an agent without output, or in the timeline entry of the wait.
    await begun.page.getByText('Waiting for the model').first().waitFor();
    await begun.page.goto(`${app.url}/system`);
    await begun.page
      .getByRole('region', { name: 'Warnings' })
      .getByText('The LLM service is not responding.')
      .waitFor();
    await bringBack();
    await investigation.page.getByText(conclusionOf('alert langchain')).first().waitFor({ timeout: 90_000 });
    await chat.page.getByText(conclusionOf('question langchain')).first().waitFor({ timeout: 90_000 });
    await expect.poll(() => standstill.textContent(), { timeout: 30_000 }).toBe('');
    for (const { page } of [investigation, chat]) {
      await page.getByText('Waited for the model').waitFor();
      await page.getByText('The model is available again.').waitFor();
    }
    await begun.page.getByText('No warnings').waitFor();
    await begun.close();
    await investigation.close();
    await chat.close();
  });
});
