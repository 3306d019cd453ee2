import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSenders } from '../../scripts/lib/senders.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, SOURCE_TOKEN, sendDelivery } from '../helpers/deliveries.ts';

const SENDERS = readSenders();

describe.skipIf(NO_BROWSER)(browserSuite('the sources of alerts on the system page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    const { sources } = intakeConfig() as { sources: Record<string, unknown> };
    const more = {
      'my-am': { type: 'alertmanager', basic: { username: 'am', passwords: [SOURCE_TOKEN] } },
      lab: { type: 'cloudevents', verification: 'none' },
    };
    const watchdog = { match: ['alertname="Watchdog"', 'source="prod"'], canary: true, canary_within: '1h' };
    const missed = { match: ['alertname="Watchdog"', 'source="lab"'], canary: true, canary_within: '1s' };
    const rules = [
      { name: 'watchdog', ...watchdog },
      { name: 'missed', ...missed },
    ];
    const canary = { every: '1h' };
    dashboard = await startDashboard({
      role: 'api',
      intake: { sources: { ...sources, ...more }, rules, canary },
    });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
    return () => guarded.close();
  });
  const sources = () => page.getByRole('region', { name: 'Alert sources' });
  const item = (name: string) =>
    sources()
      .getByRole('listitem')
      .filter({ hasText: `/webhooks/${name}` });

  test('lists each source with its authentication and its results', async () => {
    await sendDelivery(dashboard.app.url, alertBody({ severity: 'info' }));
    await sendDelivery(dashboard.app.url, '{');
    await page.goto(`${dashboard.app.url}/system`);
    // One or two accepted deliveries, because the heartbeat of another test comes from this source too.
    await item('prod')
      .getByText(/^[12] accepted, 1 refused, last just now$/)
      .waitFor();
    expect(await item('prod').innerText()).toContain('token');
    expect(await item('my-am').innerText()).toMatch(
      /basic authentication\s+0 accepted, none in the last 7 days/,
    );
    expect(await item('lab').innerText()).toContain('Unauthenticated source');
  });

  test('shows whether heartbeats arrive', async () => {
    const watchdog = alertBody({ title: 'Watchdog', fingerprint: 'watchdog', group: 'watchdog' });
    await sendDelivery(dashboard.app.url, watchdog);
    const event = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/lab', 'ce-type': 'watchdog' };
    await sendDelivery(dashboard.app.url, watchdog, { source: 'lab', token: null, headers: event });
    await page.goto(`${dashboard.app.url}/system`);
    await item('prod').getByText('last received just now, expected every 1 h 00 m').waitFor();
    await item('lab').getByText('Canary missing').waitFor();
    const own = sources().getByRole('listitem').filter({ hasText: 'self-test by TARSy' });
    expect(await own.innerText()).toMatch(
      /canary[\s\S]*Canary received\s+last received (just now|\d+ m ago), expected every 1 h 00 m/,
    );
    expect(await own.getByRole('button').count()).toBe(0);
  });

  test('offers a source’s configuration to copy, with this server’s address and no secret', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${dashboard.app.url}/system`);
    await sources()
      .getByRole('button', { name: /^my-am/ })
      .click();
    const blocks = sources().getByRole('region', { name: /yaml|yml/ });
    await blocks.nth(1).waitFor();
    const [ours, theirs] = await blocks.allInnerTexts();
    expect(ours).toContain('    my-am:\n      type: alertmanager');
    expect(theirs).toContain(`- url: ${dashboard.app.url}/webhooks/my-am`);
    expect(theirs).toContain('credentials: <token>');
    expect(await page.content()).not.toContain(SOURCE_TOKEN);
    await sources().getByRole('button', { name: 'Copy alertmanager.yml' }).click();
    await sources().getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(theirs);
  });

  test('shows the documented set-up of every type with this server’s address', {
    timeout: 180_000,
  }, async () => {
    await page.goto(`${dashboard.app.url}/system#sources`);
    const address = `${dashboard.app.url}/webhooks/prod`;
    for (const { title, parts } of Object.values(SENDERS)) {
      await page.getByRole('combobox', { name: 'Connect a monitoring system' }).click();
      await page.getByRole('option', { name: title, exact: true }).click();
      const code = parts.filter(({ kind }) => kind === 'code').map(({ text }) => text);
      const blocks = sources().locator('pre[role="region"]');
      const expected = code.map((text) =>
        text.replaceAll('https://tarsy.example.com/webhooks/prod', address),
      );
      await expect.poll(() => blocks.allInnerTexts(), { timeout: 20_000 }).toEqual(expected);
      expect(await sources().innerText()).not.toContain('tarsy.example.com');
    }
  });
});
