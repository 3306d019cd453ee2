import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';
import { insertSession } from '../helpers/http-api.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { XSS_PAYLOADS } from '../helpers/xss/payloads.ts';
import { openAll, watchForPayloads } from '../helpers/xss/watch.ts';

/** Returns all payloads, each in its own paragraph, with `mark` after the last one. */
const joined = (mark: string): string => `${XSS_PAYLOADS.join('\n\n')}\n\n${mark}`;
/** A window that is high enough to render the whole page. */
const HIGH = { viewport: { width: 1280, height: 8_000 } };

describe.skipIf(NO_BROWSER)(browserSuite('foreign text'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let api: ApiClient;
  beforeAll(async () => {
    dashboard = await startDashboard({
      defaults: { max_iterations: 200 },
      intake: intakeConfig({ rules: [{ name: 'waits', match: [], group_wait: '1h' }] }),
    });
    api = apiClient(dashboard.app.url);
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open(HIGH);
    ({ page } = guarded);
    await watchForPayloads(page);
    // Outgoing requests are recorded as misdeeds and aborted, so that no test depends on a network.
    await page.route(
      (url) => url.origin !== dashboard.app.url,
      (route) => route.abort(),
    );
  });
  afterEach(() => guarded.close());

  test('the corpus is large and without duplicates', () => {
    expect(new Set(XSS_PAYLOADS).size).toBe(XSS_PAYLOADS.length);
    expect(XSS_PAYLOADS.length).toBeGreaterThanOrEqual(80);
  });

  test('stays text as thought, response, tool argument and tool result, one payload after the other', async () => {
    const { llm, url } = dashboard.app;
    // In groups of thirty, because a session's page shows about a hundred items at once.
    const groups = Array.from({ length: Math.ceil(XSS_PAYLOADS.length / 30) }, (_, index) =>
      XSS_PAYLOADS.slice(index * 30, index * 30 + 30),
    );
    for (const group of groups) {
      llm.script(
        ...group.map((text) => [
          { thinking: text },
          { text },
          toolCall('tools.echo', { text, [text]: [text] }),
        ]),
        { text: 'end of the analysis' },
        { text: 'end of the summary' },
      );
      const id = await api.submit('an alert');
      await api.waitFor(id, ({ status }) => ENDED.has(status));
      await page.goto(`${url}/sessions/${id}`);
      await page.getByText('end of the summary').first().waitFor();
      await openAll(page);
      const shown = await page.locator('main').innerText();
      expect(shown).toContain('pwned()');
      await page.goto(`${url}/sessions/${id}/trace`);
      await page.getByText('investigation').first().waitFor();
      await openAll(page);
    }
    llm.assertNoUnusedScripts();
  }, 180_000);

  test('stays text as alert, analysis, summary, question and answer, also while streaming', async () => {
    const { llm, url } = dashboard.app;
    const text = joined('the end');
    // Pieces that end in the middle of tags, links and fences.
    const pieces = text.match(/[\s\S]{1,23}/g) ?? [];
    const half = Math.floor(pieces.length / 2);
    const streamed = (gate: string) => [
      { text: pieces.slice(0, half) },
      { gate },
      { text: pieces.slice(half) },
    ];
    llm.script(streamed('analysis'), { text }, streamed('answer'));
    const id = await api.submit(joined('the alert ends'));
    await page.goto(`${url}/sessions/${id}`);
    await llm.reached('analysis');
    await page.getByText('autofocus').first().waitFor();
    llm.open('analysis');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await page.getByText('the end', { exact: true }).first().waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Final analysis' }).getByText('the end').waitFor();

    await page.getByRole('textbox', { name: /question|ask/i }).fill(joined('the question ends'));
    await page.keyboard.press('Enter');
    await llm.reached('answer');
    await page.getByText('the question ends').first().waitFor();
    llm.open('answer');
    await expect
      .poll(() => page.getByText('the end', { exact: true }).count(), { timeout: 20_000 })
      .toBeGreaterThan(2);
    await openAll(page);
    await page.reload();
    await page.getByText('the end', { exact: true }).first().waitFor();
    llm.assertNoUnusedScripts();
  }, 120_000);

  test('stays text in the list of sessions, in search results and in the form', async () => {
    const { url, database } = dashboard.app;
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    for (const text of XSS_PAYLOADS) {
      const value = { alert_data: text, alert_type: text, chain_id: text, author: text };
      await insertSession(pool, { ...value, status: 'FAILED', error_message: text, runbook_url: text });
    }
    const { rows } = await pool.query<{ id: string }>(
      "select id from alert_sessions where status = 'FAILED' limit 1",
    );
    await pool.end();
    for (const place of ['/?size=100&status=failed', '/?size=100&q=pwned', '/?q=<img+src%3Dx']) {
      await page.goto(`${url}${place}`);
      await page.getByRole('table').getByText('pwned()').first().waitFor();
    }
    await page.getByRole('combobox', { name: 'Author' }).click();
    await page.getByRole('option', { name: 'pwned()' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${url}/submit?from=${rows[0]?.id}`);
    await page.getByText('Filled in from the earlier session').waitFor();
    await page.goto(`${url}/sessions/${rows[0]?.id}`);
    await page.getByText('Failed').first().waitFor();
  }, 120_000);

  test('stays text as titles, labels, annotations and addresses of alerts, and in silences', async () => {
    const { url, database } = dashboard.app;
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    const alerts = XSS_PAYLOADS.map((text, index) => {
      const texts = {
        title: text,
        url: text,
        labels: { [text]: text, other: text },
        annotations: { [text]: text },
      };
      return alertBody({ severity: 'warning', fingerprint: `f${index}`, ...texts });
    });
    const sent = await sendDelivery(url, alerts);
    expect(sent.status).toBe(202);
    for (const text of XSS_PAYLOADS)
      await pool.query(
        `insert into silences (id, matchers, comment, created_by, starts_at, ends_at)
         values (gen_random_uuid(), array[$1], $1, $1, now(), now() + interval '1 hour')`,
        [text.replaceAll('\0', '')],
      );
    const { rows } = await pool.query<{ id: string }>('select id from alert_groups');
    await pool.end();
    for (const place of ['/alerts', '/alerts?q=pwned', `/alerts/${rows[0]?.id}`, '/alerts/silences']) {
      await page.goto(`${url}${place}`);
      await page.locator('main').getByText('pwned()').first().waitFor();
    }
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('button', { name: 'Newer', disabled: false }).waitFor();
    await page.locator('main').getByText('pwned()').first().waitFor();
    await page.goto(`${url}/alerts/${rows[0]?.id}`);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Previous', disabled: false }).waitFor();
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.goto(`${url}/sessions/${sent.session}`);
    await page.locator('main').getByText('pwned()').first().waitFor();
  }, 120_000);
});
