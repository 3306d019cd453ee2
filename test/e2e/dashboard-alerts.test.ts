import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { alertBody, connect, intakeConfig, send } from '../helpers/deliveries.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

describe.skipIf(NO_BROWSER)(browserSuite('the page of alerts'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    const rules = [
      { name: 'quiet', match: ['severity="info"'], investigate: 'never' },
      { name: 'waits', match: ['severity="warning"'], group_wait: '1h' },
    ];
    dashboard = await startDashboard({ role: 'api', intake: intakeConfig({ rules }) });
    await send(
      dashboard.app.url,
      alertBody({ severity: 'warning', title: `Disk full ${HOSTILE}`, url: 'https://example.com/disk' }),
    );
    await send(dashboard.app.url, alertBody({ severity: 'warning', fingerprint: 'cpu', title: 'CPU high' }));
    await send(
      dashboard.app.url,
      alertBody({ severity: 'info', fingerprint: 'backup', group: 'b', title: 'Backup late' }),
    );
    await send(
      dashboard.app.url,
      alertBody({ severity: 'error', fingerprint: 'dns', group: 'c', title: 'DNS slow' }),
    );
    await send(
      dashboard.app.url,
      alertBody({ severity: 'error', fingerprint: 'dns', group: 'c', title: 'DNS slow', state: 'ok' }),
    );
    await send(dashboard.app.url, '{');
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
    return () => guarded.close();
  });
  const items = () => page.getByRole('list', { name: 'Groups of alerts' }).getByRole('listitem');

  test('lists groups with what became of them, by the filter in the address', async () => {
    await page.goto(`${dashboard.app.url}/`);
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('3 groups').waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-list.png` });
    expect(await items().first().innerText()).toContain('DNS slow');
    expect(await page.getByText('The rule "quiet" says never to investigate it.').count()).toBe(1);
    await page.goto(`${dashboard.app.url}/alerts?state=FIRING&severity=WARNING`);
    await page.getByText('1 group', { exact: true }).waitFor();
    expect(await items().first().innerText()).toContain(`Disk full ${HOSTILE}`);
    expect(await items().first().innerText()).toContain('2 of 2 alerts firing');
    await page.getByLabel('State').click();
    await page.getByRole('option', { name: 'Resolved' }).click();
    await page.getByText('Nothing that a monitoring system sent fits.').waitFor();
    expect(new URL(page.url()).search).toBe('?state=RESOLVED&severity=WARNING');
  });

  test('opens a group: its alerts, and every decision with its reason', async () => {
    await page.goto(`${dashboard.app.url}/alerts?severity=WARNING`);
    await page.getByRole('button', { name: /Disk full/ }).click();
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-group.png` });
    expect(await page.getByRole('link', { name: 'source' }).getAttribute('href')).toBe(
      'https://example.com/disk',
    );
    expect(await page.getByText('host=db-03').count()).toBe(2);
    expect(await page.getByText(/^Joined/).count()).toBe(1);
  });

  test('investigates a group that its rule left alone, and leads to the session', async () => {
    const pool = connect(dashboard.app.database.url);
    await page.goto(`${dashboard.app.url}/alerts?severity=INFO`);
    await page.getByRole('button', { name: /Backup late/ }).click();
    await page.getByRole('button', { name: 'Investigate now' }).click();
    await page.waitForURL(/\/sessions\//);
    const { rows } = await pool.query(
      `select outcome, reason from intake_decisions where reason like '%asked for it.'`,
    );
    expect(rows).toEqual([{ outcome: 'INVESTIGATED', reason: 'api-client asked for it.' }]);
    await pool.end();
  });

  test('the system page names the sources, with what came of them', async () => {
    await page.goto(`${dashboard.app.url}/system`);
    const sources = page.getByRole('region', { name: 'Sources of alerts' });
    await sources.getByText('5 taken, 1 refused').waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-system.png` });
    expect(await sources.innerText()).toContain('generic, token');
    expect(await sources.innerText()).toContain('/webhooks/prod');
  });
});
