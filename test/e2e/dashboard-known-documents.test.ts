import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  NO_BROWSER,
  startDashboard,
  submitAlert,
} from '../helpers/dashboard.ts';

/** The built dashboard with a server that answers known documents only. */
describe.skipIf(NO_BROWSER)(browserSuite('the dashboard and known documents'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ api: { documents: 'persisted' } });
    dashboard.app.llm.otherwise({ text: 'The disk is full.' });
  });
  afterAll(() => dashboard.stop());

  test('every page and an investigation work', { timeout: 120_000 }, async () => {
    const { page, close } = await dashboard.open();
    const refused: string[] = [];
    const look = (text: string) => {
      if (text.includes('DOCUMENT_NOT_KNOWN')) refused.push(text);
    };
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => look(String(payload))));
    page.on('response', async (response) => {
      if (response.url().endsWith('/graphql')) look(await response.text().catch(() => ''));
    });
    const { url } = dashboard.app;
    await submitAlert(page, url, 'disk at 91 %');
    await page.getByText('The disk is full.').first().waitFor();
    await page.goto(`${page.url()}/trace`);
    await page.getByText('investigation').first().waitFor();
    for (const path of [
      '',
      'alerts',
      'alerts/silences',
      'approvals',
      'review',
      'review/cases',
      'system',
      'system/usage',
    ]) {
      await page.goto(`${url}/${path}`);
      await page.locator('main h1').first().waitFor();
      await page.waitForLoadState('networkidle');
    }
    expect(refused).toEqual([]);
    const { errors } = (await page.evaluate(async () => {
      const body = JSON.stringify({ query: '{ __typename }' });
      return (
        await fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      ).json();
    })) as { errors: { extensions: { code: string } }[] };
    expect(errors[0]!.extensions.code).toBe('DOCUMENT_NOT_KNOWN');
    await close();
  });
});
