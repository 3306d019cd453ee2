import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { CHROMIUM, NO_CHROMIUM, openBrowser } from './browser.ts';

/**
 * Use as `describe.skipIf(NO_BROWSER)(browserSuite('…'))`. Without Chromium, the suite is skipped and its
 * name says why.
 */
export const NO_BROWSER = CHROMIUM === null;
export const browserSuite = (name: string): string =>
  NO_BROWSER ? `${name} (skipped: ${NO_CHROMIUM})` : name;

/** The application with its dashboard, and a browser. */
export interface Dashboard {
  app: TestApp;
  browser: Browser;
  /**
   * Opens a page in its own browser profile, and records its misdeeds: script errors, dialogs, content-policy
   * violations and requests to other hosts. `origin` is another address of the same server.
   */
  open(options?: BrowserContextOptions, origin?: string): Promise<GuardedPage>;
  stop(): Promise<void>;
}

export interface GuardedPage {
  page: Page;
  /** Script errors, dialogs, content-policy violations and requests to other hosts. */
  misdeeds: string[];
  /** Closes the page. Throws if the page had a misdeed. */
  close(): Promise<void>;
}

export async function startDashboard(options: Parameters<typeof startTestApp>[0] = {}): Promise<Dashboard> {
  const [app, browser] = await Promise.all([startTestApp(options), openBrowser()]);
  return {
    app,
    browser,
    open: (context = {}, origin = app.url) => openGuarded(browser, origin, context),
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}

async function openGuarded(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<GuardedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const misdeeds: string[] = [];
  page.on('pageerror', (error) => misdeeds.push(String(error)));
  page.on('dialog', (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url());
    if (protocol.startsWith('http') && target !== origin) misdeeds.push(`request: ${request.url()}`);
  });
  await page.exposeBinding('reportMisdeed', (_source, what: string) => void misdeeds.push(what));
  await page.addInitScript(() => {
    const report = (globalThis as unknown as { reportMisdeed(what: string): void }).reportMisdeed;
    document.addEventListener('securitypolicyviolation', (event) =>
      report(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
    );
  });
  return {
    page,
    misdeeds,
    async close() {
      await context.close();
      expect(misdeeds).toEqual([]);
    },
  };
}

/** Waits for the frame after the next, before which the page has processed an answer that has arrived. */
export const whenPainted = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted()))),
  );

/** Submits an alert through the form. Ends on the session's page. */
export async function submitAlert(page: Page, url: string, alert: string): Promise<void> {
  await page.goto(`${url}/submit`);
  await page.getByRole('textbox', { name: /^alert/i }).fill(alert);
  await page.getByRole('button', { name: 'Investigate' }).click();
  await page.waitForURL(/\/sessions\//);
}
