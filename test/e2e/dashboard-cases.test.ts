import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { caseClient } from '../helpers/cases.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';

describe.skipIf(NO_BROWSER)(browserSuite('cases on the dashboard'), { timeout: 120_000 }, () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  beforeAll(async () => {
    dashboard = await startDashboard();
    guarded = await dashboard.open();
  }, 180_000);
  afterAll(async () => {
    await guarded?.close();
    await dashboard?.stop();
  });

  test('lists a case, replays it, and leads to the session of the replay', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    const api = apiClient(app.url);
    app.llm.otherwise({ text: 'All is fine.' });
    const sessionId = await api.submit('disk of db-1 at 91%');
    await api.waitFor(sessionId, ({ status }) => ENDED.has(status));
    await caseClient(api).create({ sessionId, name: 'db-disk', verdict: 'NO_ACTION' });
    await page.goto(`${app.url}/review/cases`);
    const item = page.getByRole('list', { name: 'Cases' }).getByRole('listitem').first();
    await item.getByText('open world').waitFor();
    expect(await item.textContent()).toContain('Expects the verdict “No action”');
    await page.getByRole('button', { name: 'Replay db-disk' }).click();
    const replays = page.getByRole('list', { name: 'Replays of db-disk' });
    await replays.getByText('completed: There is no report.').waitFor();
    await replays.getByRole('link', { name: 'Failed' }).click();
    await page.getByRole('heading', { name: 'disk of db-1 at 91%' }).waitFor();
  });
});
