import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  NO_BROWSER,
  startDashboard,
  submitAlert,
} from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';
import { freePort } from '../helpers/free-port.ts';
import {
  type FrontProxy,
  type FrontProxyOptions,
  NGINX,
  startNginx,
  startNodeProxy,
} from '../helpers/front-proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

const PREFIX = '/tools/tarsy';
const LIVE_OVER_HTTP = 'Live over HTTP';

let dashboard: Dashboard;
let port: number;
beforeAll(async () => {
  if (NO_BROWSER) return;
  port = await freePort();
  dashboard = await startDashboard({
    intake: intakeConfig({ rules: [{ name: 'none', investigate: 'never' }] }),
    system: { dashboard_url: `http://127.0.0.1:${port}${PREFIX}/` },
  });
});
afterAll(() => dashboard?.stop());

type Options = Omit<FrontProxyOptions, 'upstream' | 'port'>;

async function withProxy(
  start: (options: FrontProxyOptions) => Promise<FrontProxy>,
  options: Options,
  use: (proxy: FrontProxy, page: Page) => Promise<void>,
): Promise<void> {
  const proxy = await start({ ...options, upstream: dashboard.app.url, port });
  const guarded = await dashboard.open({}, new URL(proxy.url).origin);
  try {
    await use(proxy, guarded.page);
    await guarded.close();
  } finally {
    await proxy.close();
  }
}

/** Submits an alert and follows its investigation to its end, reloads the page, and finds it in the list. */
async function investigate(page: Page, url: string, alert: string): Promise<void> {
  const { llm } = dashboard.app;
  llm.script([{ text: 'The first half, ' }, { gate: alert }, { text: 'and the **second**.' }], {
    text: 'In short.',
  });
  await submitAlert(page, url, alert);
  expect(page.url()).toContain(`${url}/sessions/`);
  await page.getByText('The first half,').waitFor();
  llm.open(alert);
  await page.locator('strong', { hasText: 'second' }).first().waitFor();
  await page.getByText('Completed').first().waitFor();
  await page.reload();
  await page.getByText('In short.').first().waitFor();
  await page.getByRole('link', { name: 'TARSy, all sessions' }).click();
  await page
    .getByRole('link', { name: new RegExp(alert) })
    .first()
    .waitFor();
  expect(page.url()).toBe(`${url}/`);
  llm.assertNoUnusedScripts();
}

const PROXIES: [string, (options: FrontProxyOptions) => Promise<FrontProxy>, boolean][] = [
  ['a proxy', startNodeProxy, false],
  [NGINX === null ? 'nginx (skipped: .ci/run unpacks it)' : 'nginx', startNginx, NGINX === null],
];

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard behind a proxy'), () => {
  describe.each(PROXIES)('%s', (name, start, isMissing) => {
    test.skipIf(isMissing)('that strips a sub-path', async () => {
      await withProxy(start, { prefix: PREFIX, strips: true, upgrades: true }, async ({ url }, page) => {
        await page.goto(`${url}/`);
        await page.getByText('Live', { exact: true }).waitFor();
        await investigate(page, url, `Stripped by ${name}`);
      });
    });

    test.skipIf(isMissing)('that passes on a sub-path and no WebSocket', async () => {
      await withProxy(start, { prefix: PREFIX, strips: false, upgrades: false }, async ({ url }, page) => {
        await page.goto(`${url}/`);
        await page.getByText(LIVE_OVER_HTTP).waitFor();
        await investigate(page, url, `Passed on by ${name}`);
        const delivery = await sendDelivery(
          url,
          alertBody({ title: `Delivered through ${name}`, group: name, fingerprint: name }),
        );
        expect(delivery.status).toBe(202);
        await page.getByRole('link', { name: 'Alerts' }).click();
        await page.getByText(`Delivered through ${name}`).first().waitFor();
      });
    });

    test.skipIf(isMissing)('that serves the root and passes on no WebSocket', async () => {
      await withProxy(start, { prefix: '', strips: false, upgrades: false }, async ({ url }, page) => {
        await page.goto(`${url}/`);
        await page.getByText(LIVE_OVER_HTTP).waitFor();
        await investigate(page, url, `At the root of ${name}`);
      });
    });
  });
});
