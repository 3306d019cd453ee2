import { resolve } from 'node:path';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureDashboard } from '../../src/launch/dashboard-build.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { CHROMIUM, NO_CHROMIUM, openBrowser } from '../helpers/browser.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

describe.skipIf(CHROMIUM === null)(
  `the dashboard in a browser${CHROMIUM === null ? ` (skipped: ${NO_CHROMIUM})` : ''}`,
  () => {
    let app: TestApp;
    let browser: Browser;
    let page: Page;
    /** What the page did that it must not: script errors, requests to other hosts, dialogs. */
    let misdeeds: string[];

    beforeAll(async () => {
      await ensureDashboard({
        root: resolve(import.meta.dirname, '../..'),
        logger: pino({ level: 'silent' }),
      });
      [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    });
    afterAll(async () => {
      await browser.close();
      await app.stop();
    });

    beforeEach(async () => {
      misdeeds = [];
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.on('pageerror', (error) => misdeeds.push(String(error)));
      page.on('dialog', (dialog) => {
        misdeeds.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol.startsWith('http') && origin !== app.url) misdeeds.push(`request: ${request.url()}`);
      });
    });
    afterEach(async () => {
      await page.close();
      expect(misdeeds).toEqual([]);
    });

    async function submit(alert: string): Promise<void> {
      await page.goto(`${app.url}/submit`);
      await page.getByRole('textbox', { name: /^alert/i }).fill(alert);
      await page.getByRole('button', { name: 'Investigate' }).click();
      await page.waitForURL(/\/sessions\//);
    }

    test('an alert that is submitted is seen live, word by word, to its analysis', async () => {
      app.llm.script(
        [{ thinking: 'Looking at the tools.' }, toolCall('tools.echo', { text: 'hello from the tool' })],
        [{ text: 'The first half, ' }, { gate: 'half' }, { text: 'and the **second**.' }],
        { text: 'In short.' },
      );
      await submit('Disk almost full');
      await page.getByText('The first half,').waitFor();
      expect(await page.getByText('second').count()).toBe(0);
      app.llm.open('half');
      await page.locator('strong', { hasText: 'second' }).first().waitFor();
      await page.getByText('In short.').waitFor();
      await page.getByText('Completed').first().waitFor();
      await page.getByText('tools.echo').first().waitFor();

      await page.reload();
      await page.getByText('In short.').waitFor();
      await page.goto(app.url);
      await page
        .getByRole('link', { name: /Disk almost full/ })
        .first()
        .waitFor();
      app.llm.assertNoUnusedScripts();
    });

    test('the list shows what begins elsewhere, and a running session is cancelled from its page', async () => {
      await page.goto(app.url);
      await page.getByText('Nothing is running.').waitFor();
      const other = await browser.newPage();
      app.llm.script([{ text: 'Working' }, { hang: true }]);
      await other.goto(`${app.url}/submit`);
      await other.getByRole('textbox', { name: /^alert/i }).fill('Begun elsewhere');
      await other.getByRole('button', { name: 'Investigate' }).click();
      await other.waitForURL(/\/sessions\//);
      await page.getByText('Begun elsewhere').first().waitFor();

      await other.getByText('Working').first().waitFor();
      await other
        .getByRole('button', { name: /cancel/i })
        .first()
        .click();
      const confirm = other
        .getByRole('dialog')
        .getByRole('button', { name: /cancel/i })
        .last();
      await Promise.race([
        confirm.waitFor().then(() => confirm.click()),
        other.getByText('Cancelled').first().waitFor(),
      ]);
      await other.getByText('Cancelled').first().waitFor();
      await page.getByText('Nothing is running.').waitFor();
      await other.close();
    });

    test('text from outside stays text: no script, no image, no foreign request', async () => {
      const hostile =
        '<img src=x onerror="alert(1)"> <script>alert(2)</script> ![x](https://evil.example/x.png) [y](javascript:alert(3))';
      app.llm.script(
        [{ thinking: hostile }, toolCall('tools.echo', { text: hostile })],
        { text: `Found: ${hostile}` },
        { text: hostile },
      );
      await submit(hostile);
      await page.getByText('Completed').first().waitFor();
      await page.getByText('Found:').first().waitFor();
      expect(await page.locator('img, script:not([src])').count()).toBe(0);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    });
  },
);
