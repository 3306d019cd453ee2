import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, test, vi } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

/** Each test renders one state at four widths, and in two colour schemes. */
vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(NO_BROWSER)(browserSuite('every state of the pages about alerts'), () => {
  let dashboard: Dashboard;
  let group: string;
  beforeAll(async () => {
    const { sources } = intakeConfig() as { sources: Record<string, unknown> };
    const lab = { type: 'zabbix', verification: 'none' };
    dashboard = await startDashboard({
      role: 'api',
      intake: { sources: { ...sources, lab }, rules: [{ name: 'waits', match: [], group_wait: '1h' }] },
    });
    await sendDelivery(dashboard.app.url, alertBody({ severity: 'error' }));
    const pool = openTestPool(dashboard.app.database.url);
    group = (await pool.query('select id from alert_groups')).rows[0].id;
    await pool.end();
  });
  afterAll(() => dashboard.stop());

  let guarded: GuardedPage;
  let page: Page;
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());
  const open = (path: string) => page.goto(`${dashboard.app.url}${path}`);

  test('a silence being written, refused, created and ended', async () => {
    await open(`/alerts/${group}`);
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
    await dialog.getByLabel('Duration', { exact: true }).click();
    await page.getByRole('option', { name: 'Until…' }).click();
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('Choose an end time.').waitFor();
    await expectPageFits(page, 'silence-refused', { whole: false });
    await dialog.getByLabel(/^Until/).fill('2099-01-01T00:00');
    await dialog.getByLabel('Comment').fill('Moving the disks');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await page.getByText('Silenced. TARSy does not investigate matching alerts until').waitFor();
    await expectPageFits(page, 'silence-made');
    await open('/alerts/silences');
    await page
      .getByRole('button', { name: /^End silence/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('Keep silence').waitFor();
    await expectPageFits(page, 'silence-end', { whole: false });
    await page.getByRole('button', { name: 'End silence' }).click();
    await page.getByText('No active silences').waitFor();
    await expectPageFits(page, 'silences-none');
  });

  test('the filters, and the set-up of a sender', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/alerts?severity=ERROR&from=2026-01-01T00:00:00Z');
    await page.getByRole('button', { name: 'Filters (2)' }).click();
    await page.getByLabel(/^From/).waitFor();
    await expectPageFits(page, 'alerts-filters');
    await open('/system');
    await page.getByRole('button', { name: /^lab/ }).click();
    await page.getByRole('region', { name: 'tarsy-media-type.yaml' }).waitFor();
    await expectPageFits(page, 'source-guide');
  });

  test('loading, and without an answer', async () => {
    await page.route('**/graphql', () => undefined);
    for (const path of ['/alerts', `/alerts/${group}`, '/alerts/silences']) {
      await open(path);
      await page
        .getByRole('status', { name: /^Loading/ })
        .first()
        .waitFor();
      await expectPageFits(page, `loading${path.replaceAll('/', '-').slice(0, 20)}`);
    }
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.abort());
    for (const path of ['/alerts', `/alerts/${group}`, '/alerts/silences']) {
      await open(path);
      await page.getByText('Could not load').first().waitFor();
      await expectPageFits(page, `error${path.replaceAll('/', '-').slice(0, 20)}`);
    }
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('a dashboard without connected monitoring systems'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ role: 'api' });
  });
  afterAll(() => dashboard.stop());

  test('explains how to connect a sender', async () => {
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
    await page.goto(`${dashboard.app.url}/alerts`);
    await page.getByText('No alert source configured').waitFor();
    await expectPageFits(page, 'alerts-no-source');
    await page.getByRole('link', { name: 'Add a source' }).click();
    await page.getByText('No alert source configured', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Connect a monitoring system' }).click();
    await page.getByRole('option', { name: 'Grafana Alerting' }).click();
    await page.getByRole('region', { name: 'contact-points.yaml' }).waitFor();
    await expectPageFits(page, 'sources-none');
    await close();
  });
});
