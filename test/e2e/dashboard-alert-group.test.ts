import type pg from 'pg';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { alertsSuite } from '../helpers/alerts-page.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { alertBody, sendDelivery } from '../helpers/deliveries.ts';
import { openSwitchableProxy } from '../helpers/switchable-proxy.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(NO_BROWSER)(browserSuite('the alert group page'), () => {
  const rules = [
    { name: 'quiet', match: ['severity="info"'], investigate: 'never', team: 'shop' },
    { name: 'waits', match: [], group_wait: '1h' },
  ];
  const suite = alertsSuite({ rules });
  let page: Page;
  let pool: pg.Pool;
  beforeEach(() => {
    ({ page, pool } = suite);
  });
  const deliver = (...alerts: Record<string, unknown>[]) => sendDelivery(suite.url, alerts);
  const disk = (more: Record<string, unknown> = {}) =>
    alertBody({ severity: 'warning', labels: { host: 'db-03', zone: 'eu' }, ...more });
  const alerts = () => page.getByRole('list', { name: 'Alerts in this group' }).locator('> li');
  const decisions = () => page.getByRole('region', { name: 'Decisions' }).getByRole('listitem');

  /** Opens the page of the only alert group through the list. */
  async function open(): Promise<void> {
    await page.goto(`${suite.url}/alerts`);
    await page.getByRole('list', { name: 'Alert groups' }).getByRole('link').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/alerts\/./);
    await decisions().first().waitFor();
  }

  test('shows its alerts with labels and links, and each decision with its reason', async () => {
    const link = 'javascript:alert(1)';
    await deliver(
      disk({ url: 'https://example.com/disk', annotations: { text: `</b>${HOSTILE}`, runbook_url: link } }),
      disk({ fingerprint: 'cpu', title: `CPU ${HOSTILE}`, labels: { host: 'db-04', zone: 'eu' } }),
    );
    await deliver(disk({ fingerprint: 'net', title: 'Net', labels: { host: 'db-05', zone: 'eu' } }));
    await open();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      'Disk full: host db-03 and 2 more',
    );
    expect(await page.locator('dl').first().innerText()).toMatch(/Source\s+prod[\s\S]*3 of 3 firing/);
    await expect.poll(() => alerts().count(), SOON).toBe(3);
    const first = alerts().filter({ hasText: 'host=db-03' });
    expect(await first.innerText()).toContain(`</b>${HOSTILE}`);
    expect(await first.innerText()).toContain(', received ');
    // Labels that all alerts share are shown once, at the top.
    expect(await page.getByText('zone=eu').count()).toBe(1);
    const links = await first
      .getByRole('link')
      .evaluateAll((all) => all.map((anchor) => [anchor.getAttribute('href'), anchor.getAttribute('rel')]));
    expect(links).toEqual([['https://example.com/disk', 'noopener noreferrer nofollow']]);
    expect(await decisions().nth(0).innerText()).toMatch(/^Joined[\s\S]*Net\./);
    expect(await decisions().nth(1).innerText()).toContain(`2 alerts: CPU ${HOSTILE}, Disk full.`);
    expect(await decisions().count()).toBe(2);
    await page.getByRole('region', { name: 'Investigations' }).getByRole('link').click();
    await page.waitForURL(/\/sessions\//);
  });

  test('says that no end was reported if the group was closed as stale', async () => {
    await deliver(disk(), disk({ fingerprint: 'cpu', title: 'CPU high', state: 'ok' }));
    await pool.query(
      `update alert_groups set last_received_at = now() - interval '2 days', longest_gap_ms = 0`,
    );
    await open();
    await expect
      .poll(() => alerts().allInnerTexts(), SOON)
      .toEqual([
        ...[expect.stringContaining('No end reported, received'), expect.stringContaining('Lasted ')],
      ]);
  });

  test('follows live changes of the group, and pages through its decisions', async () => {
    await deliver(disk());
    await open();
    for (let index = 0; index < 50; index++)
      await deliver(disk({ fingerprint: `f${index}`, title: `N${index}` }));
    await page.getByText('51 of 51 firing').waitFor();
    await expect.poll(() => decisions().first().innerText(), SOON).toContain('N49');
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => decisions().first().innerText(), SOON).toContain('Disk full');
    await page.getByRole('button', { name: 'Newer' }).click();
    await expect.poll(() => decisions().first().innerText(), SOON).toContain('N49');
    const ends = Array.from({ length: 50 }, (_, index) => disk({ fingerprint: `f${index}`, state: 'ok' }));
    await deliver(disk({ state: 'ok' }), ...ends);
    await page.getByText('Warning, lasted').waitFor();
    expect(await page.getByRole('button', { name: 'Investigate now' }).count()).toBe(0);
  }, 60_000);

  test('investigates a group that its rule did not, and links to the session', async () => {
    await deliver(disk({ severity: 'info' }));
    await open();
    expect(await page.locator('dl').first().innerText()).toMatch(/Team\s+shop/);
    expect(await page.getByText('No investigation started. See Decisions for the reason.').count()).toBe(1);
    await page.getByRole('button', { name: 'Investigate now' }).click();
    await page.waitForURL(/\/sessions\//);
    const { rows } = await pool.query(
      `select outcome, reason from intake_decisions where reason like 'Requested by %'`,
    );
    expect(rows).toEqual([{ outcome: 'INVESTIGATED', reason: 'Requested by api-client.' }]);
  });

  test('silences the common labels of its alerts, and shows errors at the field', async () => {
    await deliver(disk(), disk({ fingerprint: 'b', labels: { host: 'db-04', zone: 'eu' } }));
    await open();
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
    const matchers = dialog.getByLabel('One matcher per line; all must match');
    expect(await matchers.inputValue()).toBe('alertname="Disk full"\nsource="prod"\nzone="eu"');
    await matchers.fill('zone="eu"\n\nhost=~"db-["');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('Line 3: "host=~"db-["": bad regular expression').waitFor();
    expect(await matchers.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => matchers.evaluate((field) => field === document.activeElement), SOON).toBe(true);
    await matchers.fill('zone="eu"');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('Give a reason in the comment; other users read it.').waitFor();
    await dialog.getByLabel('Comment').fill(`Moving the disks ${HOSTILE}`);
    await dialog.getByLabel('Duration', { exact: true }).click();
    await page.getByRole('option', { name: 'Until…' }).click();
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('Choose an end time.').waitFor();
    await dialog.getByLabel(/^Until/).fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await dialog.getByText('A silence must end in the future').waitFor();
    await dialog.getByLabel(/^Duration/).click();
    await page.getByRole('option', { name: '8 hours' }).click();
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await page.getByText('Silenced. TARSy does not investigate matching alerts until').waitFor();
    const { rows } = await pool.query(
      `select matchers, comment, created_by, round(extract(epoch from ends_at - now()) / 3600)::int as hours from silences`,
    );
    const made = {
      matchers: ['zone="eu"'],
      comment: `Moving the disks ${HOSTILE}`,
      created_by: 'api-client',
    };
    expect(rows).toEqual([{ ...made, hours: 8 }]);
    await deliver(disk({ fingerprint: 'c', labels: { zone: 'eu' } }));
    await expect.poll(() => decisions().first().innerText(), SOON).toContain(`Moving the disks ${HOSTILE}`);
  });

  test('silences the common labels of all its alerts, including later pages', async () => {
    await deliver(
      ...Array.from({ length: 51 }, (_, n) => disk({ fingerprint: `f${n}`, title: `disk-${n}` })),
    );
    await open();
    await page.getByRole('navigation', { name: 'Alert pages' }).getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => alerts().count(), SOON).toBe(1);
    const name = await alerts()
      .first()
      .getByText(/^disk-\d+$/)
      .innerText();
    await pool.query(`update alerts set labels = labels || '{"zone": "us"}' where title = $1`, [name]);
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    const matchers = page.getByLabel('One matcher per line; all must match');
    await expect.poll(() => matchers.inputValue(), SOON).toBe('source="prod"\nhost="db-03"');
  });

  test('does not open the silence form without alerts because that would silence the whole source', async () => {
    await deliver(disk());
    await open();
    await alerts().first().waitFor();
    await page.route('**/graphql', (route) => {
      const { query = '' } = route.request().postDataJSON() as { query?: string };
      return query.includes('GroupAlerts') ? route.abort() : route.continue();
    });
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    await page.getByText('Could not load the group’s alerts. The server is not responding.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    const matchers = page.getByLabel('One matcher per line; all must match');
    expect(await matchers.inputValue()).toBe('alertname="Disk full"\nsource="prod"\nhost="db-03"\nzone="eu"');
    expect(await page.getByText('Could not load').count()).toBe(0);
  });

  test('returns the focus when the silence form is closed', async () => {
    await deliver(disk());
    await open();
    const silence = page.getByRole('button', { name: 'Silence', exact: true });
    await silence.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => silence.evaluate((button) => button === document.activeElement), SOON).toBe(true);
  });

  test('its investigation’s page lists its alerts, links to them, and shows when they resolve', async () => {
    const { session } = await deliver(disk(), disk({ fingerprint: 'b', title: `CPU ${HOSTILE}` }));
    await page.goto(`${suite.url}/sessions/${session}`);
    await page.getByRole('link', { name: '2 alerts, firing' }).waitFor();
    await deliver(disk({ fingerprint: 'b', state: 'ok' }));
    await page.getByRole('link', { name: '2 alerts, 1 firing' }).waitFor();
    await deliver(disk({ state: 'ok' }));
    await page.getByText('Resolved just now').waitFor();
    await page.getByRole('link', { name: '2 alerts', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Alert' }).getByRole('link', { name: 'Disk full' }).click();
    await page.waitForURL(/\/alerts\/./);
    await decisions().first().waitFor();
  });

  test('its investigation’s page catches up with alert changes after being offline', async () => {
    const { session } = await deliver(disk());
    const line = await openSwitchableProxy(suite.url);
    const { page: far, close } = await suite.open({}, line.url);
    await far.goto(`${line.url}/sessions/${session}`);
    await far.getByRole('link', { name: '1 alert, firing' }).waitFor();
    await far.getByText('Live', { exact: true }).waitFor();
    line.refuse();
    await far.getByText('Reconnecting…').waitFor();
    await deliver(disk({ fingerprint: 'b' }));
    line.accept();
    await far.getByRole('link', { name: '2 alerts, firing' }).waitFor();
    await close();
    await line.close();
  });

  test('updates while it is being read', async () => {
    await page.clock.install();
    await deliver(disk());
    const [asked, answer, told] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('AlertGroupPage')) return route.continue();
      const response = await route.fetch();
      asked!.resolve();
      await answer!.promise;
      await route.fulfill({ response });
    });
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('alertGroupsChanged')) told!.resolve();
      }),
    );
    await page.goto(`${suite.url}/system`);
    await page.getByText('Connected, live updates on').waitFor();
    await page.getByRole('link', { name: 'Alerts', exact: true }).click();
    await page.getByRole('list', { name: 'Alert groups' }).getByRole('link').first().click();
    await asked!.promise;
    await deliver(disk({ fingerprint: 'b' }));
    await told!.promise;
    await page.clock.runFor(1_000); // the page collects changes for a moment before it reads again
    answer!.resolve();
    await page.getByText('2 of 2 firing').waitFor();
  });

  test('reports an unknown group', async () => {
    await page.goto(`${suite.url}/alerts/nothing`);
    await page.getByText('Alert group not found').waitFor();
  });
});
