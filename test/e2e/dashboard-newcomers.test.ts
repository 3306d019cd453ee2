import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const REPORT = {
  ...{ verdict: 'NO_ACTION', headline: 'The condition of the alert does not hold.', confidence: 0.8 },
  ...{ entities: [], claims: [{ kind: 'OBSERVATION', text: 'Measured is 22 %.', citations: [], facts: [] }] },
};

const answerOf = ({ toolChoice }: GenerateRequest) =>
  toolChoice === 'submit_report' ? toolCall('submit_report', REPORT) : { text: 'The rules looked.' };

const IN_ORDER = { shuffle: false, timeout: 120_000 };

describe.skipIf(NO_BROWSER)(browserSuite('a new installation without a key'), IN_ORDER, () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({
      defaults: { llm_provider: 'offline', report: { enabled: true } },
      agents: { TestAgent: { mcp_servers: [] } },
    });
    dashboard.app.llm.otherwise(answerOf);
  });
  afterAll(() => dashboard?.stop());

  test('offers examples, says that rules investigate, and marks their results', async () => {
    const { app } = dashboard;
    const api = apiClient(app.url);
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
    await page.goto(app.url);
    const examples = page.getByRole('list', { name: 'Example alerts' }).getByRole('listitem');
    await examples.first().waitFor();
    expect(await examples.count()).toBe(3);
    const note = page.getByRole('note', { name: 'Language model' });
    await note.getByText(/No language model is set: offline rules investigate/).waitFor();
    expect(await note.innerText()).toContain('docs/how-to/configure/models.md');
    await expectPageFits(page, 'newcomers');

    await examples
      .first()
      .getByRole('button', { name: /^Investigate: Disk almost full/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\/./);
    const id = page.url().split('/').at(-1)!;
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByText('No language model took part.').waitFor();
    expect(await page.getByText('AI', { exact: true }).count()).toBe(0);
    expect(await page.getByText('Model’s confidence').count()).toBe(0);
    expect(await page.getByText('Rules', { exact: true }).count()).toBeGreaterThan(0);
    await page.goto(app.url);
    await page.getByRole('table').getByText('Rules', { exact: true }).waitFor();

    await page.goto(`${app.url}/system`);
    await page.getByRole('definition').filter({ hasText: 'No language model is set' }).waitFor();
    await close();
  });

  test('leaves results of the rules out of the track records', async () => {
    const { app } = dashboard;
    const pool = openTestPool(app.database.url);
    const api = apiClient(app.url);
    const id = await api.submit('Disk full');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    const read = async () =>
      (await api.query<{ trackRecord: object }>('{ trackRecord { reviewed } }')).trackRecord;
    await pool.query(
      `update alert_sessions set rating = 'ACCURATE', review_status = 'REVIEWED', assignee = 'ana'`,
    );
    expect(await read()).toEqual({ reviewed: 0 });
    await pool.query('update alert_sessions set confidence = 0.8');
    expect(await read()).not.toEqual({ reviewed: 0 });
    await pool.end();
  });
});
